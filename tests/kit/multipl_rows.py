"""Rows in MultiPL-E's shape: one in Go and one in Java, with their solutions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.contracts import Judgement
from benchwright.errors import PrerequisiteError
from benchwright.judges.judge_registry import Judges, Resources
from benchwright.judges.suites.answer_judges import SuiteAnswerJudge
from benchwright.judges.suites.go import GoSuites
from benchwright.judges.suites.java import JavaSuites
from benchwright.records import Answer
from benchwright.sandbox.box import Sandbox
from benchwright.tracks.multipl.track import TRACK, read_task
from benchwright.tracks.rows import Fields
from kit.needs import need_that

GO_PROMPT = """package total_of_test

import (
    "testing"
    "fmt"
)

// The sum of a list.
// >>> total_of([]int{1, 2})
// 3
func total_of(numbers []int) int {
"""
GO_TESTS = """func TestTotal_Of(t *testing.T) {
  candidate := total_of
	type test struct {
		actual   interface{}
		expected interface{}
	}
   tests := []test{
     { actual: candidate([]int{}), expected: 0 },
     { actual: candidate([]int{1, 2}), expected: 3 },
   }

	for i, tc := range tests {
		t.Run(fmt.Sprintf("test num % d", i), func(t *testing.T) {
			if fmt.Sprintf("%v", tc.actual) != fmt.Sprintf("%v", tc.expected) {
				t.Errorf("expected '%s', got '%s'", tc.expected, tc.actual)
			}
		})
	}
}
"""
GO_BODY = """    sum := 0
    for _, n := range numbers {
        sum += n
    }
    return sum
}
"""
JAVA_PROMPT = """import java.util.*;
import org.javatuples.*;
class Problem {
    // The odd numbers of a list.
    // >>> oddOnes((new ArrayList<Long>(Arrays.asList((long)1l, (long)2l))))
    // (new ArrayList<Long>(Arrays.asList((long)1l)))
    public static ArrayList<Long> oddOnes(ArrayList<Long> numbers) {
"""
JAVA_TESTS = """    }
    public static void main(String[] args) {
    assert(oddOnes((new ArrayList<Long>(Arrays.asList()))).equals((new ArrayList<Long>(Arrays.asList()))));
    assert(oddOnes((new ArrayList<Long>(Arrays.asList((long)1l, (long)2l)))).equals((new ArrayList<Long>(Arrays.asList((long)1l)))));
    assert(oddOnes((new ArrayList<Long>(Arrays.asList((long)3l)))).size() == (1));
    }

}
"""
JAVA_BODY = """        ArrayList<Long> kept = new ArrayList<>();
        for (long n : numbers) {
            if (n % 2 != 0) {
                kept.add(n);
            }
        }
        return kept;"""


def go_row(**changed: Any) -> dict[str, Any]:
    """Return a row in Go."""
    row = {
        "name": "Made_1_total_of",
        "language": "go_test.go",
        "prompt": GO_PROMPT,
        "doctests": "transform",
        "tests": GO_TESTS,
        "stop_tokens": ["\nfunc", "struct", "\n// "],
    }
    return {**row, **changed}


def java_row(**changed: Any) -> dict[str, Any]:
    """Return a row in Java."""
    row = {
        "name": "Made_2_odd_ones",
        "language": "java",
        "prompt": JAVA_PROMPT,
        "tests": JAVA_TESTS,
        "stop_tokens": ["\n    }\n"],
    }
    return {**row, **changed}


def write_multipl(path: Path, *rows: dict[str, Any]) -> Path:
    """Write a data set of these rows."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def need_go_rows() -> None:
    """Skip if Go answers cannot be executed."""
    _ready("Go", go_row())


def need_java_rows() -> None:
    """Skip if Java answers, with the library that the rows import, cannot be executed."""
    _ready("Java", java_row())


def _ready(lang: str, row: dict[str, Any]) -> None:
    complaint = _complaint(json.dumps(row))
    need_that(not complaint, f"no {lang} answer can be executed: {complaint}")


@cache
def _complaint(row: str) -> str:
    task = read_task(Fields(json.loads(row), "rows.jsonl", 1))
    try:
        SuiteAnswerJudge.make_ready(TRACK.spec(task, profile="strict"))
    except PrerequisiteError as error:
        return str(error)
    return ""


@contextmanager
def quick_judges() -> Iterator[Judges]:
    """Return judges whose runners of Go and Java end a program after 3 s of processor time instead of 10."""
    with pytest.MonkeyPatch.context() as patch, ExitStack() as closing:
        for runner in (GoSuites, JavaSuites):
            defaults = runner.__init__.__kwdefaults__  # type: ignore[misc]
            patch.setitem(defaults, "limits", msgspec.structs.replace(defaults["limits"], cpu_s=3.0))
        yield Judges(Resources(Sandbox(), closing))


def ended(judges: Judges, row: dict[str, Any], text: str, *, profile: str = "strict") -> Judgement:
    """Return how an answer to a row ends."""
    task = read_task(Fields(row, "rows.jsonl", 1))
    answer = Answer(key="k", task_id=task.task_id, sample=0, model="m", text=text)
    taken, spec = TRACK.extract(task, answer, profile=profile), TRACK.spec(task, profile=profile)
    found = judges.of(spec).judge(taken, spec)
    return found if isinstance(found, Judgement) else found()
