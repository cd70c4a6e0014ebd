"""The judges of a run by their specs, and refusals before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.contracts import RequestOptions
from benchwright.errors import BenchwrightError
from benchwright.running.model_judges import _judged_by, _rules, open_judges, settle_judges
from benchwright.running.options import JudgeOptions, RunOptions
from benchwright.tracks.correctness.track import TRACK as LABELS
from benchwright.tracks.issues.track import TRACK as ISSUES


def options(*specs: str, votes: int | None = None, **asking: Any) -> JudgeOptions:
    """Return judges that no server serves."""
    return JudgeOptions(specs=specs, votes=votes, asking=RequestOptions(options="--judge-", **asking))


def names(*specs: str, **more: Any) -> list[str]:
    """Return the names of the judges."""
    return [each.name for each in open_judges(options(*specs, **more), ISSUES.rubrics)]


def test_a_name_holds_the_model_and_all_that_decides() -> None:
    """Temperature, votes and the name are included; address and speed are not."""
    plain = names("openai:team/judge-7b")
    same = names("openai:team/judge-7b", base_url="http://localhost:1/v1", concurrency=2)
    others = [
        names("openai:team/judge-7b", **more) for more in ({"temperature": 0.5}, {"votes": 3}, {"seed": 7})
    ]

    assert plain == same
    assert plain[0].startswith("judge-7b-")
    assert len({plain[0], *(each[0] for each in others)}) == 4


def test_a_judge_may_have_a_server_of_its_own() -> None:
    """The address is not part of its name; a revision after an @ is."""
    here, there = open_judges(options("openai:a@http://localhost:1/v1", "openai:b@main"), ("issues",))

    assert (here.called, here.asking.base_url) == ("a", "http://localhost:1/v1")
    assert (there.called, there.asking.base_url) == ("b@main", None)


def test_votes_are_sampled_and_one_is_not() -> None:
    once, thrice = (open_judges(options("openai:a", votes=n), ("issues",))[0] for n in (1, 3))

    assert (once.asking.temperature, once.votes, thrice.asking.temperature, thrice.votes) == (0.0, 1, 0.6, 3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (options("gold:"), "has the answers of a data set"),
        (options("judge"), "has no scheme"),
        (options("openai:a", "openai:a"), "given twice"),
        (options("openai:a", votes=0), "--votes 0: must be from 1"),
        (options("openai:a", votes=3, temperature=0.0), "all votes would be equal"),
        (options("openai:a", temperature=-1.0), "--judge-temperature -1"),
        (options("openai:a", budget=1.0), "--judge-budget needs the prices"),
        (options("replay:"), "needs a run folder"),
        (options("replay:/nowhere"), "path not found:"),
        (options(""), "the name is empty"),
    ],
)
def test_what_cannot_judge_is_refused(given: JudgeOptions, message: str) -> None:
    """Each error has a hint, and the names of the options."""
    with pytest.raises(BenchwrightError, match=message):
        open_judges(given, ISSUES.rubrics)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"judges": options(votes=3)}, "--votes needs a model judge"),
        ({"judges": options("openai:a"), "keep_tasks": False}, "quote the tasks"),
    ],
)
def test_what_a_run_cannot_have_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BenchwrightError, match=message):
        settle_judges(RunOptions(track="t", data="d", model="m", **given), ISSUES)


def test_a_track_without_exhibits_has_no_judges() -> None:
    run = RunOptions(track="t", data="d", model="m", judges=options("openai:a"))
    with pytest.raises(BenchwrightError, match="judged without a model"):
        settle_judges(run, LABELS)  # type: ignore[arg-type]

    assert settle_judges(RunOptions(track="t", data="d", model="m"), LABELS) == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "holds"),
    [
        ({}, True),
        ({"issues.zh": None}, True),  # of a version that did not have it
        ({"issues.ru": "0" * 32}, False),
        ({"issues.fr": "0" * 32}, False),
        (dict.fromkeys(("issues.en", "issues.ru", "issues.zh")), False),
    ],
)
def test_replies_of_a_version_with_fewer_languages_are_read(
    changed: dict[str, str | None], holds: bool
) -> None:
    """Known rubrics must be unchanged."""
    rules = _rules(["issues"])
    recorded = {name: key for name, key in {**rules["rubrics"], **changed}.items() if key is not None}

    assert _judged_by(rules, {**rules, "rubrics": recorded}) is holds
    assert not _judged_by(rules, {**rules, "reading": -1})
