"""Stage check: decisions about drafts that need no execution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchwright.building.aicodereval.nouns import Draft, ExaminedDraft
from benchwright.building.aicodereval.tiers import reasons_of
from benchwright.building.gates import decide, refusal
from benchwright.contracts import KEEP, Decision, Gate, Remembering
from benchwright.records import Drop


def checked(
    drafts: Iterable[Draft], form: Sequence[Gate[Draft]], lint: Sequence[Gate[Draft]]
) -> Iterator[ExaminedDraft | Drop]:
    """The drafts that every form gate keeps, with the decisions of the lint gates; others with all reasons.

    Lint gates are not asked about drafts that form gates refuse, since they could not read them.
    """
    remembering = [each for each in form if isinstance(each, Remembering)]
    for draft in drafts:
        decisions = decide(draft, form, every=True)
        if (refused := refusal(decisions)) is not None:
            yield _drop(draft, refused, decisions)
            continue
        for each in remembering:
            each.remember(draft)
        decisions |= decide(draft, lint, every=True)
        yield ExaminedDraft(draft=draft, decisions={k: v for k, v in decisions.items() if v != KEEP})


def _drop(draft: Draft, refused: Decision, decisions: dict[str, Decision]) -> Drop:
    evidence = {**refused.evidence, "reasons": reasons_of(decisions)}
    cpu_s = sum(each.cpu_s for each in decisions.values())
    return Drop(unit=draft.unit, reason=refused.reason, detail=refused.detail, evidence=evidence, cpu_s=cpu_s)
