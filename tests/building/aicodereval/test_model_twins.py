"""The other twin: programs that follow their model pass there, and those that have its outputs written down do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from benchwright.building.adequacy.examination_records import SolvedTask
from benchwright.building.aicodereval.draft_execution import DraftExecution, solved_task, spec_for
from benchwright.building.aicodereval.draft_records import ExaminedDraft
from benchwright.building.aicodereval.model_twins import cases_of, table_program, try_second_weights
from benchwright.building.aicodereval.release_options import EntryBounds
from benchwright.cases.reading import LITERAL
from benchwright.contracts import Decision, Job, Judgement, LevelsSpec, RepliesSpec
from benchwright.executing import trials
from benchwright.executing.trials import Trials
from benchwright.records import Outcome
from benchwright.sandbox.codec import encode
from benchwright.tracks.aicodereval.entry import Weights
from benchwright.tracks.aicodereval.stand_in_models import TwinRequest
from kit.made_drafts import EDGE, NORMAL, RIGHT, case, draft

CASES = [
    case("text", NORMAL, ["good"], value="A"),
    case("empty", EDGE, [""], raises="ValueError"),
    case("other", RIGHT, ["bad"], value="B"),
]
A = [("value", encode("A")), ("exception", b"ValueError: empty"), ("value", encode("B"))]
B = [("value", encode("B")), ("exception", b"ValueError: empty"), ("value", encode("A"))]
Ends = Callable[[str, LevelsSpec], Judgement]
PASSED, WRONG = Judgement(outcome=Outcome.passed), Judgement(outcome=Outcome.wrong, detail="gave A")


@pytest.fixture(autouse=True)
def locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is executed here, so the profile need not be installed."""
    monkeypatch.setattr(trials, "environment_lock", lambda name: {name: "1"})


def task(*alternatives: str) -> SolvedTask:
    """A task whose model has twins."""
    one = draft("twins", "def f(text):", "return model(text)", CASES, environment="torch")
    return solved_task(msgspec.structs.replace(one, alternatives=list(alternatives)))


class ScriptedTwins:
    """An executor: the canonical solution gives what the test says on each twin, and programs end as it says."""

    size = 1

    def __init__(self, ends: Ends, other: list[tuple[str, bytes]] = B) -> None:
        self._ends, self._other = ends, other

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Nothing is executed."""
        for job in jobs:
            spec = job.criterion.spec
            assert isinstance(job.given, str)
            if isinstance(spec, RepliesSpec):
                replies = A if spec.links["hub"] == "/twins/A/hub" else self._other
                yield job.number, Judgement(outcome=Outcome.passed, payload=msgspec.msgpack.encode(replies))
                continue
            assert isinstance(spec, LevelsSpec)
            assert spec.links["hub"] == "/twins/B/hub"
            yield job.number, self._ends(job.given, spec)


def tried(folder: Path, ends: Ends, one: SolvedTask, other: list[tuple[str, bytes]] = B) -> Decision:
    """What is decided about a task."""
    folder.mkdir(exist_ok=True)
    with Trials(folder / "trials.jsonl", ScriptedTwins(ends, other)) as trials:
        [found] = try_second_weights([one], trials)
    assert found.missing is None
    return found.decision


def by_model(program: str, spec: LevelsSpec) -> Judgement:
    """Who asks the model passes."""
    return PASSED if "model(" in program else WRONG


def test_a_program_that_follows_its_model(tmp_path: Path) -> None:
    """On B what the canonical solution gives there must come, and A's values written down fail."""
    seen = []

    def ends(program: str, spec: LevelsSpec) -> Judgement:
        seen.append([each.expected.value or each.expected.raises for each in spec.cases])
        return by_model(program, spec)

    found = tried(tmp_path, ends, task("def f(text): return model(text)\n"))

    assert (found.reason, found.evidence) == ("", {"executions": 2, "tried": 4})
    assert seen == [["B", "ValueError", "A"]] * 4


def test_a_table_of_outputs_that_passes(tmp_path: Path) -> None:
    """Then no case shows whether the model was asked."""
    found = tried(tmp_path, lambda *_: PASSED, task())

    assert (found.reason, found.detail.split()[-5:]) == (
        "ignores_weights",
        ["passes", "on", "the", "other", "stand-in"],
    )


def test_an_alternative_with_outputs_written_down(tmp_path: Path) -> None:
    """It was right on A alone, so it is no right solution."""
    found = tried(tmp_path, by_model, task("def f(text): return {'good': 'A', 'bad': 'B'}[text]\n"))

    assert (found.reason, found.detail) == ("ignores_weights", "alternative 1 fails on the other stand-in")


@pytest.mark.parametrize("other", [[("exception", b"KeyError: 'x'"), *B[1:]], B[:1]])
def test_a_solution_that_gives_nothing_on_the_other(tmp_path: Path, other: list[tuple[str, bytes]]) -> None:
    """It was fitted to one stand-in, as was one that does not give the same again."""
    unsteady = tried(tmp_path / "a", lambda *_: WRONG, task())
    broken = tried(tmp_path / "b", lambda *_: PASSED, task(), other)

    assert (unsteady.reason, unsteady.detail) == ("fails_on_other_twin", "wrong gave A")
    assert broken.reason == "fails_on_other_twin"


def test_a_sandbox_that_fails_decides_nothing(tmp_path: Path) -> None:
    """The trial is handed out, so that the draft is tried again."""
    gone = Judgement(outcome=Outcome.sandbox_error, detail="no room")
    with Trials(tmp_path / "trials.jsonl", ScriptedTwins(lambda *_: gone)) as trials:
        [found] = try_second_weights([task()], trials)

    assert found.missing is not None
    assert (found.missing.detail, found.decision) == ("no room", Decision())


def test_a_draft_that_ignores_its_weights_is_not_certified(tmp_path: Path) -> None:
    """Twins are made before it is tried; what the other one shows stands in its admission as a gate's decision."""
    one = draft("ignores", "def f(text):", _LOADS, CASES, imports=_IMPORTS, environment="torch")
    gold, asked = solved_task(one).gold, []

    class Steady(ScriptedTwins):
        def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
            for job in jobs:
                spec = job.criterion.spec
                if isinstance(spec, LevelsSpec) and spec.links["hub"] == "/twins/A/hub":
                    yield job.number, PASSED if job.given == gold else WRONG
                else:
                    yield from super().judge([job])

    def make(requests: Sequence[TwinRequest]) -> dict[str, str]:
        asked.extend(each.id for each in requests)
        return {}

    with Trials(tmp_path / "trials.jsonl", Steady(lambda *_: PASSED)) as trials:
        [found] = DraftExecution(EntryBounds(), make).tried([ExaminedDraft(draft=one)], trials)

    assert isinstance(found, ExaminedDraft)
    assert (asked, found.draft.entry.weights) == (["sst"], Weights.stand_in)
    assert found.decisions["weights"].reason == "ignores_weights"


_IMPORTS = ("from transformers import pipeline",)
_LOADS = "return pipeline('text-classification', model='sst')(text)[0]['label']"


def test_an_entry_gets_the_values_of_both_twins(tmp_path: Path) -> None:
    """So a run judges by both; exceptions are asked for on either, and no value is written as such."""
    with Trials(
        tmp_path / "trials.jsonl", ScriptedTwins(by_model, [*B[:2], ("value", encode(None))])
    ) as trials:
        [found] = try_second_weights([task()], trials)

    assert found.cases is not None
    assert [(each.expected.value, each.expected.twin_value) for each in found.cases] == [
        ("A", "B"),
        (None, None),
        ("B", {LITERAL: "None"}),
    ]


def test_where_nothing_steady_comes_no_value_is_stated(tmp_path: Path) -> None:
    """The entry is judged on the first twin alone."""
    with Trials(tmp_path / "trials.jsonl", ScriptedTwins(lambda *_: WRONG)) as trials:
        [found] = try_second_weights([task()], trials)

    assert found.cases is None


def test_values_of_an_earlier_release_are_found_out_anew() -> None:
    """A draft may bring them: it is tried on one twin at a time."""
    cases = [case("text", NORMAL, ["good"], value="A", twin_value="stale"), *CASES[1:]]
    one = draft("again", "def f(text):", "return model(text)", cases, environment="torch")
    entry = msgspec.structs.replace(one.entry, weights=Weights.stand_in)
    spec = solved_task(msgspec.structs.replace(one, entry=entry)).spec

    assert isinstance(spec, LevelsSpec)
    assert spec_for(entry).twin_links
    assert (spec.links["hub"], spec.twin_links) == ("/twins/A/hub", {})


def test_a_table_gives_what_was_given() -> None:
    """Values and exceptions, for the calls that it knows."""
    spec = task().spec
    assert isinstance(spec, LevelsSpec)
    defined: dict[str, Callable[..., str]] = {}
    exec(table_program(spec, A), defined)  # our own text over our own values

    assert [defined["f"](text) for text in ("good", "bad")] == ["A", "B"]
    with pytest.raises(ValueError, match="ValueError"):
        defined["f"]("")


def test_properties_hold_on_any_twin() -> None:
    """Only values are replaced, and their tolerances stay."""
    cases = [
        case("a", NORMAL, [1], value=1.0, rel_tol=0.1),
        case("b", RIGHT, [1], properties={"type": "float"}),
    ]
    found = cases_of(cases, [("value", encode(2.0))] * 2)

    assert (found[0].expected.value, found[0].expected.rel_tol, found[1]) == (2.0, 0.1, cases[1])
