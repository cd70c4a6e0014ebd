"""The track of UnitTests: rows, the files of a pair, prompts and specs."""

from __future__ import annotations

from contextlib import ExitStack
from copy import deepcopy
from importlib.metadata import version
from typing import Any

import pytest
from msgspec.structs import replace

from benchwright.contracts import Extraction, JudgedAnswer, SuiteRunner, WrittenTestsSpec
from benchwright.errors import DataError
from benchwright.judges.judge_registry import Resources
from benchwright.judges.written_tests.judge import WrittenTestsJudge
from benchwright.judges.written_tests.row_check import RowCheck, check_row
from benchwright.lang.codebleu import data_flow
from benchwright.lang.codebleu.code_bleu import GRAMMARS, code_bleu
from benchwright.records import Answer, Outcome, Task
from benchwright.sandbox.box import Sandbox
from benchwright.tracks.row_detection import track_of_row
from benchwright.tracks.rows import Fields
from benchwright.tracks.unittests.rows import focal_file
from benchwright.tracks.unittests.test_file import placed
from benchwright.tracks.unittests.track import TRACK
from kit.mera_replies import rows
from kit.needs import need_module
from kit.written_tests_pack import row


def _row(at: int = 0, **changes: Any) -> dict[str, Any]:
    row = deepcopy(rows("unittests")[at])
    for name, value in changes.items():
        first, _, rest = name.partition("__")
        target, key = (row[first], rest) if rest else (row, first)
        target.pop(key) if value is ... else target.update({key: value})
    return row


def _task(at: int = 0, **changes: Any) -> Task:
    return TRACK.read_row(Fields(_row(at, **changes), "rows.jsonl", 1))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"inputs__focal_func": ...}, "inputs.focal_func"),
        ({"inputs__focal_func": "```python\n\n```"}, "inputs.focal_func"),
        ({"inputs__focal_func": 7}, "inputs.focal_func"),
        ({"inputs__focal_func_context": ...}, "inputs.focal_func_context"),
        ({"inputs__focal_func_context": "x" * 200_000}, "inputs.focal_func_context"),
        ({"inputs__test_func_context": 1}, "inputs.test_func_context"),
        ({"inputs__test_func_type": ...}, "inputs.test_func_type"),
        ({"inputs__focal_file_path": ...}, "inputs.focal_file_path"),
        ({"inputs__test_file_path": []}, "inputs.test_file_path"),
        ({"inputs__test_framework": 1}, "inputs.test_framework"),
        ({"inputs__language": "ruby"}, "inputs.language"),
        ({"inputs__language": ...}, "inputs.language"),
        ({"outputs": 1}, "outputs"),
        ({"meta__id": ...}, "meta.id"),
        ({"meta___row": {}}, "meta._row"),
        ({"instruction": "Test it."}, "instruction"),
        ({"instruction": "{focal_func} {other}"}, "instruction"),
        ({"instruction": 3}, "instruction"),
    ],
)
def test_a_bad_row_is_refused_with_its_field(changes: dict[str, Any], field: str) -> None:
    """Each error has the line."""
    with pytest.raises(DataError) as caught:
        _task(**changes)

    assert (caught.value.field, caught.value.line) == (field, 1)


def test_a_row_survives_and_is_recognised() -> None:
    """Unknown fields are kept; a hidden test has no gold and no score."""
    row = _row(extra={"a": 1}, outputs="")

    assert TRACK.to_row(TRACK.read_row(Fields(row, "", 1))) == row
    assert track_of_row(row) == "unittests"
    assert TRACK.gold(_task(outputs=None)) is None
    with pytest.raises(DataError, match="hidden"):
        TRACK.spec(_task(outputs=""), profile="strict")


@pytest.mark.parametrize("at", [0, 6, 12, 18, 24])
def test_the_function_is_in_its_file(at: int) -> None:
    """The lines are those that mutants may change; the mark and the line with the path are removed."""
    task = _task(at)
    focal = focal_file(task)
    inside = "\n".join(focal.code.split("\n")[line - 1] for line in focal.lines)

    assert inside == "\n".join(task.inputs["focal_func"].split("\n")[1:-1])
    assert "#" not in focal.code.replace("#!", "")


@pytest.mark.parametrize("at", [0, 6, 12, 18])
def test_each_mutant_is_one_of_the_function(at: int) -> None:
    """The human test is inserted into its file, whose other code stays."""
    spec = TRACK.spec(_task(at), profile="strict")

    assert len(spec.mutants) >= 5  # type: ignore[union-attr]
    assert _task(at).outputs.strip().split("\n")[0] in spec.reference  # type: ignore[union-attr]


def test_a_language_without_a_toolchain_is_named() -> None:
    """C# rows are not scored by execution, and count 0 in MERA's library."""
    strict, exact = (TRACK.spec(_task(24), profile=name) for name in ("strict", "mera-exact"))

    assert strict.problem.startswith("env-missing")  # type: ignore[union-attr]
    assert exact.failure  # type: ignore[union-attr]


def test_places_of_a_test() -> None:
    """A method is inserted into the class, a whole file stays separate, an empty answer stays empty."""
    java = "class ATest {\n    int a;\n}\n"
    suite = "describe('a', () => {\n})\n"

    assert (
        placed("@Test\nvoid t() {}", java, "Java")
        == "class ATest {\n    int a;\n\n    @Test\n    void t() {}\n}\n"
    )
    assert (
        placed("class BTest {}", java, "Java") == placed("class BTest {}", java, "C#") == "class BTest {}\n"
    )
    assert placed("[Fact]\nvoid T() {}", java, "C#").endswith("    void T() {}\n}\n")
    assert placed("it('x', f);", suite, "JavaScript").startswith("describe('a', () => {\n\n    it('x'")
    assert placed("package b\n", "package a\n", "Go") == "package b\n"
    assert placed(" \n", java, "Java") == ""
    method = placed("def test_a(self):\n    pass\n", "class T:\n    b = 1\n", "Python")
    assert method == "class T:\n    b = 1\n\n    def test_a(self):\n        pass\n\n"[:-1]


def test_prompts_show_both_files() -> None:
    """The row's own prompt, and three in each language."""
    task = _task()
    asked = [each for name in ("ru", "en") for each in TRACK.questions(task, language=name, form="chat")]

    assert TRACK.prompt(task) == task.instruction.format(**task.inputs).strip()
    assert len(asked) == 6
    assert all("def clamp" in each.text and "from tools.clamp" in each.text for each in asked)


def test_extraction_by_profile() -> None:
    """MERA's text, and the strict form's file."""
    answer = Answer(key="", task_id=1, sample=0, model="m", text="```python\ndef test_a():\n    pass\n```")
    exact, strict = (TRACK.extract(_task(), answer, profile=name) for name in ("mera-exact", "strict"))

    assert exact.text == strict.text == "def test_a():\n    pass"
    assert strict.program.startswith("from tools.clamp import clamp\n")


def test_code_bleu_of_hostile_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deep, long, nested and broken texts end soon; an unreadable text is a failure, not an exception."""
    need_module("tree_sitter_python")
    monkeypatch.setattr(data_flow, "MAX_VISITS", 20_000)  # a million take five seconds
    loops = "".join(f"{'    ' * depth}for i in x:\n" for depth in range(30)) + "    " * 30 + "y = i\n"
    texts = [
        "(" * 5000,
        "x = 1\n" * 5_000,
        loops,
        "\0",
        "\ud800",
        "x = [" + "1, " * 5000 + "]",
        "if x:\n\ty=1\n  z=2",
    ]
    found = [code_bleu(text, "def test_a():\n    assert f(1) == 2\n", "python") for text in texts]

    assert all(0.0 <= each.mean < 1.0 for each in found)
    assert found[4].failure
    assert code_bleu("x", "x", "ruby").failure
    assert code_bleu("a = b\nc = a\n", "a = b\nc = a\n", "python").mean == pytest.approx(1.0)


def test_a_score_is_the_mean_of_the_answers_that_have_it() -> None:
    """The CodeBLEU of two answers out of three, and no figure that no answer has."""
    judged = {
        0: [JudgedAnswer(Outcome.scored, scores={"code_bleu": 0.25})],
        1: [JudgedAnswer(Outcome.scored, scores={"code_bleu": 0.75})],
    }
    metrics = TRACK.measures.metrics({at: _task(at) for at in judged}, judged, (1,))

    assert {name: (each.value, each.n) for name, each in metrics.items()} == {"code_bleu": (0.5, 2)}


def test_a_score_names_the_versions_that_decide_code_bleu() -> None:
    """The versions are listed by language if an answer has the figure; a verdict without it needs none."""
    languages = {at: rows("unittests")[at]["inputs"]["language"] for at in (0, 1)}
    tasks = {at: _task(at) for at in languages}
    judged = {at: [JudgedAnswer(Outcome.scored, scores={"code_bleu": 0.5})] for at in languages}
    (note,) = (each for each in TRACK.measures.notes(tasks, judged, (1,)) if each.startswith("CodeBLEU"))

    for name in ("tree-sitter", *(GRAMMARS[each].module.replace("_", "-") for each in languages.values())):
        assert f"{name} {version(name)}" in note
    plain = {0: [JudgedAnswer(Outcome.passed)]}
    assert not any("tree-sitter" in each for each in TRACK.measures.notes(tasks, plain, (1,)))


@pytest.mark.usefixtures("jail")
def test_specs_of_two_profiles_are_checked_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """JavaTestGen has two specs of each task, and each answer is judged by both of them."""
    need_module("tree_sitter_c_sharp")
    task, checked = TRACK.read_row(Fields(row("Python"), "rows.jsonl", 1)), list[WrittenTestsSpec]()

    def counted(runner: SuiteRunner, spec: WrittenTestsSpec) -> RowCheck:
        checked.append(spec)
        return check_row(runner, spec)

    monkeypatch.setattr("benchwright.judges.written_tests.judge.check_row", counted)
    whole = TRACK.spec(task, profile="strict")
    strict = replace(whole, mutants=whole.mutants[:1], baselines={}, likeness=None)
    specs = [strict, replace(strict, mutants=(), untested_passes=True)]
    with ExitStack() as closing, Sandbox() as box:
        judge = WrittenTestsJudge(Resources(box, closing))
        for spec in (*specs, *specs):
            pending = judge.judge(Extraction(program="", rule="strict"), spec)
            assert callable(pending)
            assert pending().outcome is Outcome.no_code

    assert checked == specs
