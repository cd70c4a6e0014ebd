"""`run smartcoding-comments --judge` at a stub server, from stored answers to `show`: every reply is seen again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.stub_server import ScriptRow, StubServer
from kit.command_line import Said, benchwright, called, contents
from kit.graded_runs import ANSWER, comment_row
from kit.judging_models import rates, scripted
from kit.small_data import write

pytestmark = pytest.mark.usefixtures("jail")

RUN = ("run", "smartcoding-comments", "--data", "rows.jsonl", "--model", "replay:mine.jsonl", "--out", "run")


def judged(place: Path, url: str, by: Callable[..., Said] = benchwright) -> Said:
    """The run with its judge."""
    return by(*RUN, "--judge", f"openai:j@{url}", "--json", cwd=place)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, int]:
    """Three answers, one of them to changed code: the folder, the score, and how often the server was asked."""
    folder = tmp_path_factory.mktemp("judged")
    write(folder / "rows.jsonl", [comment_row(number) for number in range(1, 4)])
    texts = {number: f"```python\n{ANSWER.replace('area', f'area_{number}')}```" for number in range(1, 4)}
    texts[3] = "```python\nx = 1\n```"
    write(folder / "mine.jsonl", [{"task_id": at, "completion": text} for at, text in texts.items()])
    script = scripted("comments", rows=[ScriptRow(contains="", completions=[rates(4)])])
    with StubServer(script) as server:
        said = judged(folder, server.base_url)
        before, asked = contents(folder / "run"), len(server.requests())
        again = judged(folder, server.base_url, by=called)
        assert (again.code, len(server.requests())) == (0, asked)
        assert contents(folder / "run") == before
    assert said.code == 0, said.err
    return folder, said.document, asked


def test_the_score_holds_what_the_judge_said(place: tuple[Path, Any, int]) -> None:
    """A rating of four of five is 75 %; code that was changed is settled by rules and shown to nobody."""
    _, score, asked = place
    (fact,) = score["details"]["judges"].values()

    assert score["outcomes"] == {"scored": 2, "wrong": 1}
    assert (fact["judged"], fact["missing"], fact["unparsable"]) == (2, 0, 0)
    assert asked > fact["judged"]  # it has proven itself on a contrast set first


def test_show_prints_each_assessment(place: tuple[Path, Any, int]) -> None:
    """Scores and reasons for people, the whole record in JSON; nothing where nobody was asked."""
    folder, _, _ = place
    said = called("show", "run", "1", cwd=folder)
    whole = called("show", "run", "1", "--json", cwd=folder).document
    wrong = called("show", "run", "3", cwd=folder)
    (assessment,) = whole["answers"][0]["assessments"]

    assert f"judge {assessment['judge']}: accuracy 75.0 %, logic 75.0 %" in said.out
    assert f"judge {assessment['judge']} on logic: as it is" in said.out
    assert (assessment["status"], assessment["scores"]) == ("judged", {"accuracy": 0.75, "logic": 0.75})
    assert (wrong.code, "judge " in wrong.out) == (0, False)
    assert "assessments" not in called("show", "run", "3", "--json", cwd=folder).document["answers"][0]
