"""Programs extracted again with the data set, and canonical solutions for comparison."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from benchwright import registry
from benchwright.errors import DataError
from benchwright.records import Answer
from benchwright.report.programs import Programs, open_programs, without_docstrings
from benchwright.store.runfolder import RunFolder
from kit import small_data
from kit.made_runs import finished_run


def answer(text: str, task_id: int | str = "Small/0") -> Answer:
    """Return an answer with this text."""
    return Answer(key="k", task_id=task_id, sample=0, model="m", text=text)


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    """Return the programs of a small data set in HumanEval's shape."""
    track = registry.find("track", "humaneval")
    tasks = {task.task_id: task for task in track.load(small_data.humaneval(tmp_path))}
    return Programs(track, tasks, profile="strict")


def test_a_program_is_what_was_judged(programs: Programs) -> None:
    """The run's extraction is repeated; without a program it is empty."""
    assert programs.program(answer("Sure:\n```python\ndef plus_0(x):\n    return x\n```")) == (
        "def plus_0(x):\n    return x\n"
    )
    assert programs.program(answer("I cannot help.")) == ""
    assert programs.program(answer("x", "another/data/set")) is None


def test_canonical_solutions_have_two_forms(programs: Programs) -> None:
    """With and without the prompt's docstring, since answers come in both forms."""
    assert programs.canonical("Small/0") == [
        'def plus_0(x):\n    """Give x + 0."""\n    return x + 0\n',
        "def plus_0(x):\n    return x + 0\n",
    ]
    assert programs.canonical("nowhere") == []


def test_a_private_task_has_no_canonical_solution(tmp_path: Path) -> None:
    """There is nothing to compare with."""
    track = registry.find("track", "humaneval")
    data = small_data.write(tmp_path / "d.jsonl", [small_data.humaneval_row(0, canonical_solution="")])
    tasks = {task.task_id: task for task in track.load(data)}

    assert Programs(track, tasks, profile="strict").canonical("Small/0") == []


def test_questions_are_what_was_asked(programs: Programs) -> None:
    """The row's own text, or the variants of the answers, and no others."""
    own = programs.questions("Small/0", None, {""})
    prompts = {"design": "all", "language": "en", "form": "chat"}
    variants = programs.questions("Small/0", prompts, {"en-02", "en-07"})

    assert own == {"": 'def plus_0(x):\n    """Give x + 0."""\n'}
    assert (sorted(variants), all("def plus_0(x):" in text for text in variants.values())) == (
        ["en-02", "en-07"],
        True,
    )
    assert programs.questions("nowhere", None, {""}) == {}


def test_data_that_moved_is_not_looked_for(tmp_path: Path) -> None:
    """If the data set is missing or has changed, there are no programs and no error."""
    data = small_data.humaneval(tmp_path)
    folder = RunFolder.read(finished_run(tmp_path / "run", data, {"Small/0": [("a", "passed")]}))
    found, _ = open_programs([folder])
    data.write_text(data.read_text() + "\n\n")
    same_rows, _ = open_programs([folder])
    data.unlink()

    assert found is not None
    assert (same_rows, open_programs([folder])[0]) == (None, None)


def test_any_of_the_runs_may_know_the_data(tmp_path: Path) -> None:
    """Runs of one data set may have different paths to it, and one may still be valid."""
    data = small_data.humaneval(tmp_path)
    rows = {"Small/0": [("a", "passed")]}
    folders = [RunFolder.read(finished_run(tmp_path / name, data, rows)) for name in ("one", "two")]
    folders[0].manifest["data"] = "/nowhere/tasks.jsonl"

    assert open_programs(folders)[0] is not None


def test_data_that_is_read_otherwise_today(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A data set that only an earlier version could read does not stop the report, which has the reason."""
    data = small_data.humaneval(tmp_path)
    folder = RunFolder.read(finished_run(tmp_path / "run", data, {"Small/0": [("a", "passed")]}))
    track = registry.find("track", "humaneval")

    def refuse(source: object) -> None:
        raise DataError("a field is missing", path=str(source), line=1)

    monkeypatch.setattr(type(track), "load", lambda self, source: refuse(source))
    programs, why = open_programs([folder])

    assert programs is None
    assert "its data set cannot be read: " in why and why.count("a field is missing") == 1


@pytest.mark.parametrize(
    ("source", "bare"),
    [
        ('def f():\n    """One."""\n    return 1\n', "def f():\n    return 1\n"),
        ('def f():\n    """One.\n\n    Two.\n    """\n\n\n    return 1\n', "def f():\n    return 1\n"),
        ('def f():\n    """Alone."""\n', 'def f():\n    """Alone."""\n'),
        ('def f(): "one line"; return 1\n', 'def f(): "one line"; return 1\n'),
        (
            'class A:\n    """A."""\n    def f(self):\n        """F."""\n        return 1\n',
            "class A:\n    def f(self):\n        return 1\n",
        ),
        ("def f(:\n", "def f(:\n"),
        ("x = '''no docstring'''\n", "x = '''no docstring'''\n"),
    ],
)
def test_docstrings_go(source: str, bare: str) -> None:
    """Of functions and classes, with the blank lines after them; code that does not parse is unchanged."""
    assert without_docstrings(source) == bare


def test_what_is_left_is_a_program() -> None:
    """Statements after a docstring on its last line, decorators and nesting are kept."""
    source = (
        "@d\ndef f(x):\n    '''A'''\n    def g():\n        '''B'''\n        return x\n    return g\n\n\n"
        "async def h():\n    '''C\n    '''\n    return await f(1)\n"
    )
    tree = ast.parse(without_docstrings(source))

    assert [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)] == [
        None
    ] * 2
    assert len(tree.body) == 2
