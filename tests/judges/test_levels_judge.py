"""Judging by levels: one execution each, values and exceptions compared outside, every level named."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.contracts import CallCase, CaseInput, CaseLevel, ExpectedResult, LevelsSpec, Variation
from benchwright.judges.levels import levels_of
from benchwright.records import Isolation, Outcome
from benchwright.sandbox import environments
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.environments import Environment
from benchwright.sandbox.limits import Limits
from kit.judging import ProgramJudge


@pytest.fixture(scope="module")
def judge(jail: None) -> Iterator[ProgramJudge]:
    with Sandbox(limits=Limits(cpu_s=0.5, wall_s=20.0, memory_mb=256, processes=32)) as sandbox:
        yield ProgramJudge(sandbox)


def case(*args: Any, level: str = "normal", files: Any = None, **expected: Any) -> CallCase:
    name = f"{level} {args!r}"
    given = CaseInput(args=list(args), files=files or {})
    return CallCase(name=name, level=CaseLevel(level), input=given, expected=ExpectedResult(**expected))


def spec(*cases: CallCase, links: dict[str, str] | None = None, order: int | None = None) -> LevelsSpec:
    return LevelsSpec(
        entry_point="f", cases=list(cases), links=links or {}, variation=Variation(order_seed=order)
    )


HALVES = spec(
    case(3, value=1.5, abs_tol=1e-6),
    case("x", level="edge_case", raises="TypeError"),
    case(-1, level="edge_case", raises="ValueError"),
    case(7, level="correctness", value=3.5, rel_tol=1e-6),
    case([2], level="correctness", properties={"type": "float"}),
)
HALF = """
def f(x):
    if isinstance(x, str):
        raise TypeError("text")
    if isinstance(x, list):
        return x[0] / 2
    if x < 0:
        raise ValueError("below 0")
    return x / 2
"""


def test_nothing_is_executed_behind_a_failure(judge: ProgramJudge) -> None:
    """Where that is asked for: the first failing level speaks, as it does without, and the others are no parts."""
    wrong = HALF.replace("x < 0", "x < -9")
    whole = judge.judge(wrong, HALVES)
    until = judge.judge(wrong, msgspec.structs.replace(HALVES, until_failed=True))
    right = judge.judge(HALF, msgspec.structs.replace(HALVES, until_failed=True))

    assert (until.outcome, until.detail) == (whole.outcome, whole.detail) == (Outcome.wrong, whole.detail)
    assert list(whole.parts) == ["normal", "edge_case", "correctness"]
    assert until.parts == {"normal": Outcome.passed, "edge_case": Outcome.wrong}
    assert (right.outcome, len(right.parts)) == (Outcome.passed, 3)


def test_a_right_answer_passes_every_level(judge: ProgramJudge) -> None:
    """Each is a part, separated; its size is measured, and each level's cost counted."""
    found = judge.judge(HALF, HALVES)

    assert (found.outcome, found.isolation, found.detail) == (Outcome.passed, Isolation.separated, "")
    assert found.parts == {
        "normal": Outcome.passed,
        "edge_case": Outcome.passed,
        "correctness": Outcome.passed,
    }
    assert found.scores["code_lines"] == 8 and HALVES.executions == 3


@pytest.mark.parametrize(
    ("old", "new", "ends", "detail"),
    [
        (
            "return x / 2",
            "return x / 3",
            ("wrong", "passed", "wrong"),
            "normal: call 1: f(3) gave 1.0, expected 1.5",
        ),
        (
            "if x < 0",
            "if x < -1",
            ("passed", "wrong", "passed"),
            "edge_case: call 2: f(-1) gave -0.5, expected it to raise ValueError",
        ),
        (
            "raise ValueError",
            "raise KeyError",
            ("passed", "exception", "passed"),
            "edge_case: call 2: f(-1) raised KeyError: 'below 0' (line 8), expected ValueError",
        ),
        (
            "return x[0] / 2",
            "return 1",
            ("passed", "passed", "wrong"),
            "correctness: call 2: f([2]) gave 1, expected type 'float'",
        ),
        (
            "    if x < 0",
            "    if x == 7:\n        while True: pass\n    if x < 0",
            ("passed", "passed", "timed_out"),
            "correctness: used more than 0.5 s of processor time",
        ),
        ("return x / 2", "return (i for i in ())", ("wrong", "passed", "wrong"), None),
    ],
)
def test_each_level_ends_for_itself(
    judge: ProgramJudge, old: str, new: str, ends: tuple[str, ...], detail: str | None
) -> None:
    """The first that fails speaks for the answer, and says which it is."""
    found = judge.judge(HALF.replace(old, new), HALVES)

    assert tuple(found.parts.values()) == ends
    assert found.outcome.value == next(each for each in ends if each != "passed")
    assert detail is None or found.detail == detail


def test_a_level_keeps_nothing_for_the_next(judge: ProgramJudge) -> None:
    """Each is a process of its own, so what one call leaves behind is gone."""
    program = "SEEN = []\ndef f(x):\n    SEEN.append(x)\n    return len(SEEN)"
    levels = spec(case(0, value=1), case(0, value=2), case(0, level="correctness", value=1))

    assert judge.judge(program, levels).outcome is Outcome.passed


@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        ("class Bad(ValueError): pass\ndef f(x): raise Bad(x)", Outcome.passed),
        ("import json\ndef f(x): return json.loads('{')", Outcome.passed),
        ("def f(x): raise Exception(x)", Outcome.exception),
        ("class ValueError(Exception): pass\ndef f(x): raise ValueError(x)", Outcome.exception),
        ("def f(x): return 'ValueError'", Outcome.wrong),
        ("def f(x): raise MemoryError", Outcome.out_of_memory),
        ("def f(x): raise SystemExit(0)", Outcome.exception),
        ("import os\ndef f(x): os._exit(0)", Outcome.exception),
    ],
    ids=["own subclass", "library's subclass", "base", "own of that name", "text", "memory", "exit", "end"],
)
def test_a_subclass_of_the_type_is_raised_too(judge: ProgramJudge, program: str, outcome: Outcome) -> None:
    """Of the answer's own making or a library's; a class that only has the name is another one."""
    found = judge.judge(program, spec(case(1, level="edge_case", raises="ValueError")))

    assert found.outcome is outcome


def test_files_are_there_for_every_level(judge: ProgramJudge) -> None:
    """At the path that the call is given, with links beside them; a plain name is a file that is not there."""
    program = (
        "import os\n"
        "def f(path):\n"
        "    with open(path, encoding='utf-8') as file:\n"
        "        return [file.read(), os.readlink('/tmp/hub')]\n"
    )
    text = {"in.txt": {"kind": "text", "text": "hello"}}
    levels = spec(
        case({"$file": "in.txt"}, files=text, value=["hello", "/twins/A"]),
        case("in.csv", level="edge_case", raises="OSError"),
        links={"hub": "/twins/A"},
    )

    assert judge.judge(program, levels).parts == {"normal": Outcome.passed, "edge_case": Outcome.passed}


def test_literals_stand_for_what_json_cannot_write(judge: ProgramJudge) -> None:
    """On both sides of a call."""
    levels = spec(case({"$literal": "(1, {2})"}, value={"$literal": "({2}, 1)"}))

    assert judge.judge("def f(x): return x[::-1]", levels).outcome is Outcome.passed
    assert judge.judge("def f(x): return list(x[::-1])", levels).outcome is Outcome.wrong


@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        ("def f(x): return sorted(x)", Outcome.passed),
        ("def f(x): return x", Outcome.wrong),
        ("def f(x): return []", Outcome.wrong),
    ],
)
def test_a_value_is_compared_with_that_of_another_call(
    judge: ProgramJudge, program: str, outcome: Outcome
) -> None:
    """It must be the same for the same numbers in another order, and another for other numbers."""
    same, other = {"args": [[3, 1, 2]]}, {"args": [[4, 5]]}
    levels = spec(case([2, 1, 3], properties={"equal_to_call": same, "differs_from_call": other}))

    assert judge.judge(program, levels).outcome is outcome


@pytest.mark.parametrize(
    ("program", "outcome"),
    [
        ("def f(x): return", Outcome.wrong),
        ("def g(x): return x", Outcome.no_entry_point),
        ("def f(x: return", Outcome.syntax_error),
        ("import os\nos.write(3, b'\\0\\0\\0\\0D')\ndef f(x): return 1.5", Outcome.tampered),
        ("1 / 0", Outcome.exception),
    ],
)
def test_answers_that_never_come_to_a_value(judge: ProgramJudge, program: str, outcome: Outcome) -> None:
    """They fail as they do under any other judge."""
    assert judge.judge(program, HALVES).outcome is outcome


def test_no_expected_value_is_anywhere_in_an_answers_memory(judge: ProgramJudge) -> None:
    """An answer that searches all objects of its process for it finds nothing."""
    program = (
        "import gc\n"
        "def f(x):\n"
        "    wanted, kinds = str(2 * x + 1), (dict, list, tuple)\n"
        "    return sum(wanted in str(each)[:100000] for each in gc.get_objects() if type(each) in kinds)\n"
    )
    found = judge.judge(program, spec(case(617283, value=1234567)))

    assert found.outcome is Outcome.wrong and "gave 0, expected 1234567" in found.detail


def test_a_variation_takes_cases_in_another_order() -> None:
    """Within their levels, each of them once, and the same for the same seed."""
    given = spec(*[case(number, value=number) for number in range(20)], order=1)
    (_, one), (_, again) = *levels_of(given), *levels_of(given)

    assert one == again and one.cases != given.cases
    assert sorted(each.name for each in one.cases) == sorted(each.name for each in given.cases)


USES_MODEL = """
import json
def f(text):
    with open("/tmp/hub/model.json", encoding="utf-8") as file:
        scores = json.load(file)
    return "POSITIVE" if sum(scores.get(word, 0) for word in text.split()) > 0 else "NEGATIVE"
"""
HARD_CODED = "def f(text): return {'good film': 'POSITIVE', 'bad film': 'NEGATIVE'}[text]"


def test_a_hard_coded_answer_passes_one_twin_and_fails_the_other(
    judge: ProgramJudge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both stand under one path, by a link of the spec; who uses the model follows it, who knows A's values not."""
    for name, scores in (("A", {"good": 1, "bad": -1}), ("B", {"good": -1, "bad": 1})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.json").write_text(json.dumps(scores), encoding="utf-8")
    shown = Environment(name="twins", binds=((str(tmp_path), "/twins"),))
    monkeypatch.setitem(environments.BUILT_IN, "twins", shown)
    tmp_path.chmod(0o755)

    def ends(program: str, name: str, good: str, bad: str) -> Outcome:
        cases = [case("good film", value=good), case("bad film", level="correctness", value=bad)]
        given = msgspec.structs.replace(spec(*cases, links={"hub": f"/twins/{name}"}), environment="twins")
        return judge.judge(program, given).outcome

    assert [ends(each, "A", "POSITIVE", "NEGATIVE") for each in (USES_MODEL, HARD_CODED)] == [
        Outcome.passed
    ] * 2
    assert ends(USES_MODEL, "B", "NEGATIVE", "POSITIVE") is Outcome.passed
    assert ends(HARD_CODED, "B", "NEGATIVE", "POSITIVE") is Outcome.wrong


def test_a_traceback_shows_the_program_and_nothing_of_the_case(judge: ProgramJudge) -> None:
    """Of an exception its own text and line; of a wrong value or a wrong type of exception no expectation."""
    cases = spec(case(31337, value=4242), case("x", level="edge_case", raises="LookupError"))
    raising = judge.judge("def f(x):\n    raise KeyError('no')\n", cases)
    other = judge.judge("def f(x):\n    return 4242 if x == 31337 else 1 / 0\n", cases)
    wrong = judge.judge("def f(x):\n    return 1\n", cases)

    assert raising.traceback == "KeyError: 'no' (line 2)"
    assert other.traceback == "ZeroDivisionError: division by zero (line 2)"
    assert ("LookupError" in other.detail, wrong.outcome, wrong.traceback) == (True, Outcome.wrong, "")


BOTH = msgspec.structs.replace(
    spec(
        case(1, value="/twins/A", twin_value="/twins/B"),
        case(-1, level="edge_case", raises="ValueError"),
        case(2, level="correctness", value="/twins/A", twin_value="/twins/B"),
        case(3, level="correctness", properties={"length": 8}),
        links={"model": "/twins/A"},
    ),
    twin_links={"model": "/twins/B"},
)
FOLLOWS = """
import os
def f(x):
    if x < 0:
        raise ValueError
    return os.readlink("/tmp/model")
"""


def test_an_answer_that_follows_its_model_passes_on_both_stand_ins(judge: ProgramJudge) -> None:
    """Levels that say what must come on the second are executed there too: of three here two."""
    found = judge.judge(FOLLOWS, BOTH)

    assert (found.outcome, found.detail) == (Outcome.passed, "")
    assert {*found.parts.values()} == {Outcome.passed}
    assert (BOTH.executions, HALVES.executions) == (5, 3)


def test_a_hard_coded_answer_passes_the_first_and_fails_the_second(judge: ProgramJudge) -> None:
    """The verdict needs both, and says on which it failed."""
    written_down = FOLLOWS.replace('os.readlink("/tmp/model")', '"/twins/A"')
    alone = msgspec.structs.replace(BOTH, twin_links={})
    found = judge.judge(written_down, BOTH)

    assert judge.judge(written_down, alone).outcome is Outcome.passed
    assert (found.outcome, found.detail) == (
        Outcome.wrong,
        "normal: on the second stand-in: call 1: f(1) gave '/twins/A', expected '/twins/B'",
    )
    assert [found.parts[level.value] for level in CaseLevel] == ["wrong", "passed", "wrong"]


def test_what_fails_on_the_first_is_not_executed_on_the_second(judge: ProgramJudge) -> None:
    """Its failure there is the level's."""
    found = judge.judge(FOLLOWS.replace('"/tmp/model")', '"/tmp/model")[::-1]'), BOTH)

    assert found.outcome is Outcome.wrong
    assert "second" not in found.detail
