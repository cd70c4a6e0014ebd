"""Gate: no given corpus contains the prompt or solution of a draft. Training data is not a test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.corpus import IN_CORPUS, HeldPart, corpus_digests, corpus_texts, held_parts
from benchwright.contracts import KEEP, Decision
from benchwright.tracks.aicodereval.program import head_of


class CorpusGate:
    """Decides about drafts that were searched for before: a corpus is read once, for all of them.

    Raises UsageError for a missing path.
    """

    name = "aicodereval.corpus"
    version = 1

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = tuple(paths)
        self.digests = corpus_digests(self._paths)
        self._found: dict[str, list[HeldPart]] = {}

    def searched(self, drafts: Iterable[Draft]) -> Iterator[Draft]:
        """The drafts unchanged, after the corpus was searched for all of them."""
        held = list(drafts)
        parts = [(each.revision, part, text) for each in held for part, text in _parts(each)]
        self._found.clear()
        for found in held_parts(parts, corpus_texts(self._paths)):
            self._found.setdefault(found.unit, []).append(found)
        return iter(held)

    def decide(self, draft: Draft) -> Decision:
        """Refuse a draft if the corpus contains half of its prompt or its solution; all such parts are
        evidence.
        """
        found = self._found.get(draft.revision)
        if not found:
            return KEEP
        evidence = {"found": [each.evidence for each in found]}
        return Decision(reason=IN_CORPUS, detail=found[0].detail[:300], evidence=evidence)


def _parts(draft: Draft) -> Iterator[tuple[str, str]]:
    """The texts of a draft to search for, whether or not they parse."""
    yield "prompt", f"{draft.entry.description}\n{head_of(draft.entry)}"
    yield "solution", draft.entry.implementation
