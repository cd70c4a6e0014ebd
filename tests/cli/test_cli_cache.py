"""A second run of the same questions asks nothing: the cache of answers, through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.stub_server import Script, StubServer
from kit.command_line import Said, called
from kit.small_data import humaneval

pytestmark = pytest.mark.usefixtures("jail")

TASKS, N = 3, 2
TOTAL = TASKS * N


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with three tasks."""
    humaneval(tmp_path, TASKS)
    return tmp_path


def server(**options: Any) -> StubServer:
    """Two answers, which the seed chooses from."""
    return StubServer(Script.of({"": ["    return x + 0\n", "    return x - 1\n"]}), **options)


def run(place: Path, serving: StubServer, out: str, *more: object, **environment: str) -> Said:
    """Ask for two answers a task, with a cache in the folder."""
    line = ("run", "humaneval", "--data", "tasks.jsonl", "--n", N, "--workers", 1, "--prompts", "row")
    model = ("--model", "openai:m", "--base-url", serving.base_url, "--out", out)
    kept = {"BENCHWRIGHT_NO_CACHE": "", "XDG_CACHE_HOME": str(place / "cache"), "OPENAI_API_KEY": ""}
    return called(*line, *model, *more, cwd=place, **{**kept, **environment})


def asked(serving: StubServer) -> int:
    """How many questions came."""
    return sum(each["path"].endswith("/completions") for each in serving.requests())


def _port(serving: StubServer) -> int:
    """Where it is served, for another at the same address."""
    return int(serving.base_url.rsplit(":", 1)[1].split("/")[0])


def answers(place: Path, out: str) -> list[dict[str, Any]]:
    """The stored answers."""
    return [json.loads(line) for line in (place / out / "answers.jsonl").read_text().splitlines()]


def test_a_second_run_asks_nothing(place: Path) -> None:
    with server() as serving:
        first = run(place, serving, "first")
        assert (first.code, asked(serving)) == (0, TOTAL), first.err
        second = run(place, serving, "second")
        assert (second.code, asked(serving)) == (0, TOTAL), second.err

    assert "6 answers of earlier runs taken from the cache" in second.err and "--no-cache" in second.err
    stripped = [
        {key: value for key, value in each.items() if key != "cached"} for each in answers(place, "second")
    ]
    assert stripped == answers(place, "first") and all(each["cached"] for each in answers(place, "second"))
    score = json.loads((place / "second" / "scores.json").read_text())
    assert any("6 of 6 answers were not asked for by this run" in note for note in score["notes"])
    assert score["metrics"] == json.loads((place / "first" / "scores.json").read_text())["metrics"]


def test_more_answers_ask_for_the_rest_alone(place: Path) -> None:
    with server() as serving:
        run(place, serving, "few")
        more = run(place, serving, "more", "--n", 3)
        assert (more.code, asked(serving)) == (0, 3 * TASKS), more.err


@pytest.mark.parametrize(
    "changed", [("--seed", 9), ("--temperature", 0.1), ("--max-tokens", 77), ("--model-id", "x")]
)
def test_what_decides_an_answer_asks_anew(place: Path, changed: tuple[object, ...]) -> None:
    with server() as serving:
        run(place, serving, "first")
        run(place, serving, "second", *changed)
        assert asked(serving) == 2 * TOTAL


def test_another_server_is_asked_anew(place: Path) -> None:
    with server() as one, server() as other:
        run(place, one, "first")
        run(place, other, "second")
        assert (asked(one), asked(other)) == (TOTAL, TOTAL)


def test_other_weights_under_the_same_name_and_address_are_asked_anew(place: Path) -> None:
    """What the list of models says is part of what an answer hangs on; a stub that lists `m` stands for them."""
    with server() as serving:
        run(place, serving, "first")
        port = _port(serving)
    with server(models=["m"], port=port) as serving:
        run(place, serving, "second")
        assert asked(serving) == TOTAL


@pytest.mark.parametrize("off", [("--no-cache",), ()])
def test_without_the_cache_nothing_is_taken_or_kept(place: Path, off: tuple[str, ...]) -> None:
    environment = {} if off else {"BENCHWRIGHT_NO_CACHE": "1"}
    with server() as serving:
        run(place, serving, "first", *off, **environment)
        assert not (place / "cache" / "benchwright" / "answers.sqlite3").exists()
        run(place, serving, "second")
        run(place, serving, "third", *off, **environment)
        assert asked(serving) == 3 * TOTAL


def test_failures_are_not_kept(place: Path) -> None:
    with server(faults=["context-length:one_in=2"]) as serving:
        failing, port = run(place, serving, "first"), _port(serving)
    stored = answers(place, "first")
    failed = sum("error" in each for each in stored)
    assert failing.code == 0 and 0 < failed < TOTAL
    with server(port=port) as again:
        second = run(place, again, "second")
        assert (second.code, asked(again)) == (0, failed)


def test_answers_of_the_cache_cost_a_budget_nothing(place: Path) -> None:
    prices = ("--price-in", 1, "--price-out", 1)
    with server() as serving:
        run(place, serving, "first", *prices)
        said = run(place, serving, "second", *prices, "--budget", "0.0000001")
    assert said.code == 0, said.err


def test_a_damaged_cache_costs_a_note_and_nothing_else(place: Path) -> None:
    kept = place / "cache" / "benchwright" / "answers.sqlite3"
    kept.parent.mkdir(parents=True, mode=0o700)
    kept.write_bytes(b"rubbish" * 1000)
    kept.chmod(0o600)
    with server() as serving:
        said = run(place, serving, "first")
    told = " ".join(said.err.split())
    assert said.code == 0 and "cannot be used" in told and "the run continues without it" in told
    assert len(answers(place, "first")) == TOTAL


def test_its_size_is_shown_and_it_is_cleared(place: Path) -> None:
    own = {"XDG_CACHE_HOME": str(place / "cache")}
    assert called("cache", "--json", **own).document["answers"] == 0
    with server() as serving:
        run(place, serving, "first")
    shown = called("cache", **own)
    assert shown.out.startswith(f"{TOTAL} answers, ") and "of at most 1,074 MB" in shown.out
    document = called("cache", "--clear", "--json", **own).document
    assert document["answers"] == document["bytes"] == 0
    with server() as serving:
        run(place, serving, "second")
        assert asked(serving) == TOTAL
