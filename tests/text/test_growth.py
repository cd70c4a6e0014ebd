"""No text is expensive to read: the cost of each reader of an answer grows linearly."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from benchwright.building.codecorrectness.generated_tests import read_reply
from benchwright.display.escape import escaped_code
from benchwright.judges.suspicion import MAX_SOURCE, suspect
from benchwright.records import Answer
from benchwright.report.answer_packing import pack
from benchwright.report.programs import without_docstrings
from benchwright.store.strict_json import replace_lone
from benchwright.text.extract import extract
from benchwright.text.fences import process_mera_code, process_mera_text
from benchwright.text.label import read_label
from benchwright.text.literal import parse_literal
from kit.growth import FEW, PER_DOUBLING, growth
from kit.hostile_texts import BOUNDED, ENTRY, FAMILIES, PROMPT

SIZE = 4_000  # characters, and eight times as many: below every limit of a reader
assert 8 * SIZE < MAX_SOURCE


def _literal(text: str) -> None:
    try:
        parse_literal(text)
    except ValueError:
        return


READERS: dict[str, Callable[[str], object]] = {
    "extract": lambda text: extract(text, prompt=PROMPT, entry_point=ENTRY),
    "label": read_label,
    "literal": _literal,
    "MERA": lambda text: (
        process_mera_code(text),
        process_mera_text(text),
        read_label(text, rule="mera-exact"),
    ),
    "suspicion": lambda text: (suspect(text), suspect("import os\n" + text)),
    "generated tests": lambda text: read_reply(
        Answer(key="", task_id="t", sample=0, model="", text=text), "Python"
    ),
    "report": lambda text: (without_docstrings(text), pack({"text": text})),
    "terminal": escaped_code,
    "export": replace_lone,
}


PAIRS = [(reader, family) for reader, families in FAMILIES.items() for family in families]


@pytest.mark.parametrize(("reader", "family"), PAIRS)
def test_twice_the_text_costs_twice(reader: str, family: str) -> None:
    """For each family of texts and its reader, a doubling costs clearly less than four times as much."""
    assert growth(READERS[reader], FAMILIES[reader][family], SIZE) <= PER_DOUBLING


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_takes_every_text(reader: str) -> None:
    """Every reader may get every text: none raises."""
    for families in (*FAMILIES.values(), BOUNDED):
        for make in families.values():
            READERS[reader](make(SIZE // 4))


def test_the_measure_sees_a_quadratic() -> None:
    """A search that restarts at each character, as a careless pattern does, fails the measure."""
    quadratic = re.compile(r"=+ passed")

    assert growth(quadratic.search, lambda size: "=" * size, 2_000, rounds=FEW) > PER_DOUBLING
