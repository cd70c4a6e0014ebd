"""Texts of tasks that a corpus holds: files, folders and rows, in runs of ten tokens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright.building.text_overlap import CorpusText, corpus_digests, corpus_matches, corpus_texts
from benchwright.errors import UsageError

TEXT = "one two three four five six seven eight nine ten eleven twelve"


def test_the_texts_of_a_corpus(tmp_path: Path) -> None:
    """Each row of a data set with all its texts, each other file whole, whatever its bytes."""
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.py").write_bytes(b"\xff one")
    (tmp_path / "b.jsonl").write_text(json.dumps({"text": {"code": ["x", "y"]}}) + "\nnot json\n")

    found = list(corpus_texts([tmp_path]))

    assert found == [(f"{tmp_path}/b.jsonl:1", "x\ny"), (f"{tmp_path}/inner/a.py", "� one")]


def test_a_corpus_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A slip in a path must not read as "no contamination"."""
    with pytest.raises(UsageError, match="no such file or folder"):
        list(corpus_texts([tmp_path / "nothing"]))


def test_a_corpus_is_known_by_its_content(tmp_path: Path) -> None:
    """Moved it is the same, changed it is another."""
    for name, text in (("a", "x"), ("b", "x"), ("c", "y")):
        (tmp_path / name).write_text(text)
    one, same, other = (corpus_digests([tmp_path / name]) for name in "abc")

    assert one == same != other


def test_the_text_that_holds_most_is_named() -> None:
    """Half of the runs at least, in one text: two texts with a third each hold nothing."""
    words = TEXT.split()
    pieces = [CorpusText("first", " ".join(words[:10])), CorpusText("last", " ".join(words[2:]))]
    whole = CorpusText("whole", f"before {TEXT} behind")
    parts = [("task", "prompt", TEXT)]

    assert list(corpus_matches(parts, pieces)) == []
    (held,) = corpus_matches(parts, [*pieces, whole])
    assert (held.unit, held.evidence) == ("task", {"part": "prompt", "share": 1.0, "place": "whole"})
