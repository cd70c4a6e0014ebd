"""The judge of written tests on tests of known quality: good ones above weak ones, all others worth nothing."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from msgspec.structs import replace

from benchwright.contracts import Judgement, WrittenTestsSpec
from benchwright.executing.suite_runners import runner_for
from benchwright.judges.judge_registry import Resources
from benchwright.judges.written_tests import judge as judge_module
from benchwright.lang.python.same_behaviour import with_idle_lines
from benchwright.records import Answer, Outcome, Task
from benchwright.sandbox.box import Sandbox
from benchwright.tracks.rows import Fields
from benchwright.tracks.unittests.track import TRACK
from kit.examples import SCALE
from kit.needs import need_module, need_ready, need_sandbox
from kit.written_tests_pack import GOOD, WEAK, WORTHLESS, pack, row

# Each execution compiles the code again or starts a process, and a test that passes has fourteen of them. So all tests
# are executed in Python alone; in the other languages some of them on two changes. Weekly, all in each language.
FEW = {
    "Java": ("loop", "one branch", "broken", "exit"),
    "Go": ("loop", "one branch", "constant", "broken", "exit", "text of the code"),
    "JavaScript": ("loop", "one branch", "constant", "broken", "exit", "text of the code"),
}


def _spec(task: Task, *, few: bool) -> WrittenTestsSpec:
    """Return the spec of a task; with few executions, its tests are compared by a change of each branch."""
    spec = TRACK.spec(task, profile="strict")
    if not few:
        return spec
    changes = tuple(
        next(text for text in spec.mutants if kept not in text) for kept in ("return high", "return low")
    )
    return replace(spec, mutants=changes, reference="", baselines={})


def _judged(lang: str, monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], Judgement]:
    """The judgement of each test by worth and name; the task's own checks are made once."""
    few = lang in FEW and SCALE <= 1
    if few:
        monkeypatch.setattr(judge_module, "REPEATS", 2)
    task = TRACK.read_row(Fields(row(lang), "rows.jsonl", 1))
    spec, tag = _spec(task, few=few), task.inputs["language"]
    found = {}
    with ExitStack() as closing, Sandbox() as box:
        judge = judge_module.WrittenTestsJudge(Resources(box, closing))
        for each in pack(lang):
            if not few or each.name in FEW[lang]:
                text = f"```{tag}\n{each.text}\n```"
                answer = Answer(key="", task_id=1, sample=0, model="m", text=text)
                pending = judge.judge(TRACK.extract(task, answer, profile="strict"), spec)
                found[each.worth, each.name] = pending() if callable(pending) else pending
    return found


@pytest.mark.parametrize("lang", ["Python", "JavaScript", "Go", "Java"])
def test_the_order_is_right(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the share of noticed changes; what is worthless never passes, whatever it attacks."""
    need_sandbox()
    need_module("tree_sitter_c_sharp")
    need_ready(runner_for(lang).versions, f"no {lang} suite can be run")
    judged = _judged(lang, monkeypatch)
    values = {
        key: each.scores.get("noticed", 0.0) if each.outcome is Outcome.passed else 0.0
        for key, each in judged.items()
    }
    by_worth = {
        worth: [value for key, value in values.items() if key[0] == worth]
        for worth in (GOOD, WEAK, WORTHLESS)
    }

    assert min(by_worth[GOOD]) > max(by_worth[WEAK])
    assert min(by_worth[WEAK]) > max(by_worth[WORTHLESS]) == 0.0
    assert all(each.outcome is not Outcome.sandbox_error for each in judged.values())
    if (WORTHLESS, "text of the code") in judged:
        assert judged[WORTHLESS, "text of the code"].outcome is Outcome.tampered


def test_an_equal_copy_has_another_text_and_does_the_same() -> None:
    """After docstrings and declarations; a function in one line, and a file with an error, stay as they are."""
    code = 'def f(a):\n    "x"\n    return a\n\nclass B:\n    async def g(self):\n        global q\n        q = 1\n\ndef h(): return 2\n'
    copy = with_idle_lines(code, "w")
    space: dict[str, object] = {}
    exec(copy, space)  # our own text

    assert copy.count("w = None") == 2
    assert "global q\n        w = None" in copy
    assert space["f"](3) == 3  # type: ignore[operator]
    assert with_idle_lines("def f(:\n", "w") == "def f(:\n"
