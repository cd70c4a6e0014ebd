"""Refactorings on a gold set of small changes, written for this test, with the measured precision and recall."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from benchwright.building.alignment.refactorings import (
    found_refactorings,
    functions,
    refactorings,
    with_refactorings,
)
from benchwright.sources.clone_objects import CloneObjects
from benchwright.sources.events import RepoEvent
from kit.command_line import called
from kit.made_changes import MadeChanges

PARSE = """def parse_line(line, sep):
    parts = [part.strip() for part in line.split(sep)]
    if not parts[0]:
        raise ValueError("empty key")
    return parts[0], sep.join(parts[1:])
"""
TOTAL = """def total(rows, rate):
    result = 0
    for row in rows:
        if row.active:
            result += row.amount * rate
    return round(result, 2)
"""
REPORT = """def report(rows, rate, out):
    result = 0
    for row in rows:
        if row.active:
            result += row.amount * rate
    result = round(result, 2)
    out.write("total: ")
    out.write(str(result))
    out.flush()
"""
REPORT_CALLS = """def report(rows, rate, out):
    result = total(rows, rate)
    out.write("total: ")
    out.write(str(result))
    out.flush()
"""
LOAD = """def load(path):
    with open(path) as stream:
        data = stream.read()
    return [int(word) for word in data.split() if word.isdigit()]
"""
OTHER = """def connect(host, port, retries):
    while retries > 0:
        sock = make_socket(host, port)
        if sock.ready():
            return sock
        retries -= 1
    raise TimeoutError(host)
"""
JAVA = """class Cart {{
    private int {name}(List<Item> items, int rate) {{
        int result = 0;
        for (Item item : items) {{
            if (item.isActive()) {{ result += item.price() * rate; }}
        }}
        return result / 100;
    }}
}}
"""
GO = """package cart

func {name}(items []Item, rate int) int {{
	result := 0
	for _, item := range items {{
		if item.Active {{
			result += item.Price * rate
		}}
	}}
	return result / 100
}}
"""
SCRIPT = """function {name}(items, rate) {{
  let result = 0;
  for (const item of items) {{
    if (item.active) {{ result += item.price * rate; }}
  }}
  return Math.round(result / 100);
}}
"""
CALLER = "def run(line):\n    return {name}(line, ':')\n"


def in_class(code: str, name: str) -> str:
    body = "".join(f"    {line}\n" for line in code.splitlines())
    return f"class {name}:\n{body}"


class GoldChange(NamedTuple):
    """A change of files, and its refactorings as (kind, name before, name after)."""

    name: str
    before: dict[str, str]
    after: dict[str, str]
    found: set[tuple[str, str, str]]


def renamed(code: str, old: str, new: str) -> str:
    return code.replace(old, new)


GOLD = [
    GoldChange("rename", {"a.py": PARSE + CALLER.format(name="parse_line")},
               {"a.py": renamed(PARSE, "parse_line", "split_pair") + CALLER.format(name="split_pair")},
               {("rename", "parse_line", "split_pair")}),
    GoldChange("rename and a small edit", {"a.py": TOTAL},
               {"a.py": TOTAL.replace("total", "sum_active").replace("round(result, 2)", "round(result, 3)")},
               {("rename", "total", "sum_active")}),
    GoldChange("rename a method", {"a.py": in_class(LOAD, "Store")},
               {"a.py": in_class(LOAD.replace("def load", "def read_numbers"), "Store")},
               {("rename", "Store.load", "Store.read_numbers")}),
    GoldChange("two renames", {"a.py": PARSE + TOTAL},
               {"a.py": renamed(PARSE, "parse_line", "pair") + renamed(TOTAL, "total", "amount")},
               {("rename", "parse_line", "pair"), ("rename", "total", "amount")}),
    GoldChange("rename in Java", {"Cart.java": JAVA.format(name="sum")}, {"Cart.java": JAVA.format(name="total")},
               {("rename", "Cart.sum", "Cart.total")}),
    GoldChange("rename in Go", {"cart.go": GO.format(name="sum")}, {"cart.go": GO.format(name="total")},
               {("rename", "sum", "total")}),
    GoldChange("rename in JavaScript", {"c.js": SCRIPT.format(name="sum")}, {"c.js": SCRIPT.format(name="total")},
               {("rename", "sum", "total")}),
    GoldChange("move to another file", {"a.py": PARSE + TOTAL, "b.py": LOAD}, {"a.py": PARSE, "b.py": LOAD + TOTAL},
               {("move", "total", "total")}),
    GoldChange("move to a new file", {"a.py": PARSE + TOTAL}, {"a.py": PARSE, "new.py": TOTAL},
               {("move", "total", "total")}),
    GoldChange("move into a class", {"a.py": LOAD}, {"a.py": in_class(LOAD, "Store")},
               {("move", "load", "Store.load")}),
    GoldChange("move between classes", {"a.py": in_class(TOTAL, "A") + in_class(LOAD, "B")},
               {"a.py": in_class(LOAD, "B") + in_class(TOTAL, "C")}, {("move", "A.total", "C.total")}),
    GoldChange("move in Go", {"a.go": GO.format(name="sum"), "b.go": "package cart\n"},
               {"a.go": "package cart\n", "b.go": GO.format(name="sum")}, {("move", "sum", "sum")}),
    GoldChange("extract", {"a.py": REPORT}, {"a.py": TOTAL + REPORT_CALLS}, {("extract", "report", "total")}),
    GoldChange("extract to another file", {"a.py": REPORT, "b.py": LOAD},
               {"a.py": REPORT_CALLS, "b.py": LOAD + TOTAL}, {("extract", "report", "total")}),
    GoldChange("move and rename", {"a.py": PARSE, "b.py": LOAD},
               {"a.py": "", "b.py": LOAD + renamed(PARSE, "parse_line", "pair")}, {("move", "parse_line", "pair")}),
    # changes that are none
    GoldChange("a copy under another name", {"a.py": PARSE}, {"a.py": PARSE + renamed(PARSE, "parse_line", "pair")},
               set()),
    GoldChange("replaced by something else", {"a.py": LOAD}, {"a.py": OTHER}, set()),
    GoldChange("a new body", {"a.py": LOAD}, {"a.py": OTHER.replace("connect", "load")}, set()),
    GoldChange("only comments and white space", {"a.py": PARSE}, {"a.py": "# note\n\n\n" + PARSE}, set()),
    GoldChange("a new function that nobody lost", {"a.py": LOAD}, {"a.py": LOAD + TOTAL}, set()),
    GoldChange("a call without a lost body", {"a.py": REPORT},
               {"a.py": TOTAL + REPORT.replace("out.flush()", "out.flush(total(rows, rate))")}, set()),
    GoldChange("short functions swapped", {"a.py": "def one(self):\n    return self.a\n"},
               {"a.py": "def two(self):\n    return self.b\n"}, set()),
    GoldChange("a renamed file", {"a.py": PARSE, "c.txt": "x"}, {"b.py": PARSE, "c.txt": "x"}, set()),
    GoldChange("a removed function", {"a.py": PARSE + LOAD}, {"a.py": PARSE}, set()),
    GoldChange("a broken file", {"a.py": PARSE}, {"a.py": "def (:\n"}, set()),
    GoldChange("small fixtures of tests that look alike",
               {"t.py": in_class("def tearDown(self):\n    shutil.rmtree(self.cache)\n", "TestCache")},
               {"t.py": in_class("def tearDown(self):\n    shutil.rmtree(self.store)\n", "TestStore")}, set()),
    GoldChange("extract where two classes have a function of the same name", {"a.py": in_class(REPORT, "A"),
               "b.py": LOAD}, {"a.py": in_class(TOTAL + REPORT_CALLS, "A"), "b.py": LOAD + in_class(TOTAL, "B")},
               {("extract", "A.report", "A.total")}),
    GoldChange("tests that look alike",
               {"t.py": "def test_one():\n    value = make(1)\n    assert value.total == 1\n    assert value.name\n"},
               {"t.py": "def test_many():\n    with raises(KeyError):\n        find(7)\n    assert store.empty()\n"},
               set()),
]  # fmt: skip


def commit_of(tmp_path: Path, gold: GoldChange) -> set[tuple[str, str, str]]:
    made = MadeChanges(tmp_path / "clone")
    made.land(gold.before)
    made.land(gold.after)
    found = refactorings(made.events[-1], CloneObjects(made.path))
    return {(each.state, *each.text.split(" -> ")) for each in found}  # type: ignore[misc]


@pytest.mark.parametrize("gold", GOLD, ids=lambda gold: gold.name)
def test_refactorings_of_the_gold_set(tmp_path: Path, gold: GoldChange) -> None:
    assert commit_of(tmp_path, gold) == gold.found


def test_precision_and_recall_on_the_gold_set(tmp_path: Path) -> None:
    right = found = wanted = 0
    for number, gold in enumerate(GOLD):
        made = commit_of(tmp_path / str(number), gold)
        right, found, wanted = right + len(made & gold.found), found + len(made), wanted + len(gold.found)
    assert wanted >= 15
    assert right >= 0.95 * found and right >= 0.9 * wanted


def test_an_event_says_that_it_is_a_heuristic(tmp_path: Path) -> None:
    made = MadeChanges(tmp_path / "clone")
    made.land(GOLD[0].before)
    sha = made.land(GOLD[0].after)
    (event,) = refactorings(made.events[-1], CloneObjects(made.path))
    assert (event.kind, event.subject, event.tool.startswith("heuristic")) == (
        "refactoring",
        f"commit:{sha}",
        True,
    )
    assert event.files[0].path == "a.py"


class NamedCleaner:
    """A cleaner that a test can see."""

    def text(self, text: str) -> str:
        return text.replace("split_pair", "CLEANED")

    def person(self, identity: str) -> str:
        return identity


def test_refactorings_come_before_their_commit_with_cleaned_names(tmp_path: Path) -> None:
    made = MadeChanges(tmp_path / "clone")
    made.land(GOLD[0].before)
    made.land(GOLD[0].after)
    found = list(with_refactorings(made.events, CloneObjects(made.path), NamedCleaner()))
    assert [each.kind for each in found if isinstance(each, RepoEvent)] == [
        "commit",
        "refactoring",
        "commit",
    ]
    assert isinstance(found[1], RepoEvent) and found[1].text == "parse_line -> CLEANED"


def test_many_functions_are_left_out() -> None:
    before = functions(
        "a.py", [line for n in range(300) for line in PARSE.replace("parse_line", f"f{n}").splitlines()]
    )
    after = functions(
        "a.py", [line for n in range(300) for line in PARSE.replace("parse_line", f"g{n}").splitlines()]
    )
    assert len(before) == len(after) == 300 and not found_refactorings(before, after)


def test_a_file_of_an_unknown_language_has_no_functions() -> None:
    assert not functions("notes.txt", PARSE.splitlines())


def test_a_build_stores_refactorings_only_if_they_are_asked_for(tmp_path: Path) -> None:
    made = MadeChanges(tmp_path / "clone")
    made.land(GOLD[0].before)
    made.git.references.create("refs/heads/main", made.land(GOLD[0].after))
    made.git.set_head("refs/heads/main")
    for number, wanted in enumerate(([], ["--refactorings"])):
        out = tmp_path / str(number)
        place = ["--from", str(made.path), "--name", "owner/name", "--out", str(out)]
        done = called("build", "alignment", *place, "--licence-unknown", "keep", "-q", *wanted)
        assert done.code == 0, done.err
        stored = [line for path in out.glob("events/*/*.jsonl") for line in path.read_text().splitlines()]
        assert sum('"kind":"refactoring"' in line for line in stored) == len(wanted)
