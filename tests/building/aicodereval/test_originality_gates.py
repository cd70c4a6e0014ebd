"""The gate about a corpus: what stands in it is told from what does not, by all parts of a draft."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.building.aicodereval.originality_gates import CorpusGate
from benchwright.contracts import KEEP
from benchwright.errors import UsageError
from kit.made_drafts import sound


def test_a_solution_that_stands_in_the_corpus(tmp_path: Path) -> None:
    """Its draft is refused with the place and the share; another one is kept."""
    held, other = sound()[:2]
    (tmp_path / "seen.py").write_text(f"def seen(text):\n{held.entry.implementation}\n")
    gate = CorpusGate([str(tmp_path)])
    drafts = list(gate.searched([held, other]))
    decision = gate.decide(held)

    assert (drafts, gate.decide(other)) == ([held, other], KEEP)
    assert (decision.reason, [each["part"] for each in decision.evidence["found"]]) == (
        "in_corpus",
        ["solution"],
    )
    assert f"stands in {tmp_path}/seen.py" in decision.detail


def test_a_prompt_that_stands_in_the_corpus(tmp_path: Path) -> None:
    """The description and the head of the function are enough."""
    held = sound()[0]
    text = f"{held.entry.description} {held.entry.signature} {held.entry.docstring}"
    (tmp_path / "seen.txt").write_text(text)
    gate = CorpusGate([str(tmp_path / "seen.txt")])
    list(gate.searched([held]))

    assert [each["part"] for each in gate.decide(held).evidence["found"]] == ["prompt"]


def test_a_corpus_that_is_not_there(tmp_path: Path) -> None:
    """It is refused before anything is built."""
    with pytest.raises(UsageError, match="no such file or folder"):
        CorpusGate([str(tmp_path / "nothing")])
