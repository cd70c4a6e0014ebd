"""A docstring in a language other than the set's is reported; code and examples have no language."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.auditing.prompt_findings import other_languages
from benchwright.auditing.row_loading import load_audit
from kit.audit_rows import row
from kit.small_data import write

RUSSIAN = ("Верните сумму всех чисел списка.", "Верните наибольшее из чисел.", "Отсортируйте слова по длине.")
ENGLISH = ("Return the sum of all numbers.", "Give the largest of the numbers.", "Sort the words by length.")
CHINESE = "返回列表中所有数字的总和，如果列表为空则返回零。"


def _found(folder: Path, *docstrings: str) -> list[tuple[str, str]]:
    rows = [
        row(f"f_{number}", text, "    return x\n", ["assert candidate(1) == 1"])
        for number, text in enumerate(docstrings)
    ]
    tasks = load_audit(write(folder / "rows.jsonl", rows)).tasks
    return [(each.task, each.detail) for each in other_languages(tasks)]


@pytest.mark.parametrize(
    ("docstrings", "told"),
    [
        ((*RUSSIAN, ENGLISH[0]), "the docstring is in English, those of most tasks in Russian"),
        ((*ENGLISH, RUSSIAN[0]), "the docstring is in Russian, those of most tasks in English"),
        ((*RUSSIAN, CHINESE), "the docstring is in Chinese, those of most tasks in Russian"),
    ],
)
def test_a_docstring_nobody_translated(tmp_path: Path, docstrings: tuple[str, ...], told: str) -> None:
    """For each language of the other tasks."""
    assert _found(tmp_path, *docstrings) == [("Own/f_3", told)]


@pytest.mark.parametrize(
    "docstrings",
    [
        RUSSIAN,
        (*RUSSIAN, ""),
        (*RUSSIAN, "x"),
        (*RUSSIAN, "\n    >>> f_3('one two three four')\n    1\n"),
        (*RUSSIAN, "Верните x.\n    f_3('the words are long and many here')\n    1"),
        (*RUSSIAN[:2], *ENGLISH[:2]),
    ],
)
def test_what_is_in_no_other_language(tmp_path: Path, docstrings: tuple[str, ...]) -> None:
    """One language, hardly any words, examples, and a set without a main language."""
    assert _found(tmp_path, *docstrings) == []
