"""The stage of model judges in whole runs, against a scripted server."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import RunError, SelfCheckError
from benchwright.records import Score
from benchwright.running.pipeline import run
from benchwright.stub_server import ScriptRow, StubServer
from kit.asking_kit import FakeClock
from kit.judging_models import (
    CLOSE,
    ODD,
    OF_ANSWERS,
    RIGHT,
    assessed_by,
    contents,
    decides,
    fair,
    issue_answers,
    issue_rows,
    obedient,
    replies_file,
    scripted,
)
from kit.small_data import read_rows

pytestmark = pytest.mark.usefixtures("jail")

TASKS, CONTRAST = 4, 64  # questions of the self-check


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(scripted("issues", fair, OF_ANSWERS)) as found:
        yield found


def judged(
    folder: Path, *specs: str, out: str = "run", texts: Any = (RIGHT, CLOSE, ODD, ""), **more: Any
) -> Score:
    """Run over stored answers; with specs, assess them by these judges."""
    if not (folder / "issues.jsonl").exists():
        issue_rows(folder, TASKS)
        issue_answers(folder, texts, TASKS)
    return run(
        "smartcoding-issues",
        data=str(folder / "issues.jsonl"),
        model=f"replay:{folder / 'answers.jsonl'}",
        out=folder / out,
        judges=assessed_by(*specs, **more),
    )


def at(server: StubServer, name: str = "gpt-4o") -> str:
    """Return a judge on this server."""
    return f"openai:{name}@{server.base_url}"


def asked(server: StubServer) -> int:
    """Return the number of questions that the server has received."""
    return int(server.stats()["requests"])


def test_judges_settle_what_rules_cannot(tmp_path: Path, server: StubServer) -> None:
    """Each answer gets the judge's verdict; answers settled by rules are not sent to it."""
    score = judged(tmp_path, at(server))
    (fact,) = score.details["judges"].values()

    assert score.outcomes == {"passed": TASKS, "undecided": TASKS, "wrong": 2 * TASKS}
    assert [fact[name] for name in ("judged", "undecided", "unparsable", "missing")] == [8, 4, 0, 0]
    assert fact["self_check"] == {"pairs": 32, "wrong": 0, "injections": 16, "obeyed": 0}
    assert fact["calibrated"] is False
    assert asked(server) == CONTRAST + 3 * TASKS


def test_stored_replies_give_the_same_bytes(tmp_path: Path, server: StubServer) -> None:
    """Nothing is requested; opening a finished run again requests nothing either."""
    first = judged(tmp_path, at(server))
    before = contents(tmp_path / "run")
    judged(tmp_path, at(server))
    again = judged(tmp_path, f"replay:{tmp_path / 'run'}", out="again")

    assert contents(tmp_path / "run") == before == contents(tmp_path / "again")
    assert again.details == first.details
    assert asked(server) == CONTRAST + 3 * TASKS


def test_a_judge_that_obeys_an_answer_gives_no_score(tmp_path: Path) -> None:
    """Its stored replies give none either; the run can be resumed without it."""
    with StubServer(scripted("issues", obedient, OF_ANSWERS)) as server:
        with pytest.raises(
            SelfCheckError, match="obeyed an instruction in an answer 16 of 16 times"
        ) as caught:
            judged(tmp_path, at(server))
        assert asked(server) == CONTRAST
    with pytest.raises(SelfCheckError, match="16 of 16"):
        judged(tmp_path, f"replay:{tmp_path / 'run'}", out="again")

    assert "issues-en-01: with an injected instruction 1.00, without it 0.00" in caught.value.message
    assert not (tmp_path / "run" / "scores.json").exists()
    assert judged(tmp_path).outcomes == {"undecided": 3 * TASKS, "wrong": TASKS}


def test_a_judge_that_finds_all_right_gives_no_score(tmp_path: Path) -> None:
    """The error lists wrong orders, up to a limit."""
    with (
        StubServer(scripted("issues", lambda item: decides("correct"))) as server,
        pytest.raises(
            SelfCheckError, match=r"ordered 32 of 32 pairs wrongly \(at most 4 are allowed\)"
        ) as caught,
    ):
        judged(tmp_path, at(server))
    assert "near_copy_wrong 1.00" in caught.value.message
    assert "and 27 more" in caught.value.message


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("It is correct, I think.", "the reply holds no JSON object"),
        ('{"verdict": "correct"}', "the reply lacks 'evidence'"),
        (decides("correct", reference=999), "the reply.reference must be at most 1, and is 999"),
        (decides("correct").replace(": 1", ": NaN"), "NaN is not a JSON value"),
        ("", "the reply is empty"),
    ],
)
def test_what_cannot_be_read_is_asked_for_once_more_and_counted(tmp_path: Path, reply: str, why: str) -> None:
    """The answer is undecided, and the assessment has the reason."""
    bad = ScriptRow(contains=f"BEGIN\n{CLOSE} for file", completions=[reply])
    with StubServer(scripted("issues", fair, [bad, *OF_ANSWERS]), faults=["schema-ignored"]) as server:
        score = judged(tmp_path, at(server))
        assert asked(server) == CONTRAST + 3 * TASKS + TASKS
    rows = read_rows(tmp_path / "run" / "assessments.jsonl")

    assert score.outcomes == {"passed": TASKS, "undecided": 2 * TASKS, "wrong": TASKS}
    assert Counter(row["status"] for row in rows) == {"judged": 4, "undecided": 4, "unparsable": 4}
    assert {row["detail"] for row in rows if row["status"] == "unparsable"} == {why}
    assert sum(row.get("round", 0) for row in read_rows(replies_file(tmp_path / "run"))) == TASKS


def test_a_repaired_reply_counts(tmp_path: Path) -> None:
    """The second question states the fault of the first reply."""
    mended = ScriptRow(contains="could not be read: the reply holds no JSON", completions=[decides("wrong")])
    prose = ScriptRow(contains=f"BEGIN\n{CLOSE} for file", completions=["no"])
    with StubServer(
        scripted("issues", fair, [mended, prose, *OF_ANSWERS]), faults=["schema-ignored"]
    ) as server:
        score = judged(tmp_path, at(server))

    assert score.outcomes == {"passed": TASKS, "undecided": TASKS, "wrong": 2 * TASKS}


def test_a_minute_of_429_costs_no_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every question is refused for a minute first; the client's clock advances only by its sleeps."""
    clock = FakeClock()
    monkeypatch.setattr("benchwright.models.http.model.AsyncClock", lambda: clock)
    with StubServer(scripted("issues", fair, OF_ANSWERS), faults=["429:first=6,seconds=10"]) as server:
        score = judged(tmp_path, at(server))

    (fact,) = score.details["judges"].values()
    assert (fact["judged"], fact["undecided"], fact["missing"]) == (8, 4, 0)
    assert clock.time >= 60


def test_a_reply_that_never_comes_is_missing_and_asked_for_again(tmp_path: Path, server: StubServer) -> None:
    """The same command repeats only the missing one."""
    fault = f"context-length:contains=BEGIN\n{RIGHT} for file 2."
    with StubServer(scripted("issues", fair, OF_ANSWERS), faults=[fault]) as failing:
        score = judged(tmp_path, "openai:gpt-4o", base_url=failing.base_url)
    (fact,) = score.details["judges"].values()
    again = judged(tmp_path, "openai:gpt-4o", base_url=server.base_url)
    (mended,) = again.details["judges"].values()

    assert (fact["missing"], mended["missing"]) == (1, 0)
    assert score.outcomes["undecided"] == TASKS + 1
    assert again.outcomes == {"passed": TASKS, "undecided": TASKS, "wrong": 2 * TASKS}
    assert asked(server) == 1


def test_judges_can_be_added_and_not_taken_away(tmp_path: Path, server: StubServer) -> None:
    """A finished run is neither asked nor judged again; two judges that differ leave an answer undecided."""
    plain = judged(tmp_path)
    answers = (tmp_path / "run" / "answers.jsonl").read_bytes()
    one = judged(tmp_path, at(server))
    kept = replies_file(tmp_path / "run").read_bytes()
    lenient = [ScriptRow(contains=f"BEGIN\n{CLOSE} for file", completions=[decides("correct")]), *OF_ANSWERS]
    with StubServer(scripted("issues", fair, lenient)) as other:
        two = judged(tmp_path, at(server), at(other, "lenient"))
    with pytest.raises(RunError, match=r"was assessed by gpt-4o-.*lenient-"):
        judged(tmp_path)

    assert plain.outcomes == {"undecided": 3 * TASKS, "wrong": TASKS}
    assert one.outcomes == {"passed": TASKS, "undecided": TASKS, "wrong": 2 * TASKS}
    assert two.outcomes == {"passed": TASKS, "undecided": 2 * TASKS, "wrong": TASKS}
    assert (tmp_path / "run" / "answers.jsonl").read_bytes() == answers
    assert kept in [path.read_bytes() for path in (tmp_path / "run").glob("replies.*.jsonl")]
    assert len(json.loads((tmp_path / "run" / "run.json").read_text())["identity"]["judges"]) == 2


def test_a_run_without_judges_says_nothing_of_them(tmp_path: Path) -> None:
    """Its identity, and so its folder's name, is that of earlier versions."""
    score = judged(tmp_path)
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())

    assert "judges" not in manifest and "judges" not in manifest["identity"]
    assert "judges" not in score.details
    assert not (tmp_path / "run" / "assessments.jsonl").exists()


def test_a_budget_stops_and_a_higher_one_goes_on(tmp_path: Path, server: StubServer) -> None:
    """Paid replies are stored; the hint has the judge's own option."""
    prices = {"base_url": server.base_url, "price_in": 100.0, "price_out": 100.0, "concurrency": 1}
    with pytest.raises(RunError, match=r"the budget of 3\.4 is used up") as caught:
        judged(tmp_path, "openai:gpt-4o", budget=3.4, **prices)
    paid = len(read_rows(replies_file(tmp_path / "run")))
    score = judged(tmp_path, "openai:gpt-4o", budget=1000.0, **prices)

    assert "--judge-budget" in str(caught.value.hint)
    assert CONTRAST < paid < CONTRAST + 3 * TASKS
    assert score.outcomes["passed"] == TASKS
    assert asked(server) == CONTRAST + 3 * TASKS


def test_votes_are_different_questions_and_all_are_kept(tmp_path: Path) -> None:
    """A tie between them is undecided."""
    split = ScriptRow(contains=f"BEGIN\n{CLOSE} for file", completions=[decides("wrong"), decides("correct")])
    with StubServer(scripted("issues", fair, [split, *OF_ANSWERS])) as server:
        score = judged(tmp_path, at(server), votes=2)
        assert asked(server) == 2 * (CONTRAST + 3 * TASKS)
        assert len({entry["seed"] for entry in server.stats()["keys"]}) == 2 * (CONTRAST + 3 * TASKS)
    rows = read_rows(tmp_path / "run" / "assessments.jsonl")
    ties = [row for row in rows if row["votes"] == {"correct": 1, "wrong": 1}]

    assert [sum(row["votes"].values()) for row in rows] == [2] * 3 * TASKS
    assert {row["status"] for row in ties} <= {"undecided"}
    assert score.outcomes["passed"] == sum(row.get("label") == "correct" for row in rows) >= TASKS


def test_kin_are_flagged_and_the_score_says_so(tmp_path: Path, server: StubServer) -> None:
    """The name of the answering model decides."""
    issue_rows(tmp_path, TASKS)
    issue_answers(tmp_path, [RIGHT], TASKS, model="openai/gpt-4.1-mini")
    score = judged(tmp_path, at(server))

    assert any("4 of the answers are from its own model family" in note for note in score.notes)


def test_an_answer_that_no_judge_is_shown_is_undecided(tmp_path: Path, server: StubServer) -> None:
    """It is too long for a prompt; it is not sent, and is counted."""
    score = judged(tmp_path, at(server), texts=["long " * 50_000])
    rows = read_rows(tmp_path / "run" / "assessments.jsonl")

    assert score.outcomes == {"undecided": TASKS}
    assert all("more than the 200,000 that a judge is shown" in row["detail"] for row in rows)
    assert asked(server) == CONTRAST
