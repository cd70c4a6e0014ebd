"""The track of UnitTests: a test for a function, by likeness to a human test and by execution.

`mera-exact`: CodeBLEU of the code that MERA extracts with the human test. `strict`: the test, put into the
row's test file, passes on the function's file, and notices changes of the function that the human test
notices; CodeBLEU is an additional figure. A row whose code is not self-contained is not scored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from benchwright import registry
from benchwright.contracts import CodeBleuSpec, Extraction, JudgedAnswers, WrittenTestsSpec
from benchwright.lang.codebleu.code_bleu import check_grammar, grammar_versions
from benchwright.records import Answer, Task, TaskId
from benchwright.tracks.base import MeraTrack, require_profile
from benchwright.tracks.prompt_templates import fence
from benchwright.tracks.rows import Fields, remembered, task_error
from benchwright.tracks.unittests import UNITTESTS
from benchwright.tracks.unittests.extraction import take_code
from benchwright.tracks.unittests.rows import (
    FAILURES,
    LANGUAGES,
    focal_file,
    read_task,
    test_context,
    unfenced,
)
from benchwright.tracks.unittests.test_file import placed
from benchwright.tracks.whole_program import take_whole_program
from benchwright.tracks.written_tests import CODE_BLEU, WrittenTestMeasures, mutants_of

STRICT, EXACT = UNITTESTS.profiles
_VACUOUS = {
    "Python": "def test_{name}({self}):\n    assert True\n",
    "Java": "@Test\npublic void {name}() {{\n    assert true;\n}}\n",
    "Go": 'func Test{name}(t *testing.T) {{\n\tif false {{\n\t\tt.Fatal("")\n\t}}\n}}\n',
    "JavaScript": "test('{name}', () => {{}});\n",
    "C#": "[Fact]\npublic void {name}()\n{{\n    Assert.True(true);\n}}\n",
}
_STUB = {
    "Python": "def test_{name}({self}):\n    pass\n",
    "Java": "@Test\npublic void {name}() {{\n}}\n",
    "Go": "func Test{name}(t *testing.T) {{\n}}\n",
    "JavaScript": "test('{name}', () => {{}});\n",
    "C#": "[Fact]\npublic void {name}()\n{{\n}}\n",
}


class UnitTestMeasures(WrittenTestMeasures):
    """Those of written tests, and the versions of the grammars that decide CodeBLEU."""

    def notes(self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]) -> list[str]:
        """The notes on written tests, and the installed versions if a task has CodeBLEU."""
        compared = [task for task in answers if any(CODE_BLEU in each.scores for each in answers[task])]
        found = grammar_versions({tasks[task].inputs["language"] for task in compared})
        version_list = ", ".join(f"{name} {number}" for name, number in found.items())
        more = [f"CodeBLEU with {version_list}; other versions may give other figures"] if compared else []
        return [*super().notes(tasks, answers, ks), *more]


class UnitTests(MeraTrack, declaration=UNITTESTS):
    """Track of MERA's rows of functions to test."""

    ks = (1,)
    language = "ru"
    prompt_kind = "unittests"
    measures = UnitTestMeasures()
    executes = True

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_task(fields)

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The function, the other code of both files, and their paths."""
        path = task.inputs["focal_file_path"]
        function = unfenced(task.inputs["focal_func"])
        context = unfenced(task.inputs["focal_func_context"], path)
        tests = test_context(task)
        return {
            "function": function.strip("\n"),
            "context": context.strip("\n"),
            "tests": tests,
            "lang": LANGUAGES[task.inputs["language"]],
            "tag": task.inputs["language"],
            "focal_path": path,
            "test_path": task.inputs["test_file_path"],
            "fence": fence(function, context, tests),
        }

    def gold(self, task: Task) -> str | None:
        """The human test; None for a hidden one."""
        return _in_fence(task, task.outputs) if task.outputs else None

    def stub(self, task: Task) -> str:
        """A test that checks nothing."""
        return _in_fence(task, _fill_name(task, _VACUOUS))

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """The code as `text`; in "strict", the test file with it as `program`."""
        code = take_code(answer.text, task.inputs["language"])
        if require_profile(profile, self.profiles, track=self.name) == EXACT:
            return Extraction(program="", rule=profile, text=code)
        lang = LANGUAGES[task.inputs["language"]]
        extraction = take_whole_program(answer, lang)
        program = placed(extraction.program, test_context(task), lang)
        return replace(extraction, program=program, problem=None, text=code)

    def spec(self, task: Task, *, profile: str) -> CodeBleuSpec | WrittenTestsSpec:
        """The human test, and in "strict" the function's file. Raises DataError for a hidden test."""
        exact = require_profile(profile, self.profiles, track=self.name) == EXACT
        if not task.outputs:
            hint = "add --ask-only to store answers and export them, or name the file that has its golds"
            raise task_error(task, "the human test is hidden", field="outputs", hint=hint)
        return _exact_spec(task) if exact else _strict_spec(task)

    def prepare(self, tasks: Iterable[Task], *, note: Callable[[str], object]) -> None:
        """Find the grammars of the tasks' languages. Raises PrerequisiteError with the install command."""
        for language in sorted({task.inputs["language"] for task in tasks}):
            check_grammar(language)


@remembered
def _exact_spec(task: Task) -> CodeBleuSpec:
    language = task.inputs["language"]
    texts = {
        "empty": "",
        "echo": unfenced(task.inputs["focal_func"]),
        "vacuous": _fill_name(task, _VACUOUS),
        "stub": _fill_name(task, _STUB),
    }
    return CodeBleuSpec(
        language=language, reference=task.outputs, failure=FAILURES.get(language, ""), baselines=texts
    )


@remembered
def _strict_spec(task: Task) -> WrittenTestsSpec:
    language, context = task.inputs["language"], test_context(task)
    lang, (focal, lines) = LANGUAGES[language], focal_file(task)
    known = lang in registry.RUNNERS
    found = mutants_of(focal, lang, lines) if known else ()
    texts = {name: _fill_name(task, table) for name, table in (("vacuous", _VACUOUS), ("stub", _STUB))}
    baselines = (
        {"empty": "", "echo": placed(unfenced(task.inputs["focal_func"]), context, lang)} if known else {}
    )
    return WrittenTestsSpec(
        lang=lang,
        focal=focal,
        focal_path=task.inputs["focal_file_path"],
        test_path=task.inputs["test_file_path"],
        probe=placed(texts["vacuous"], context, lang) if known else "",
        mutants=found,
        reference=placed(task.outputs, context, lang) if known else "",
        problem=_problem(lang, found, known=known),
        likeness=CodeBleuSpec(language=language, reference=task.outputs),
        baselines={
            **baselines,
            **{name: placed(text, context, lang) for name, text in texts.items() if known},
        },
    )


def _problem(lang: str, found: tuple[str, ...], *, known: bool) -> str:
    if not known:
        return f"env-missing: no toolchain for tests in {lang}"
    return "" if found else "no small change of the function is known, so no test can notice one"


def _fill_name(task: Task, table: Mapping[str, str]) -> str:
    lang = LANGUAGES[task.inputs["language"]]
    in_class = lang == "Python" and "class " in test_context(task)
    return table[lang].format(name="Probe" if lang == "Go" else "probe", self="self" if in_class else "")


def _in_fence(task: Task, code: str) -> str:
    marks = fence(code)
    return f"{marks}{task.inputs['language']}\n{code.removesuffix(chr(10))}\n{marks}\n"


TRACK = UnitTests()
