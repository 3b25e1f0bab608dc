"""Endpoints and prompt sets over the API: made by admins, and no key comes in or out."""

import pytest

from summarizer.models import Endpoint, PromptSet
from tests.api.clients import Program, program
from tests.factories import make_user

pytestmark = pytest.mark.django_db

NEW = {"name": "priced", "base_url": "https://llm.example.org/v1/", "model": "m", "api_key_variable": "SOME_API_KEY"}


def test_an_endpoint_is_added_and_changed_and_keeps_what_is_not_sent(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "sk-sentinel")
    owner = program()
    made = owner.post("endpoints/", status=201, **NEW, price_prompt="2.5", price_completion=10)
    assert (made["base_url"], made["api_key_variable"]) == ("https://llm.example.org/v1", "SOME_API_KEY")
    assert (made["price_prompt"], made["price_cached"], made["context_window"]) == ("2.500000", None, 8192)
    path = f"endpoints/{made['id']}/"
    changed = owner.patch(path, concurrency=64, tokens_per_minute=100_000)
    assert changed == {**made, "concurrency": 64, "tokens_per_minute": 100_000} == owner.get(path)
    assert owner.patch(path, tokens_per_minute=None)["tokens_per_minute"] is None
    assert "sentinel" not in str(owner.get("endpoints/")) + str(Endpoint.objects.filter(pk=made["id"]).values())


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"name": "rules"}, "are the baselines"),
        ({"name": "a b"}, "name"),
        ({"api_key_variable": "sk-sentinel"}, "must end in _API_KEY"),
        ({"api_key_variable": "DATABASE_URL"}, "must end in _API_KEY"),
        ({"base_url": "file:///etc/passwd"}, "must begin with http"),
        ({"base_url": "https://me:secret@llm.example.org/v1"}, "keys stay in the environment"),
        ({"base_url": None}, "base_url"),
        ({"price_prompt": 1}, "half a price"),
        ({"price_prompt": "-1", "price_completion": 1}, "price_prompt"),
        ({"price_prompt": "nan", "price_completion": 1}, "price_prompt"),
        ({"context_window": 10**12}, "context_window"),
        ({"model": "\ud800"}, "model"),
    ],
)
def test_an_endpoint_that_cannot_be_is_refused_in_words_and_not_stored(values, words):
    owner = program()
    refused = owner.post("endpoints/", status=400, **{**NEW, **values})
    assert words in refused["detail"]
    assert set(refused) == {"detail", "code"}
    assert not Endpoint.objects.filter(model="m").exists()


def test_two_endpoints_have_two_names_and_baselines_no_settings():
    owner = program()
    first = owner.post("endpoints/", status=201, **NEW)
    assert "already exists" in owner.post("endpoints/", status=400, **NEW)["detail"]
    second = owner.post("endpoints/", status=201, **{**NEW, "name": "second"})
    owner.patch(f"endpoints/{second['id']}/", status=400, name="priced")
    rules = next(each for each in owner.get("endpoints/")["results"] if each["name"] == "rules")
    assert "baselines" in owner.patch(f"endpoints/{rules['id']}/", status=400, base_url="https://x.org/v1")["detail"]
    assert owner.get(f"endpoints/{first['id']}/") == first


def test_a_prompt_set_is_loaded_once_and_is_immutable():
    owner = program()
    files = {"get_annotations.txt": "Judge.\n{}\n{}\n", "get_summaries_hier/init.txt": "At most {} {} words."}
    made = owner.post("prompt-sets/", status=201, name="ours", files=files)
    assert (made["files"], made["placeholders"]) == (files, "positional")
    assert owner.post("prompt-sets/", status=201, name="ours", files=files)["id"] == made["id"]
    other = owner.post("prompt-sets/", status=201, name="ours", files={**files, "get_annotations.txt": "{}{}"})
    assert (other["name"], other["id"] != made["id"]) == ("ours", True)
    assert PromptSet.objects.filter(name="ours").count() == 2


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"name": "default"}, "built-in"),
        ({"name": "../etc"}, "name"),
        ({"files": {}}, "no prompt file"),
        ({"files": {"../../etc/passwd": "{}"}}, "no prompt file ../../etc/passwd"),
        ({"files": {"get_annotations.txt": "Without places."}}, "get_annotations.txt can't be used"),
        ({"files": {"get_annotations.txt": "x" * 300_000}}, "larger than 256 kB"),
        ({"files": {"get_annotations.txt": "{}{}\0"}}, "files"),
        ({"files": {"get_annotations.txt": "{}{}\ud800"}}, "Surrogate"),
        ({"files": ["get_annotations.txt"]}, "files"),
    ],
)
def test_a_prompt_set_that_cannot_be_is_refused_in_words(values, words):
    files = {"get_annotations.txt": "{}{}"}
    refused = program().post("prompt-sets/", status=400, **{"name": "ours", "files": files, **values})
    assert words in refused["detail"]
    assert not PromptSet.objects.filter(name="ours").exists()


def test_only_admins_make_and_change_and_only_with_a_token_that_may():
    owner, admin = program(), make_user("admin")
    made = owner.post("endpoints/", status=201, **NEW)
    files = {"get_annotations.txt": "{}{}"}
    for other, code in ((program("researcher"), "forbidden"), (Program(admin, read_only=True), "read-only")):
        for send, path, values in (
            (other.post, "endpoints/", {**NEW, "name": "mine"}),
            (other.patch, f"endpoints/{made['id']}/", {"base_url": "https://evil.example.org/v1"}),
            (other.post, "prompt-sets/", {"name": "ours", "files": files}),
        ):
            assert send(path, status=403, **values)["code"] == code
        hidden = {"base_url": None, "api_key_variable": None} if code == "forbidden" else {}
        assert other.get(f"endpoints/{made['id']}/") == {**made, **hidden}
        other.get("prompt-sets/")
    program("annotator").get("endpoints/", status=401)
