# make run    set up and run: demo data, web server and worker      (make run PORT=8001 for another port)
# make test   set up and run all checks and tests
# make test-llama  check the wiring against a real llama.cpp server with a tiny model (a few minutes, 230 MB)
# make benchmark   measure jobs, chunking and saving against their budgets (a few minutes)

PORT ?= 8000
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3 python; do \
	command -v $$python >/dev/null 2>&1 && $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)

.PHONY: run test test-llama benchmark format
.DEFAULT_GOAL := run

run: .venv/requirements.txt
	@exec .venv/bin/python manage.py up --demo --port $(PORT)

test: .venv/requirements-dev.txt
	@exec .venv/bin/python -m tests.run $(TESTS)

test-llama: .venv/llama/requirements-llama.txt
	@exec .venv/bin/python -m tests.run -n 0 -s -m llama tests/llama

benchmark: .venv/requirements-dev.txt
	@exec .venv/bin/python -m tests.run -n 0 -s -m benchmark tests/benchmarks

format: .venv/requirements-dev.txt
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

# The copy of a requirements file inside .venv says what is installed there; a changed file installs again.
.venv/%.txt: %.txt requirements.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found. Install it, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@test -x .venv/bin/pip || { rm -rf .venv; $(PYTHON) -m venv .venv >.venv.log 2>&1 && rm -f .venv.log || { rm -rf .venv; echo "The virtual environment could not be made: $$(tail -n 1 .venv.log). On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }; }
	@echo "Installing $< (a few minutes the first time) ..." >&2
	@.venv/bin/pip install --quiet --disable-pip-version-check -r $< >.venv/install.log 2>&1 || { echo "Installing $< failed: $$(grep -iE 'error|could not' .venv/install.log | tail -n 1). The whole output is in .venv/install.log; run make again to retry." >&2; exit 1; }
	@cp requirements*.txt .venv/ && { test $< = requirements-dev.txt || rm -f .venv/requirements-dev.txt; }
	@touch $@

# A folder of its own: neither the application nor the other tests have these packages.
.venv/llama/requirements-llama.txt: requirements-llama.txt .venv/requirements-dev.txt
	@echo "Installing $< ..." >&2
	@rm -rf .venv/llama
	@.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --target .venv/llama -r $< >.venv/install.log 2>&1 || { echo "Installing $< failed: $$(grep -iE 'error|could not' .venv/install.log | tail -n 1). The whole output is in .venv/install.log; run make again to retry." >&2; exit 1; }
	@cp $< $@
