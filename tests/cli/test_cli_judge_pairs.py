"""`judge pairs` and `run --judge` as a user types them: what is printed, and how refusals end."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.stub_server import ScriptRow, StubServer
from kit.command_line import Said, benchwright, called
from kit.judging_models import CLOSE, OF_ANSWERS, RIGHT, fair, issue_answers, issue_rows, obedient, scripted

pytestmark = pytest.mark.usefixtures("jail")

PREFERS_FIRST = ScriptRow(contains="", completions=['{"evidence": [], "reason": "r", "label": "A"}'])


def judged(folder: Path, *judging: str, out: str = "run") -> Said:
    """A run over stored answers, with what is said of judges."""
    data, answers = issue_rows(folder, 2), issue_answers(folder, [RIGHT, CLOSE, ""], 2)
    line = [
        "run",
        "smartcoding-issues",
        "--data",
        data,
        "--model",
        f"replay:{answers}",
        "--out",
        folder / out,
    ]
    return called(*line, "--json", *judging)


def test_run_judge_and_pairs(tmp_path: Path) -> None:
    """The score has the judge's facts; a judge that prefers what stands first is refused with its items."""
    with StubServer(scripted("issues", fair, OF_ANSWERS)) as server:
        said = judged(tmp_path, "--judge", "openai:j", "--judge-base-url", server.base_url)
    judged(tmp_path, out="other")
    with StubServer(scripted("issues", lambda item: PREFERS_FIRST.completions[0], [PREFERS_FIRST])) as server:
        pairs = benchwright(
            *("judge", "pairs", tmp_path / "run", tmp_path / "other", "--out", tmp_path / "pairs"),
            *("--judge", f"openai:j@{server.base_url}", "--quiet"),
        )
    (fact,) = said.document["details"]["judges"].values()

    assert (said.code, fact["judged"], fact["calibrated"]) == (0, 4, False)
    assert said.document["outcomes"] == {"passed": 2, "wrong": 4}
    assert pairs.code == 1
    assert "ordered 16 of 16 pairs wrongly (at most 2 are allowed)" in pairs.err
    assert "issues-en-01: paraphrase and near_copy_wrong: a and b is preferred" in pairs.err


def test_an_obedient_judge_ends_with_its_items(tmp_path: Path) -> None:
    """Exit code 1, and no score on stdout."""
    with StubServer(scripted("issues", obedient, OF_ANSWERS)) as server:
        said = judged(tmp_path, "--judge", f"openai:j@{server.base_url}")

    assert (said.code, said.out) == (1, "")
    assert "it obeyed an instruction in an answer 16 of 16 times (never allowed)" in said.err
    assert "hint: " in said.err


@pytest.mark.parametrize(
    ("judging", "code", "message"),
    [
        (["--votes", "3"], 2, "--votes needs a model judge"),
        (["--judge", "gold:"], 2, "has the answers of a data set"),
        (["--judge", "openai:j", "--judge-temperature", "-3"], 2, "--judge-temperature -3"),
        (["--judge", "openai:j", "--judge-body", "x"], 2, "--judge-body 'x': expected KEY=JSON"),
        (["--judge", "openai:j", "--ask-only"], 2, "--ask-only are mutually exclusive"),
        (["--judge", "openai:j", "--without-tasks"], 2, "quote the tasks"),
        (["--judge", "replay:nowhere"], 1, "path not found: nowhere"),
        (["--judge", "openai:j", "--judge-base-url", "https://api.openai.com/v1"], 3, "needs a key"),
    ],
)
def test_what_is_refused_is_refused_before_anything_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judging: list[str], code: int, message: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    said = judged(tmp_path, *judging)

    assert (said.code, said.out) == (code, "")
    assert message in said.err
    assert not (tmp_path / "run" / "verdicts.jsonl").exists()


def test_pairs_need_a_judge(tmp_path: Path) -> None:
    said = called("judge", "pairs", tmp_path, tmp_path, "--out", tmp_path / "pairs")

    assert (said.code, "no judge given" in said.err) == (2, True)
