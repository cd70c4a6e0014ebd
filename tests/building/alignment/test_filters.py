"""Filters of the alignment data set: counted, reversible, the same in every build."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchwright.building.alignment.decontamination import Benchmark, BenchmarkIndex, added_lines
from benchwright.building.alignment.filter_rules import (
    FILTERS,
    ChangedFile,
    FilterCandidate,
    RowFacts,
    is_generated,
)
from benchwright.building.alignment.filters import applied
from benchwright.building.alignment.options import AlignmentOptions
from benchwright.building.alignment.pipeline import build
from benchwright.building.alignment.release_rows import COMMITS, FEEDBACK, ReleaseRow
from benchwright.building.engine.gates import decide, refusal
from benchwright.contracts import StatefulGate
from benchwright.errors import UsageError
from benchwright.sources.cleaning.text_cleaner import open_cleaner
from kit.people_history import people_history

OPTIONS = AlignmentOptions(sources=("x",))


def reason(name: str, facts: RowFacts, *, table: str = COMMITS, row_id: str = "c") -> str:
    """The reason of one filter for one row; empty if it is kept."""
    row = ReleaseRow(table=table, id=row_id, repo="a/b", licence="MIT")
    gate = next(opener for each, opener, _ in FILTERS if each == name)(OPTIONS)
    refused = refusal(decide(FilterCandidate(row, facts), [gate]))
    return refused.reason if refused else ""


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("wip", "work_in_progress"),
        ("WIP: parse numbers", "work_in_progress"),
        ("fixup! Parse numbers", "work_in_progress"),
        ("87da1ef3bf3777bf", "only_sha"),
        ("https://example.com/issue/3", "only_address"),
        ("#12", "only_number"),
        ("Fixes #12", "only_number"),
        ("Fix typo.", "trivial_message"),
        ("Parser", "trivial_message"),
        ("", "empty_message"),
        ("Parse numbers with a sign", ""),
        ("Fix #12: parse numbers", ""),
        ("Wiphone: add a driver", ""),
    ],
)
def test_messages(subject: str, expected: str) -> None:
    assert reason("messages", RowFacts(text=subject)) == expected
    assert reason("messages", RowFacts(text=subject, linked=True)) == ""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("uv.lock", True),
        ("web/app.min.js", True),
        ("a/vendor/b.py", True),
        ("api/v1_pb2.py", True),
        ("src/vendor.py", False),
        ("src/lock.py", False),
        ("docs/generated.md", False),
    ],
)
def test_generated_files_by_whole_names(path: str, expected: bool) -> None:
    assert is_generated(path) is expected
    both = (ChangedFile(path, 1, 1), ChangedFile("src/a.py", 1, 1))
    assert reason("generated", RowFacts(files=both)) == ""
    assert bool(reason("generated", RowFacts(files=both[:1]))) is expected


def test_size_and_imperative_and_bumps() -> None:
    assert reason("size", RowFacts(files=(ChangedFile("a", 5001, 0),))) == "many_lines"
    assert reason("size", RowFacts(files=(ChangedFile("a", 1, 0),) * 101)) == "many_files"
    assert reason("size", RowFacts(text=" "), table=FEEDBACK) == "empty_text"
    assert reason("imperative", RowFacts(text="fix(core): add a test")) == ""
    assert reason("imperative", RowFacts(text="The parser")) == "not_imperative"
    kept = Counter(
        reason("bumps", RowFacts(text="Bump click from 8.0 to 8.1"), row_id=str(each)) for each in range(1000)
    )
    assert 60 <= kept[""] <= 140
    assert kept == Counter(
        reason("bumps", RowFacts(text="Bump click from 8.0 to 8.1"), row_id=str(each)) for each in range(1000)
    )


def test_near_duplicates_keep_the_first() -> None:
    gate = next(opener for each, opener, _ in FILTERS if each == "near_duplicates")(OPTIONS)
    assert isinstance(gate, StatefulGate)
    text = (
        "This loop reads the file once for each line, which is slow: read it once before the loop instead. "
    )
    files = (ChangedFile("a.py", 1, 2),)
    rows = [
        (COMMITS, "1", RowFacts(text="Parse  numbers\n", files=files)),
        (COMMITS, "2", RowFacts(text="Parse numbers", files=files)),
        (COMMITS, "3", RowFacts(text="Parse numbers", files=(ChangedFile("a.py", 2, 2),))),
        (FEEDBACK, "4", RowFacts(text=text * 3)),
        (FEEDBACK, "5", RowFacts(text=text * 3 + "Please.")),
        (FEEDBACK, "6", RowFacts(text="Nit.")),
        (FEEDBACK, "7", RowFacts(text="Nit.")),
    ]
    kept = []
    for table, name, facts in rows:
        candidate = FilterCandidate(ReleaseRow(table=table, id=name, repo="a/b"), facts)
        if not gate.decide(candidate).reason:
            gate.remember(candidate)
            kept.append(name)
    assert kept == ["1", "3", "4", "6", "7"]


def test_a_run_of_thirteen_tokens_of_a_benchmark_is_found(tmp_path: Path) -> None:
    solution = "def merge(left, right):\n    taken = left[0] if left < right else right[1]\n    return taken"
    (tmp_path / "tasks.jsonl").write_text(json.dumps({"id": 1, "solution": solution}))
    index = BenchmarkIndex([Benchmark("mine", (tmp_path / "tasks.jsonl",))])
    patch = "@@ -1 +1,3 @@\n-x\n" + "".join(f"+{line}\n" for line in solution.splitlines())
    assert index.hit(added_lines(patch)) == "mine"
    assert index.hit("def merge(left, right):\n    pass") == ""
    assert index.hit(solution.replace("left", "first")) == ""
    assert reason("decontamination", RowFacts(benchmark="mine")) == "benchmark"
    assert reason("decontamination", RowFacts(text="canary GUID 1234")) == "canary"


def test_an_unknown_filter_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown filter"):
        applied(AlignmentOptions(sources=("x",), filters=("no-such",)))


def rows_of(release: Path, table: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted((release / "data" / table).glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]


def test_a_filter_is_reversible_and_counted(tmp_path: Path) -> None:
    clone, out = people_history(tmp_path / "clone"), tmp_path / "out"

    def built(*filters: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        options = AlignmentOptions(sources=(str(clone.path),), name="acme/sums", filters=filters)
        made = build(options, out, clean=open_cleaner(out))
        return made.manifest, rows_of(Path(made.release), "dropped")

    first, dropped = built()
    assert {each["filter"] for each in dropped} == {"bots", "messages"}
    assert first["tables"]["dropped"] == len(dropped) == 2
    _, left = built("no-bots")
    assert {each["filter"] for each in left} <= {"messages", "bumps"}
    every, none = built("no-bots", "no-messages", "no-bumps")
    assert none == []
    assert every["filtered"]["commits"] == first["filtered"]["commits"] + 2
    again, _ = built()
    assert again["files"] == first["files"]
