"""The test of a connection: what it says of the model, its window and the parameters, and what is kept of it."""

import json
import re
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from summarizer.models import Book, Endpoint, LLMAttempt, Summary
from summarizer.providers.openai_models import Window
from summarizer.services import connection_test
from summarizer.services.connection_test import ConnectionTest, try_connection
from summarizer.services.launch import launch_summaries
from summarizer.services.prompt_sets import load_prompt_set
from summarizer.services.systems import SystemParameters
from tests.llm_server import NAMED, LLMServer, Scripted, error, unsupported
from tests.summarizer.launching.conftest import run

pytestmark = [pytest.mark.once, pytest.mark.django_db]

VALUES: dict[str, Any] = {"name": "local", "model": "llama", "context_window": 8192, "concurrency": 4}


NO_SCHEMA = "Does not keep answers to a JSON schema: those in JSON are read as they come."


def trial(server: LLMServer, **values: Any) -> ConnectionTest:
    return try_connection(endpoint=Endpoint(**{**VALUES, "base_url": server.base_url, **values}))


def listing(*models: dict[str, Any]) -> dict[str, Any]:
    return {"object": "list", "data": [{"object": "model", "created": 0, **model} for model in models]}


# --- the model --------------------------------------------------------------------------------------------------------


def test_a_model_that_answers_is_asked_as_a_job_asks(llm_server: LLMServer) -> None:
    llm_server.script(lambda request: "ready")
    result = trial(llm_server)
    assert (result.answered, result.message, result.detail) == (True, "The model llama answers.", "ready")
    assert (llm_server.calls, llm_server.requests[0].body["temperature"]) == (2, 0.5)
    assert "max_tokens" in llm_server.requests[0].body
    assert "response_format" not in llm_server.requests[0].body


@pytest.mark.parametrize(
    ("scripted", "message"),
    [
        ("401", "refused the request. Check the key"),
        ("404", "refused the request. Check the key"),
        ("quota", "no money or quota left"),
        ("html", "not as an OpenAI-compatible server does"),
        ("cut", "not as an OpenAI-compatible server does"),
        ("empty", "said nothing"),
        ("refusal", "refused a harmless request"),
    ],
)
def test_what_goes_wrong_is_said_in_plain_words(llm_server: LLMServer, scripted: str, message: str) -> None:
    llm_server.then(scripted)
    result = trial(llm_server)
    assert not result.answered
    assert message in result.message
    assert llm_server.calls == 1


def test_a_name_that_the_server_does_not_know_brings_the_ten_closest_that_it_does(llm_server: LLMServer) -> None:
    names = ["gpt-5-mini", "gpt-5", *(f"whisper-{number:02}" for number in range(12))]
    llm_server.pages["/v1/models"] = listing(*({"id": name} for name in names))
    llm_server.then("404")
    result = trial(llm_server, model="gtp-5")
    assert not result.answered
    assert result.message == "The server does not list a model called gtp-5."
    assert result.other_models[:2] == ["gpt-5", "gpt-5-mini"]
    assert len(result.other_models) == 10


def test_a_server_that_answers_any_name_is_noticed(llm_server: LLMServer) -> None:
    llm_server.pages["/v1/models"] = listing({"id": "qwen.gguf", "owned_by": "llamacpp", "meta": {"n_ctx": 4096}})
    result = trial(llm_server, model="gpt-5")
    assert result.answered
    assert result.other_models == ["qwen.gguf"]
    assert result.window == Window(4096)


@pytest.mark.parametrize("name", ["llama", "llama:latest"])
def test_the_tag_that_ollama_leaves_out_makes_no_other_model(llm_server: LLMServer, name: str) -> None:
    llm_server.pages["/v1/models"] = listing({"id": "llama:latest"})
    assert trial(llm_server, model=name).other_models == []


def test_an_answer_that_is_longer_than_asked_for_is_an_answer(llm_server: LLMServer) -> None:
    spent = "Could not finish the message because max_tokens or model output limit was reached."
    for scripted in ("length", "null-length", error(400, "", spent)):
        llm_server.then(scripted)
        assert trial(llm_server).message == "The model llama answers (its answer was longer than asked for)."


def test_a_server_that_is_down() -> None:
    result = try_connection(endpoint=Endpoint(**VALUES, base_url="http://127.0.0.1:9/v1"))
    assert not result.answered
    assert "could not be reached" in result.message


def test_no_part_of_a_test_waits_without_end(llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_test, "TEST_TIMEOUT", 0.9)
    monkeypatch.setattr(connection_test, "LOOK_UP_SECONDS", 0.3)
    monkeypatch.setattr(connection_test, "SCHEMA_SECONDS", 0.3)
    llm_server.pages["/v1/models"] = Scripted(wait=30)
    result = trial(llm_server)
    assert (result.answered, result.window) == (True, None)
    llm_server.then("hang")
    result = trial(llm_server)
    assert not result.answered
    assert result.message.startswith("No answer within")


# --- the key ----------------------------------------------------------------------------------------------------------


def test_a_key_that_is_not_set_is_named_and_nothing_is_sent(
    llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOBODY_API_KEY", raising=False)
    result = trial(llm_server, api_key_variable="NOBODY_API_KEY")
    assert "NOBODY_API_KEY is not set" in result.message
    assert (llm_server.calls, llm_server.looked_up) == (0, [])


def test_the_key_goes_with_every_request_and_none_without_a_variable(
    llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-server")
    trial(llm_server, api_key_variable="SOME_API_KEY")
    assert llm_server.requests[0].headers["Authorization"] == "Bearer sk-secret"
    assert {key for _, key in llm_server.looked_up} == {"Bearer sk-secret"}
    llm_server.looked_up.clear()
    trial(llm_server)
    assert "Authorization" not in llm_server.requests[-1].headers
    assert {key for _, key in llm_server.looked_up} == {""}


# --- the window -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pages", "tokens", "is_maximum"),
    [
        ({"/v1/models": listing({"id": "llama", "owned_by": "vllm", "max_model_len": 16384})}, 16384, False),
        ({"/v1/models": listing({"id": "x", "context_length": 1}, {"id": "llama", "context_length": 9})}, 9, False),
        ({"/v1/models": listing({"id": "llama", "meta": {"n_ctx": 4096, "n_ctx_train": 131072}})}, 4096, False),
        ({"/v1/models": listing({"id": "llama", "meta": {"n_ctx_train": 131072}})}, 131072, True),
        (
            {
                "/v1/models": listing({"id": "llama", "meta": {"n_ctx_train": 131072}}),
                "/props": {"default_generation_settings": {"n_ctx": 2048}, "total_slots": 4},
            },
            2048,
            False,
        ),
        (
            {
                "/v1/models": listing({"id": "llama:latest", "owned_by": "library"}),
                "/api/ps": {
                    "models": [
                        {"name": "other:latest", "context_length": 1},
                        {"name": "llama:latest", "context_length": 4096},
                    ]
                },
            },
            4096,
            False,
        ),
    ],
    ids=["vLLM", "OpenRouter", "llama.cpp", "llama.cpp, trained", "llama.cpp, older", "Ollama"],
)
def test_the_window_is_the_one_that_the_server_gives(
    llm_server: LLMServer, pages: dict[str, Any], tokens: int, is_maximum: bool
) -> None:
    llm_server.pages = pages
    assert trial(llm_server).window == Window(tokens, is_maximum)


@pytest.mark.parametrize(
    "listed",
    [
        None,
        [],
        {},
        {"data": None},
        {"data": ["llama", {"id": 7}, {"id": "llama"}]},
        listing({"id": "llama", "context_length": "many", "max_model_len": True, "meta": 3}),
        listing({"id": "a", "context_length": 1}, {"id": "b", "context_length": 2}),
    ],
)
def test_a_server_that_does_not_say_its_window_is_no_failure(llm_server: LLMServer, listed: Any) -> None:
    llm_server.pages = {"/v1/models": listed, "/props": [], "/api/ps": {"models": [{"name": "llama"}]}}
    result = trial(llm_server)
    assert (result.answered, result.window, result.window_is_too_large) == (True, None, False)


@pytest.mark.parametrize(("entered", "too_large"), [(4095, False), (4096, False), (4097, True)])
def test_only_a_window_larger_than_the_servers_is_warned_of(
    llm_server: LLMServer, entered: int, too_large: bool
) -> None:
    llm_server.pages["/v1/models"] = listing({"id": "llama", "max_model_len": 4096})
    assert trial(llm_server, context_window=entered).window_is_too_large is too_large


# --- the parameters ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refused", "words", "calls"),
    [
        (set(), ["Takes max_tokens and temperature."], 2),
        ({"max_tokens"}, ["Takes temperature.", "Takes max_completion_tokens in place of max_tokens."], 3),
        ({"response_format"}, ["Takes max_tokens and temperature."], 2),
        (
            {"temperature"},
            ["Takes max_tokens.", "Takes no temperature: answers are made at the server's default."],
            3,
        ),
        (
            {"max_tokens", "temperature"},
            [
                "Takes max_completion_tokens in place of max_tokens.",
                "Takes no temperature: answers are made at the server's default.",
            ],
            4,
        ),
    ],
)
def test_the_parameters_are_found_by_trying(
    llm_server: LLMServer, refused: set[str], words: list[str], calls: int
) -> None:
    llm_server.refused = refused
    assert trial(llm_server).parameters == [*words, NO_SCHEMA]
    assert llm_server.calls == calls


@pytest.mark.parametrize(
    ("answer", "words", "replacements"),
    [
        ('{"word": "ready"}', ["Keeps answers to a JSON schema."], {}),
        ("ready", [NO_SCHEMA], {}),
        ('["ready"]', [NO_SCHEMA], {}),
        (unsupported("response_format"), [NO_SCHEMA], {"response_format": None}),
        (NAMED["500"](), [], {}),
    ],
)
def test_whether_answers_keep_to_a_schema_is_found_by_trying(
    llm_server: LLMServer, answer: Any, words: list[str], replacements: dict[str, None]
) -> None:
    llm_server.script(lambda request: answer if "response_format" in request.body else "ready")
    result = trial(llm_server)
    assert (result.answered, result.detail, result.replacements) == (True, "ready", replacements)
    assert result.parameters == ["Takes max_tokens and temperature.", *words]


def test_a_server_that_takes_neither_name_of_a_parameter_is_not_asked_again_and_again(llm_server: LLMServer) -> None:
    llm_server.then("no-max-tokens", unsupported("max_completion_tokens"))
    result = trial(llm_server)
    assert (result.answered, result.message) == (False, "The server refuses a parameter that has no replacement.")
    assert (result.replacements, llm_server.calls) == (None, 2)


# --- page and command -------------------------------------------------------------------------------------------------


def sent(server: LLMServer, **values: Any) -> dict[str, Any]:
    return {**VALUES, "base_url": server.base_url, **values}


def left_by_test(admin: Client, values: dict[str, Any]) -> str:
    page = admin.post(reverse("summarizer:endpoint-test"), values).content.decode()
    found = re.search(r'name="tested" value="([^"]+)"', page)
    assert found
    return found[1]


def test_the_page_tests_what_stands_in_the_form_and_stores_nothing(admin: Client, llm_server: LLMServer) -> None:
    url = reverse("summarizer:endpoint-test")
    llm_server.script(lambda request: "<b>ready</b>")
    llm_server.pages["/v1/models"] = listing({"id": "llama", "max_model_len": 4096})
    page = admin.post(url, sent(llm_server, name="")).content.decode()
    assert "The model llama answers." in page
    assert "&lt;b&gt;ready&lt;/b&gt;" in page
    assert "The window entered, 8,192 tokens, is larger than the server's, 4,096." in page
    assert 'data-fills="id_context_window" data-value="4096"' in page
    assert "Takes max_tokens and temperature." in page
    assert "Fill in the form first." in admin.post(url, {}).content.decode()
    assert not Endpoint.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_what_the_test_found_is_kept_with_the_endpoint_so_that_the_first_job_has_no_failed_request(
    admin: Client, llm_server: LLMServer, book: Book
) -> None:
    llm_server.refused = {"max_tokens", "temperature"}
    values = sent(llm_server)
    admin.post(reverse("summarizer:endpoint-add"), {**values, "tested": left_by_test(admin, values)})
    endpoint = Endpoint.objects.get(name="local")
    assert endpoint.parameter_replacements == {"max_tokens": "max_completion_tokens", "temperature": None}
    parameters = SystemParameters(endpoint, load_prompt_set("default"), chunk_size=200, max_summary_tokens=300)
    job = launch_summaries(parameters=parameters, books=[book])
    run(job)
    assert Summary.objects.filter(job_item__job=job).count() == 1
    outcomes = LLMAttempt.objects.values_list("failure_kind", flat=True)
    assert set(outcomes) == {""}


def test_a_test_of_another_model_or_a_made_up_one_is_not_kept(admin: Client, llm_server: LLMServer) -> None:
    llm_server.refused = {"temperature"}
    values = sent(llm_server)
    found = left_by_test(admin, values)
    admin.post(reverse("summarizer:endpoint-add"), {**values, "model": "another", "tested": found})
    assert Endpoint.objects.get().parameter_replacements == {}
    edit = reverse("summarizer:endpoint-edit", args=[Endpoint.objects.get().pk])
    admin.post(edit, {**values, "tested": found[:-1] + ("a" if found[-1] != "a" else "b")})
    assert Endpoint.objects.get().parameter_replacements == {}
    admin.post(edit, {**values, "tested": found})
    assert Endpoint.objects.get().parameter_replacements == {"temperature": None}
    llm_server.refused = set()
    admin.post(edit, {**values, "tested": left_by_test(admin, values)})
    assert Endpoint.objects.get().parameter_replacements == {}


def test_the_command_tests_before_it_stores(llm_server: LLMServer, capsys: pytest.CaptureFixture[str]) -> None:
    llm_server.refused = {"temperature"}
    llm_server.script(lambda request: "ready")
    llm_server.pages["/v1/models"] = listing({"id": "llama", "max_model_len": 4096})
    options = {"base_url": llm_server.base_url, "context_window": 8192, "test": True}
    call_command("endpoint", "local", model="llama", **options)
    assert json.loads(capsys.readouterr().out)["connection"] == {
        "answer": "ready",
        "other_models": [],
        "context_window": 4096,
        "context_window_is_maximum": False,
        "context_window_too_large": True,
        "parameters": [
            "Takes max_tokens.",
            "Takes no temperature: answers are made at the server's default.",
            NO_SCHEMA,
        ],
    }
    assert Endpoint.objects.get().parameter_replacements == {"temperature": None}
    llm_server.then("404")
    with pytest.raises(CommandError, match=r"does not list a model called lama\. It lists: llama\. .*404"):
        call_command("endpoint", "local", model="lama", **options)
    assert Endpoint.objects.get().model == "llama"
