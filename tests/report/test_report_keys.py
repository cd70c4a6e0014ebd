"""Keys of tasks and runs: unique for any names, and restored from an address."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, unquote

from hypothesis import given
from hypothesis import strategies as st

from benchwright.report.runs import MOST, distinct_keys, load_runs, page_address
from benchwright.report.tables import cheat_rows, slowest, task_rows
from kit import small_data
from kit.made_runs import finished_run

NAMES = st.text(st.characters(exclude_categories=("Cs",)), max_size=2 * MOST)


@given(st.lists(NAMES | st.sampled_from(["a", "a~2", "__proto__", "x" * 100]), max_size=20))
def test_keys_are_unlike_and_harmless(names: list[str]) -> None:
    """Each name has one short key, without characters that end an attribute or a part of an address."""
    keys = list(distinct_keys(names))

    assert len(keys) == len(set(keys)) == len(names)
    assert not set("".join(keys)) & set("<>\"'& =#+")
    assert all(len(unquote(key)) <= MOST + 5 for key in keys)


@given(NAMES.filter(bool), NAMES.filter(bool), st.integers(0, 999))
def test_addresses_can_be_read_back(task: str, run: str, sample: int) -> None:
    """For any key, the page's script reads it back from the part after `#`."""
    keys = list(distinct_keys([task[:MOST], run[:MOST] + "\u2026"]))
    found = parse_qs(
        page_address(*keys, sample).removeprefix("#"), strict_parsing=True, keep_blank_values=True
    )

    assert found == {"task": [unquote(keys[0])], "model": [unquote(keys[1])], "sample": [str(sample)]}


def test_equal_looks_have_different_keys(tmp_path: Path) -> None:
    """A control character and its escaped form look alike; their answers have different addresses."""
    rows = {"a\x07b": [("x", "passed")], "a\\x07b": [("y", "wrong")]}
    runs = load_runs([finished_run(tmp_path / "run", small_data.humaneval(tmp_path), rows)])
    found = task_rows(list(rows), runs)

    assert found[0].name == found[1].name
    assert [row.address for row in found] == ["#task=a%5Cx07b", "#task=a%5Cx07b~2"]


def test_every_table_makes_the_same_address(tmp_path: Path) -> None:
    """An answer has one address in its cell, as a slow one and as a cheat; on a page of two tracks, with the
    track."""
    data = small_data.humaneval(tmp_path)
    rows = {"Small/0": [("x", "wrong", {"suspicious": "ends the process", "cpu_s": 2.0})]}
    paths = [
        finished_run(tmp_path / track, data, rows, model="openai:m", track=track)
        for track in ("humaneval", "ruhumaneval")
    ]
    runs = load_runs(paths)
    cell = task_rows(["Small/0"], runs[1:])[0].cells[0]
    assert cell is not None
    expected = "#task=ruhumaneval%20Small%2F0&model=ruhumaneval%20m"

    assert (cell.address, slowest(["Small/0"], runs[1:])[0].address) == (expected, expected + "&sample=0")
    assert cheat_rows(runs[1:])[0].examples == [("Small/0 #0", expected + "&sample=0")]
