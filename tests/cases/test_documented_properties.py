"""Each property of the guide's table goes through the reader, and ends as values or as a row's fault.

A property's parameter once ended the interpreter itself, so everything here runs in a process of its own.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchwright.cases.reading import PARAMETERS
from kit.made_entries import TEXT
from kit.processes import HANG_S

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs/aicodereval.md"
# By property: parameters that are right, and parameters that are not.
RIGHT = {
    "type": ["int", "none", ["int", "str"], ["set"]],
    "length": [0, 3, [1, 5], [0, None], [2, 2]],
    "keys": [["label", "score"], [], [1, "a"]],
    "range": [[0, 1], [None, 1], [0.5, None], [None, None]],
    "finite": [True, False],
    "sums_to": [1, 0.5],
    "one_of": [["POSITIVE", "NEGATIVE"], [1]],
    "contains": [["cat"], [1, "b"]],
    "sorted": ["ascending", "descending"],
    "shape": [[2, None], [0], [None]],
    "each": [{"type": "int"}, {"length": [1, None]}, {"each": {"length": 2}}],
    "at": [{"label": {"type": "str"}}, {"0": {"length": 4}}],
    "equal_to_call": [{"args": ["a"]}, {"kwargs": {"k": 1}}, {}],
    "differs_from_call": [{"args": ["a"], "kwargs": {}}],
}
WRONG = {
    "type": [[], "text", 3, ["int", "nothing"], None],
    "length": [-1, [-1, 2], [1, -2], [5, 1], [1], [1, 2, 3], "3", 1.5, None, [None, 1], {}, True],
    "keys": ["label", {"a": 1}, None, [1.5]],
    "range": [1, [1], [1, 0], ["a", 1], None, {}],
    "finite": [1, "yes", None],
    "sums_to": ["1", None, []],
    "one_of": [[], "POSITIVE", None],
    "contains": [[], "cat", {}],
    "sorted": ["up", 1, None],
    "shape": [[], [-1], 2, ["a"], [2, -2], None],
    "each": [{}, [], {"length": -1}, {"nothing": 1}, "int"],
    "at": [{}, {"a": 1}, {"a": {"length": [3, 1]}}, []],
    "equal_to_call": [[], {"arguments": []}, 1],
    "differs_from_call": ["a", {"args": 1}],
}
_READ = """
import json, sys
import msgspec
from benchwright.cases.reading import faults_of
from benchwright.contracts import CallCase
for line in sys.stdin:
    row = {"name": "n", "level": "normal", "input": {"args": [1]}, "expected": json.loads(line)}
    case = msgspec.convert(row, CallCase)
    print(json.dumps([fault.code for fault in faults_of([case])]), flush=True)
"""


def _documented() -> list[str]:
    section = GUIDE.read_text("utf-8").partition("| property | parameter |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


def _read(expected: list[dict[str, object]]) -> list[list[str]]:
    """The codes of the faults of each, found by another process."""
    lines = "\n".join(map(json.dumps, expected))
    done = subprocess.run(
        [sys.executable, "-c", _READ],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )
    assert done.returncode == 0, done.stderr[-500:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_tables_name_every_documented_property() -> None:
    """Nothing is in the guide that is not tried here, or that the reader does not know."""
    assert sorted(_documented()) == sorted(RIGHT) == sorted(WRONG) == sorted(PARAMETERS)


def test_right_parameters_have_no_fault() -> None:
    """Whatever form of a parameter the guide names."""
    pairs = [(name, each) for name, given in RIGHT.items() for each in given]
    found = _read([{"properties": {name: each}, "abs_tol": 0.1} for name, each in pairs])

    assert [pair for pair, codes in zip(pairs, found, strict=True) if codes] == []


def test_wrong_parameters_are_faults_of_the_row() -> None:
    """Each is named as `bad_property`; none ends the process."""
    pairs = [(name, each) for name, given in WRONG.items() for each in given]
    found = _read([{"properties": {name: each}, "abs_tol": 0.1} for name, each in pairs])

    assert [pair for pair, codes in zip(pairs, found, strict=True) if "bad_property" not in codes] == []


def test_each_property_is_read_by_the_commands(tmp_path: Path) -> None:
    """By `check` of a data set and by a build's reader of drafts, in a process of its own."""
    rows = []
    for name, parameter in ((name, each) for name, given in RIGHT.items() for each in given):
        case = {
            **TEXT["cases"][0],
            "name": f"n{len(rows)}",
            "expected": {"properties": {name: parameter}, "abs_tol": 0.1},
        }
        rows.append({**TEXT, "task_id": f"{name}-{len(rows)}", "cases": [case]})
    data = tmp_path / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))

    done = subprocess.run(
        [sys.executable, "-c", _READ_ROWS, str(data)],
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )

    assert (done.returncode, done.stdout) == (0, f"{len(rows)}\n"), done.stderr[-500:]


_READ_ROWS = """
import json, sys
from benchwright.tracks.aicodereval.entry import build
from benchwright.tracks.rows import Fields
from benchwright.building.aicodereval.collect_drafts import StoredDrafts
from benchwright.building.aicodereval.form_gates import schema
from benchwright.building.aicodereval.release_options import EntryBounds
from pathlib import Path
rows = [json.loads(line) for line in open(sys.argv[1])]
tasks = [build(Fields(row, sys.argv[1], number)) for number, row in enumerate(rows, 1)]
drafts = Path(sys.argv[1] + ".drafts")
drafts.write_text("".join(json.dumps({"entry": row, "licence": "MIT"}) + "\\n" for row in rows))
found = [each.record for each in StoredDrafts(str(drafts)).collect(drafts.parent, print).items]
assert not any(schema(EntryBounds()).decide(each).reason for each in found)
print(len(tasks))
"""


def _bounded_members(path: Path) -> Iterator[str]:
    """Unions in a file one of whose members has bounds and another holds such a member inside."""
    text = path.read_text("utf-8")
    if "Annotated[" not in text:
        return
    tree = ast.parse(text)
    named = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and _is_annotated(node.value, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            members = [node.left, node.right]
            if any(_is_annotated(each, named) for each in members) and any(map(_is_container, members)):
                yield f"{path.name}:{node.lineno}"


def _is_annotated(node: ast.expr, named: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in named
    return isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Annotated")


def _is_container(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("tuple", "list", "dict", "set")


def test_no_union_of_a_bounded_type_and_a_container() -> None:
    """Converting to such a union ends the interpreter, in every version that was tried."""
    files = (ROOT / "src/benchwright").rglob("*.py")

    assert [place for path in files for place in _bounded_members(path)] == []


def test_the_shape_that_crashed_is_found(tmp_path: Path) -> None:
    """The search sees it, written out or by a name."""
    path = tmp_path / "shape.py"
    path.write_text(
        "C = Annotated[int, Meta(ge=0)]\nA = C | tuple[C, C | None]\nB = Annotated[int, Meta(ge=0)] | list[C]\n"
    )

    assert [*_bounded_members(path)] == ["shape.py:2", "shape.py:3"]
