"""Rows in MultiPL-E's shape: one in Go and one in Java, with their solutions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from benchwright.contracts import Extraction, Judgement, ServedSpec, Spec, Suite
from benchwright.errors import PrerequisiteError
from benchwright.judges.judge_registry import Judges, Resources
from benchwright.judges.suites import java
from benchwright.judges.suites.answer_judges import SuiteAnswerJudge
from benchwright.judges.suites.go import GoSuites
from benchwright.judges.suites.java import JavaSuites
from benchwright.judges.suites.java_compiling import CompiledSuite, compile_all, sources_key
from benchwright.judges.suites.java_toolchain import library_folder
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


class RowAnswer(NamedTuple):
    """An answer to a row, with the profile by which it is judged."""

    row: dict[str, Any]
    text: str
    profile: str = "strict"

    def taken(self) -> tuple[Extraction, Spec]:
        """Return the program of the answer and the spec of the row."""
        task = read_task(Fields(self.row, "rows.jsonl", 1))
        answer = Answer(key="k", task_id=task.task_id, sample=0, model="m", text=self.text)
        return TRACK.extract(task, answer, profile=self.profile), TRACK.spec(task, profile=self.profile)


@contextmanager
def quick_judges(java_answers: Sequence[RowAnswer] = ()) -> Iterator[Judges]:
    """Return judges whose runners of Go and Java end a program after 1 and 2 s of processor time instead of 10;
    Go, whose stack may grow to 1 GB, with half of the memory.

    `java_answers`, which are judged by calls, are compiled in one JVM: to start a compiler for each takes four
    times as long as to run one.
    """
    with pytest.MonkeyPatch.context() as patch, ExitStack() as closing:
        for runner, limits in ((GoSuites, {"cpu_s": 1.0, "memory_mb": 512}), (JavaSuites, {"cpu_s": 2.0})):
            defaults = runner.__init__.__kwdefaults__  # type: ignore[misc]
            patch.setitem(defaults, "limits", msgspec.structs.replace(defaults["limits"], **limits))
        if java_answers and not _complaint(json.dumps(java_row())):
            patch.setattr(java, "compile_all", _with_known(_compiled_together(java_answers)))
        yield Judges(Resources(closing.enter_context(Sandbox()), closing))


def _compiled_together(answers: Sequence[RowAnswer]) -> dict[bytes, CompiledSuite]:
    """Return the result of compiling each answer, by `sources_key`."""
    specs = [each.taken()[1] for each in answers]
    suites = dict(enumerate(_called_suite(each) for each in answers))
    (libraries,) = {spec.libraries for spec in specs if isinstance(spec, ServedSpec)}
    with JavaSuites(libraries=Path(library_folder(libraries))) as runner:
        compiled = compile_all(runner._opened(), runner._tools, suites, cpu_s=10.0)
    return {sources_key(suites[number]): found for number, found in compiled.items()}


def _called_suite(answer: RowAnswer) -> Suite:
    taken, spec = answer.taken()
    assert isinstance(spec, ServedSpec)
    files = {**spec.suite.files, spec.suite.focal: taken.program}
    return msgspec.structs.replace(spec.suite, files=files)


def _with_known(known: dict[bytes, CompiledSuite]) -> Callable[..., dict[int, CompiledSuite]]:
    """Return `compile_all` with results that are known before."""

    def compiled(
        box: Any, tools: Any, suites: Mapping[int, Suite], *, cpu_s: float
    ) -> dict[int, CompiledSuite]:
        found = {number: known.get(sources_key(suite)) for number, suite in suites.items()}
        others = {number: suite for number, suite in suites.items() if found[number] is None}
        added = compile_all(box, tools, others, cpu_s=cpu_s)
        return {number: each or added[number] for number, each in found.items()}

    return compiled


def ended(judges: Judges, row: dict[str, Any], text: str, *, profile: str = "strict") -> Judgement:
    """Return how an answer to a row ends."""
    taken, spec = RowAnswer(row, text, profile).taken()
    found = judges.of(spec).judge(taken, spec)
    return found if isinstance(found, Judgement) else found()
