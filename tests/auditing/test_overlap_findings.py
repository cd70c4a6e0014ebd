"""Doubles within a data set, and tasks that a corpus holds."""

from __future__ import annotations

import json
from pathlib import Path

from benchwright.auditing.audit_tasks import AuditTask
from benchwright.auditing.overlap_findings import contaminated, duplicates
from benchwright.auditing.row_loading import load_audit
from benchwright.building.text_overlap import corpus_texts
from kit.audit_rows import row, sound
from kit.small_data import write

BODY = """    found = []
    for item in items:
        if item > 3 and item not in found:
            found.append(item * 2)
    return sorted(found, key=lambda each: -each)
"""
RENAMED = (
    BODY.replace("found", "kept").replace("item ", "one ").replace("item.", "one.").replace("(item", "(one")
)
TESTS = ["assert candidate([1, 5]) == [10]"]


def loaded(folder: Path, *tasks: dict[str, object]) -> list[AuditTask]:
    """Rows as the audit has them."""
    return load_audit(write(folder / "rows.jsonl", tasks)).tasks


def test_doubles_are_told_by_kind(tmp_path: Path) -> None:
    """The same row under another id, one word changed, and the same solution under other names."""
    first = row(
        "first",
        "Double all items above three, each once, the largest first. " * 4,
        BODY,
        TESTS,
        arguments="items",
    )
    again = {**first, "task_id": "Own/again"}
    near = {**first, "task_id": "Own/near", "prompt": str(first["prompt"]).replace("Double", "Twice", 1)}
    other = row(
        "other", "Quite another sentence about what is to be done here.", RENAMED, TESTS, arguments="items"
    )

    found = [
        (each.task, each.code, each.evidence["task"])
        for each in duplicates(loaded(tmp_path, first, again, near, other))
    ]

    assert found == [
        ("Own/again", "duplicate", "Own/first"),
        ("Own/near", "near_duplicate", "Own/first"),
        ("Own/other", "same_solution", "Own/first"),
    ]


def test_different_tasks_are_no_doubles(tmp_path: Path) -> None:
    """Short solutions that happen to be alike say nothing."""
    tasks = loaded(
        tmp_path,
        sound(3)[0],
        row("other", "Add.", "    return x + 1\n", TESTS),
        row("more", "Inc.", "    return x + 1\n", TESTS),
    )

    assert list(duplicates(tasks)) == []


def test_a_corpus_that_holds_a_solution_is_named(tmp_path: Path) -> None:
    """A file among others, or a row of a data set, with the part and the share."""
    first = row(
        "first", "Double all items above three, each once, the largest first.", BODY, TESTS, arguments="items"
    )
    tasks = loaded(tmp_path, first, sound(3)[0])
    corpus = tmp_path / "corpus"
    (corpus / "inner").mkdir(parents=True)
    (corpus / "inner" / "a.py").write_bytes(b"\xff\n# " + str(first["prompt"]).encode() + BODY.encode())
    (corpus / "b.jsonl").write_text(json.dumps({"text": {"code": ["x", BODY]}}) + "\nnot json\n")

    found = list(contaminated(tasks, corpus_texts([corpus])))

    assert {(each.task, each.evidence["part"]) for each in found} >= {("Own/first", "solution")}
    assert all("corpus" in str(each.evidence["place"]) and each.task == "Own/first" for each in found)
