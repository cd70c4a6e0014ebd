"""Lines of `show` about the assessments of model judges."""

from __future__ import annotations

from benchwright.contracts import Assessment
from benchwright.display.wording import percent

_FLAGS = {
    "own_family": "judge and answer are by models of the same family",
    "quote_not_found": "a quote is in no text",
    "later_facts": "uses facts that are later than the question",
    "contradicts_itself": "contradictory votes, or grade contradicts claims",
}


def assessment_facts(assessment: Assessment) -> list[tuple[str, str]]:
    """Return names and values: the judgement, reasons by criterion, quotes, and warnings."""
    name = f"judge {assessment.judge}"
    facts = [(name, _judgement(assessment))]
    facts += [(f"{name} on {criterion}", reason) for criterion, reason in assessment.reasons.items()]
    facts += [(f"{name} quotes", quote) for quote in assessment.evidence]
    facts += [(f"{name}, warning", _FLAGS.get(flag, flag.replace("_", " "))) for flag in assessment.flags]
    return facts


def _judgement(assessment: Assessment) -> str:
    """Format label or scores, with several votes; without a judgement, the reason."""
    if assessment.status != "judged":
        return f"{assessment.status}: {assessment.detail}" if assessment.detail else assessment.status
    parts = [f"{name.replace('_', ' ')} {percent(value)} %" for name, value in assessment.scores.items()]
    if assessment.label:
        number = assessment.reference_number
        against = "" if number is None else f", compared with reference {number}"
        parts.append(assessment.label.replace("_", " ") + against)
    votes = ", ".join(f"{name} {count}" for name, count in assessment.votes.items())
    return ", ".join(parts) + (f" (votes: {votes})" if sum(assessment.votes.values()) > 1 else "")
