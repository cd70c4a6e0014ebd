"""The figures of a package's shape, on small packages whose figures are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import structure
from benchmarks.structure import Module
from benchmarks.structure_trace import traced
from kit.needs import need_sandbox

LAYERS = '[tool.importlinter]\n[[tool.importlinter.contracts]]\ntype = "layers"\n'
SIX = "def {}(a):\n    a += 1\n    a += 2\n    a += 3\n    a += 4\n    a += 5\n    a += 6\n    return a\n"


def package(folder: Path, **files: str) -> Path:
    """A package `made` with a project file of two layers; `sub__one` is the file `sub/one.py`."""
    root = folder / "src" / "made"
    for name, text in {"__init__": "", **files}.items():
        path = root / f"{name.replace('__', '/') if name != '__init__' else name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "pyproject.toml").write_text(f'{LAYERS}layers = ["made.top", "made.mid | made.low"]\n')
    return root


def graph_of(folder: Path, **files: str) -> structure.Graph:
    """What the files of a package import of each other."""
    return structure.import_graph(structure.read_package(package(folder, **files)))


def test_code_lines_leave_out_what_says_nothing_to_python() -> None:
    """Blanks, comments and docstrings are no code; a text over three lines that is used is."""
    module = Module(
        "m",
        '"""Doc."""\n\n# why\nX = """a\n\nb"""  # c\n\ndef f():\n    """Doc.\n\n    More."""\n    return 1\n',
    )

    assert module.code == [4, 5, 6, 8, 12]


def test_imports_are_counted_in_lines_wherever_they_stand() -> None:
    """An import over three lines is three lines, and one inside a function counts as well."""
    module = Module("m", "from a import (\n    b,\n)\ndef f():\n    import c\n    return c\n")

    assert module.imports == [1, 2, 3, 5]


def test_functions_are_measured_from_def_to_end() -> None:
    """Decorators are left out, and a function inside another counts on its own as well."""
    module = Module("m", "@d\ndef f():\n    def g():\n        pass\n    return g\n")

    assert module.function_lengths() == [4, 2]


def test_a_late_import_is_an_import_and_one_for_type_checkers_is_not(tmp_path: Path) -> None:
    """What is imported inside a function is in the graph; what stands under TYPE_CHECKING is not."""
    late = "def f():\n    from made import low\n    return low\n"
    checked = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import made.top\n"
    graph = graph_of(tmp_path, top=late, low=checked)

    assert ({"made.low"}, set()) == (graph["made.top"], graph["made.low"])


def test_a_name_of_a_package_is_an_import_of_the_package(tmp_path: Path) -> None:
    """`from made import VERSION` leads to the package's own file."""
    graph = graph_of(tmp_path, low="from made import VERSION, mid\n", mid="")

    assert {"made", "made.mid"} == graph["made.low"]


def test_cycles_are_found_whole(tmp_path: Path) -> None:
    """Three modules in a circle are one cycle, and who only uses them is no part of it."""
    graph = graph_of(
        tmp_path, low="import made.mid", mid="import made.top", top="import made.low", other="import made.low"
    )

    assert structure.cycles(graph) == [["made.low", "made.mid", "made.top"]]


def test_imports_upward_and_sideways_are_named(tmp_path: Path) -> None:
    """A lower layer may import neither a higher one, nor its neighbour, nor what is in no layer."""
    graph = graph_of(
        tmp_path,
        low="import made.top\nimport made.other",
        mid="import made.low",
        top="import made.low",
        other="",
    )
    found = structure.upward(graph, structure.read_layers(tmp_path / "pyproject.toml"))

    assert found == [("made.low", "made.other"), ("made.low", "made.top"), ("made.mid", "made.low")]


def test_equal_lines_are_one_pair_however_many(tmp_path: Path) -> None:
    """Seven equal lines in two files are one pair with the first line of both, and five are none."""
    modules = [
        Module("one", SIX.format("f")),
        Module("other", f"X = 1\n{SIX.format('g')}"),
        Module("five", SIX.format("h")[:65]),
    ]

    assert structure.duplicates(modules) == [("one", 2, "other", 3, 7)]


def test_a_class_name_counts_once_for_each_file() -> None:
    """Two files with one class name are named; private ones and those of private files are not asked."""
    text = "class Row: ...\nclass _Own: ...\n"
    modules = [Module("m.one", text), Module("m.two", text), Module("m._three", text)]

    assert structure.twice_defined(modules) == {"Row": ["m.one", "m.two"]}


def test_the_page_and_the_document_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Figures for people, and the same with what stands behind them as JSON."""
    root = package(tmp_path, top="class A:\n    def f(self):\n        return 1\n", low="class A: ...\n")
    structure.main([str(root)])
    page = capsys.readouterr().out
    structure.main([str(root), "--json"])
    document = json.loads(capsys.readouterr().out)

    assert "public class names defined twice                    1 of 1 (100.0%)" in page.splitlines()
    assert document["twice_defined"] == {"A": ["made.low", "made.top"]}
    assert (document["files"], document["code_lines"], document["functions"]) == (3, 4, 1)


def test_calls_between_files_are_noted(tmp_path: Path) -> None:
    """Each call from one file to another is a line, in order; what an import calls is not."""
    root = package(
        tmp_path,
        cli____init__="",
        cli__main="from made.low import f\ndef main():\n    f()\nmain()\n",
        low="def f():\n    from made import late\n    return late.h()\n",
        late="def g(): ...\ng()\ndef h(): ...\n",
    )

    assert traced(root, [], tmp_path / "notes") == [
        ("-", "cli/main.py"),
        ("cli/main.py", "low.py"),
        ("low.py", "late.py"),
    ]


def test_a_command_that_fails_is_no_trace(tmp_path: Path) -> None:
    """What it said is in the error."""
    root = package(tmp_path, cli____init__="", cli__main="raise SystemExit('no such option')\n")

    with pytest.raises(RuntimeError, match="no such option"):
        traced(root, [], tmp_path / "notes")


def test_workers_are_traced_too(tmp_path: Path) -> None:
    """One stored answer passes the reading of texts, which only a worker does, and the command that began it."""
    need_sandbox()
    from benchmarks import structure_trace

    words = structure_trace.answer_words(tmp_path)
    passed = {callee for _, callee in traced(structure.OURS, words, tmp_path / "notes")}

    assert {"cli/main.py", "text/fences.py"} <= passed
