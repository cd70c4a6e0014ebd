"""The track of JavaTestGen: the test class in an answer, executed on the class that it tests.

`mera-exact`: MERA's extraction and completion; an answer passes if its class compiles with the tested one and
no test fails, so that `assertTrue(true)` passes. `strict`: it must also notice a changed copy of the class,
repeatedly pass on the unchanged one, and not depend on its text. Both execute the class alone, or in a clone
of its repository with the sources of its module. A class that needs more is not scored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from msgspec.structs import replace

from benchwright.contracts import Extraction, WrittenTestsSpec
from benchwright.records import Answer, Task
from benchwright.tracks.base import MeraTrack, require_profile
from benchwright.tracks.javatestgen import JAVATESTGEN
from benchwright.tracks.javatestgen.rows import CANONICAL, read_task, source_of
from benchwright.tracks.javatestgen.test_file import completed, take_block
from benchwright.tracks.prompt_templates import fence, fill
from benchwright.tracks.realcode.clones import InRepositories, find_clone, is_commit, libraries_in
from benchwright.tracks.rows import Fields, remembered
from benchwright.tracks.whole_program import take_whole_program
from benchwright.tracks.written_tests import WrittenTestMeasures, mutants_of

STRICT, EXACT = JAVATESTGEN.profiles
LANG = "Java"
_UNMET = "env-missing: the class needs more than the JDK and JUnit, as in its repository"
_TEST = """\
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class {name} {{
    @Test
    void {method}() {{{body}}}
}}
"""


class JavaTestGen(InRepositories, MeraTrack, declaration=JAVATESTGEN):
    """Track of MERA's rows of Java classes to test."""

    ks = (1,)
    temperature = 0.2
    language = "ru"
    prompt_kind = "javatestgen"
    measures = WrittenTestMeasures()
    executes = True

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_task(fields)

    def prompt(self, task: Task) -> str:
        """The row's instruction, filled in as MERA does, without stripping."""
        return fill(task.instruction, task.inputs)

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The class, its name and the name of the test class."""
        code = task.inputs["code"].strip("\n")
        return {**task.inputs, "code": code, "fence": fence(code)}

    def gold(self, task: Task) -> str | None:
        """The canonical test class; None for MERA's rows, which have none."""
        text = task.meta.get(CANONICAL) or ""
        return _in_fence(text) if text else None

    def stub(self, task: Task) -> str:
        """A test class that checks nothing."""
        return _vacuous(task)

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """The test file. No problem is reported: an empty one fails in the judge, as with MERA."""
        return _test_file(task, answer, require_profile(profile, self.profiles, track=self.name))

    def spec(self, task: Task, *, profile: str) -> WrittenTestsSpec:
        """The class, and in "strict" its changed copies."""
        strict = require_profile(profile, self.profiles, track=self.name) == STRICT
        spec = _strict_spec(task) if strict else _exact_spec(task)
        return spec if self.repositories is None else _in_clone(spec, task, self.repositories)

    def prepare(self, tasks: Iterable[Task], *, note: Callable[[str], object]) -> None:
        """Nothing: a missing JDK makes each answer `env-missing`."""


@remembered
def _strict_spec(task: Task) -> WrittenTestsSpec:
    source, names = source_of(task), task.inputs
    found = mutants_of(source, LANG)
    return WrittenTestsSpec(
        lang=LANG,
        focal=source,
        focal_path=f"{names['class_name']}.java",
        test_path=_file_name(task),
        probe=completed(_tests(f"ProbeOf{names['test_class_name']}", "probe", ""), source),
        mutants=found,
        unmet=_UNMET,
        problem="" if found else "no small change of the class is known, so no test can notice one",
        baselines=_baselines(task, STRICT),
        exact_baselines=_baselines(task, EXACT),
    )


def _in_clone(spec: WrittenTestsSpec, task: Task, folder: Path) -> WrittenTestsSpec:
    """The spec in the clone of the row's repository; without a clone the class alone, with the reason."""
    meta = task.meta
    found = find_clone(folder, meta.get("repo") or "")
    if not (found.path and is_commit(meta.get("base_commit") or "")):
        reason = found.missing or "`base_commit` is not the id of a commit"
        return replace(spec, unmet=f"{_UNMET} ({reason})")
    module, test, _ = str(meta.get("fn_test") or "").partition("src/test/")
    return replace(
        spec,
        clone=found.path,
        commit=meta["base_commit"],
        module=module if test else "",
        libraries=libraries_in(folder),
        unmet="env-missing: the class does not run in its module with the given jars",
    )


@remembered
def _exact_spec(task: Task) -> WrittenTestsSpec:
    strict, own = _strict_spec(task), _baselines(task, EXACT)
    return replace(strict, mutants=(), problem="", untested_passes=True, baselines=own, exact_baselines={})


def _baselines(task: Task, profile: str) -> dict[str, str]:
    """The test files in answers that need no skill."""
    texts = {
        "empty": "",
        "echo": _in_fence(task.inputs["code"]),
        "vacuous": _vacuous(task),
        "stub": _in_fence(_tests(task.inputs["test_class_name"], "empty", "")),
    }
    blank = Answer(key="", task_id=task.task_id, sample=0, model="baseline", text="")
    answers = {name: replace(blank, text=text) for name, text in texts.items()}
    return {name: _test_file(task, each, profile).program for name, each in answers.items()}


def _test_file(task: Task, answer: Answer, profile: str) -> Extraction:
    if profile == STRICT:
        extraction = take_whole_program(answer, LANG)
    else:
        extraction = Extraction(program=take_block(answer.text), rule=profile)
    program = completed(extraction.program, source_of(task)) if extraction.program.strip() else ""
    return replace(extraction, program=program, problem=None, text=answer.text)


def _vacuous(task: Task) -> str:
    return _in_fence(_tests(task.inputs["test_class_name"], "asserts", " assertTrue(true); "))


def _tests(name: str, method: str, body: str) -> str:
    return _TEST.format(name=name, method=method, body=body)


def _file_name(task: Task) -> str:
    given = str(task.meta.get("fn_test") or "").rpartition("/")[2]
    return given or f"{task.inputs['test_class_name']}.java"


def _in_fence(code: str) -> str:
    marks = fence(code)
    return f"{marks}java\n{code.removesuffix(chr(10))}\n{marks}\n"


TRACK = JavaTestGen()
