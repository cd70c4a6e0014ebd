"""What a model judge says of an answer, in lines for `show`."""

from __future__ import annotations

from benchwright.contracts import Assessment
from benchwright.display.wording import percent

_FLAGS = {
    "own_family": "the answer is by a model of the judge's own family",
    "quote_not_found": "it quotes what stands in no text",
    "later_facts": "it uses facts from after the question",
    "contradicts_itself": "its votes, or its grade and its claims, contradict each other",
}


def assessment_facts(said: Assessment) -> list[tuple[str, str]]:
    """Name and value of each line: its judgement, its reasons by criterion, its quotes, and what is odd."""
    name = f"judge {said.judge}"
    facts = [(name, _judgement(said))]
    facts += [(f"{name} on {criterion}", reason) for criterion, reason in said.reasons.items()]
    facts += [(f"{name} quotes", quote) for quote in said.evidence]
    facts += [(f"{name}, odd", _FLAGS.get(flag, flag.replace("_", " "))) for flag in said.flags]
    return facts


def _judgement(said: Assessment) -> str:
    """Its label or its scores, with its votes where there are several; else why there is none."""
    if said.status != "judged":
        return f"{said.status}: {said.detail}" if said.detail else said.status
    told = [f"{name.replace('_', ' ')} {percent(value)} %" for name, value in said.scores.items()]
    if said.label:
        against = "" if said.reference_number is None else f", held against reference {said.reference_number}"
        told.append(said.label.replace("_", " ") + against)
    votes = ", ".join(f"{name} {count}" for name, count in said.votes.items())
    return ", ".join(told) + (f" (votes: {votes})" if sum(said.votes.values()) > 1 else "")
