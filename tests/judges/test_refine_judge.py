"""The judge of review remarks: equality, the remarked lines, syntax and tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from benchwright.contracts import Extraction, Judgement, RefineSpec, SuiteAnswerSpec
from benchwright.judges.judge_registry import Resources
from benchwright.judges.refine import RefineJudge, touches
from benchwright.judges.suites.answer_judges import SuiteAnswerJudge
from benchwright.lang.source import lay_out
from benchwright.sandbox.box import Sandbox
from kit.needs import need_module, need_ready, need_sandbox
from kit.smartcoding_rows import REFINE_CODE, REFINE_TESTS, refine_row

NEW: str = refine_row()["reference"]
OLD = NEW.replace("is None", "== None")


@pytest.fixture(scope="module")
def judge() -> Iterator[RefineJudge]:
    with Sandbox() as sandbox, ExitStack() as closing:
        yield RefineJudge(Resources(sandbox, closing))


def _spec(**fields: Any) -> RefineSpec:
    given = {
        "code": REFINE_CODE,
        "lang": "Python",
        "first": 6,
        "last": 8,
        "remarked": (7, 7),
        "reference": NEW,
    }
    return RefineSpec(**{**given, **fields})


def _judged(judge: RefineJudge, hunk: str, **fields: Any) -> Judgement:
    found = judge.judge(Extraction(program=hunk, rule="fence"), _spec(**fields))
    return found if isinstance(found, Judgement) else found()


@pytest.mark.parametrize(
    ("hunk", "outcome", "scores"),
    [
        (NEW, "passed", {"applies": 1, "touches": 1, "exact": 1, "equal": 1}),
        (NEW + "\n", "passed", {"applies": 1, "touches": 1, "exact": 1, "equal": 1}),
        (NEW.replace("is None", "is  None"), "passed", {"applies": 1, "touches": 1, "exact": 0, "equal": 1}),
        (OLD, "wrong", {"applies": 1, "touches": 0, "exact": 0, "equal": 0}),
        (
            OLD.replace("values:", "list(values):"),
            "wrong",
            {"applies": 1, "touches": 0, "exact": 0, "equal": 0},
        ),
        (NEW.replace("value is", "None is"), "wrong", {"applies": 1, "touches": 1, "exact": 0, "equal": 0}),
        (NEW.replace(":", ""), "syntax_error", {"applies": 0, "touches": 1, "exact": 0, "equal": 0}),
        ("Use is.", "syntax_error", {"applies": 0, "touches": 1, "exact": 0, "equal": 0}),
        (NEW.replace("    ", "  ", 1), "syntax_error", {"applies": 0, "touches": 1, "exact": 0, "equal": 0}),
    ],
)
def test_without_tests_the_reference_decides(
    judge: RefineJudge, hunk: str, outcome: str, scores: dict[str, float]
) -> None:
    """White space without a meaning is not compared; chrF++ decides nothing."""
    found = _judged(judge, hunk)

    assert (found.outcome, {name: found.scores[name] for name in scores}) == (outcome, scores)
    assert set(found.scores) == {*scores, "chrf"} and (found.detail == "") is bool(scores["exact"])


def test_a_remark_about_white_space_needs_the_same_white_space(judge: RefineJudge) -> None:
    """The lines as given differ in nothing else, and do not pass."""
    fields = {"code": "f(a = 1)\n", "first": 1, "last": 1, "remarked": (1, 1), "reference": "f(a=1)"}

    assert [_judged(judge, hunk, **fields).outcome for hunk in ("f(a=1)", "f(a = 1)", "f(a =1)")] == [
        "passed",
        "wrong",
        "wrong",
    ]


def test_plain_text_is_compared_by_words(judge: RefineJudge) -> None:
    """And has no syntax."""
    fields = {"code": "Teh cat\nsat (.\n", "first": 1, "last": 2, "remarked": (1, 1), "lang": ""}
    ends = [
        _judged(judge, hunk, reference="The cat\nsat.", **fields).outcome for hunk in ("The cat sat.", "The")
    ]

    assert ends == ["passed", "wrong"]


def test_code_that_did_not_parse_need_not_parse(judge: RefineJudge) -> None:
    """An excerpt may begin in the middle of a statement."""
    fields = {"code": "  b = 1,\n  c)\n", "first": 1, "last": 1, "remarked": (1, 1), "reference": "  b=2,"}
    found = _judged(judge, "  b = 2,", **fields)

    assert (found.outcome, found.scores["applies"]) == ("passed", 1)


@pytest.mark.parametrize(
    ("hunk", "remarked", "touched"),
    [
        ("a\nb\nc", (2, 2), False),
        ("a\nB\nc", (2, 2), True),
        ("A\nb\nc", (2, 2), False),
        ("A\nb\nc", (1, 2), True),
        ("a\nx\nb\nc", (2, 2), True),
        ("a\nb\nx\nc", (2, 2), True),
        ("a\nb\nc\nx", (2, 2), False),
        ("a\nc", (2, 2), True),
        ("b\nc", (2, 2), False),
    ],
)
def test_which_answers_touch_the_remarked_lines(hunk: str, remarked: tuple[int, int], touched: bool) -> None:
    """A changed or deleted line among them, or lines inserted right before or after them."""
    spec = _spec(code="a\nb\nc\n", lang="", first=1, last=3, remarked=remarked, reference="x")

    assert touched is touches(hunk, spec)


@pytest.mark.parametrize(
    ("hunk", "outcome", "tests"),
    [
        (NEW, "passed", 1),
        ("    for value in values:\n        if value is None: continue", "passed", 1),
        (OLD, "wrong", 0),
        (NEW.replace("is None", "is not None"), "exception", 0),
        (NEW + "\n        import sys; sys.exit(0)", "exception", 0),
    ],
)
def test_tests_decide(judge: RefineJudge, hunk: str, outcome: str, tests: float) -> None:
    """Another hunk than the reference passes; the lines as given fail."""
    need_sandbox()
    need_module("pytest")
    suite = lay_out(REFINE_CODE, REFINE_TESTS, "Python", focal_name="sums.py", test_name="test_sums.py")
    found = _judged(judge, hunk, suite=suite)

    assert (found.outcome, found.scores["tests"], found.isolation) == (outcome, tests, "tamper-evident")


GO = "package sums\n\nfunc Total(a, b int) int {\n\treturn a - b\n}\n"
GO_TEST = """package sums

import "testing"

func TestTotal(t *testing.T) {
	if Total(1, 2) != 3 {
		t.Fatal("wrong")
	}
}
"""
JAVA = "public class Sums {\n    public static int total(int a, int b) {\n        return a - b;\n    }\n}\n"
JAVA_TEST = """import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SumsTest {
    @Test
    void total() {
        assertEquals(3, Sums.total(1, 2));
    }
}
"""
SCRIPT = "function total(a, b) {\n  return a - b;\n}\n\nmodule.exports = { total };\n"
SCRIPT_TEST = """const test = require("node:test");
const assert = require("node:assert");
const { total } = require("./sums");

test("total", () => {
  assert.strictEqual(total(1, 2), 3);
});
"""


@pytest.mark.parametrize(
    ("lang", "code", "tests", "names", "line"),
    [
        ("Go", GO, GO_TEST, ("sums.go", "sums_test.go"), 4),
        ("Java", JAVA, JAVA_TEST, ("Sums.java", "SumsTest.java"), 3),
        ("JavaScript", SCRIPT, SCRIPT_TEST, ("sums.js", "sums.test.js"), 2),
    ],
)
def test_tests_of_other_languages(
    judge: RefineJudge, lang: str, code: str, tests: str, names: tuple[str, str], line: int
) -> None:
    """Another right answer passes, the line as given fails, and broken syntax is not executed."""
    need_sandbox()
    suite = lay_out(code, tests, lang, focal_name=names[0], test_name=names[1])
    need_ready(
        lambda: SuiteAnswerJudge.make_ready(SuiteAnswerSpec(suite=suite)), f"no {lang} suite can be run"
    )
    old = code.split("\n")[line - 1]
    fields = {
        "code": code,
        "lang": lang,
        "first": line,
        "last": line,
        "remarked": (line, line),
        "suite": suite,
    }
    hunks = (old.replace("a - b", "b + a"), old, old.replace("a - b", "(a"))
    found = [_judged(judge, hunk, reference=old.replace("-", "+"), **fields) for hunk in hunks]

    assert [each.outcome for each in found] == ["passed", "wrong", "syntax_error"]
    assert [each.scores.get("tests") for each in found] == [1, 0, None]
