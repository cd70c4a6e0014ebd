"""From a label that was read to a verdict: the label is the right one, the other one, or there is none.

Nothing is executed, so there is no sandbox; the expected label never leaves this process.
"""

from __future__ import annotations

from benchwright.contracts import CallSpec, Extraction
from benchwright.display.escape import escaped
from benchwright.judges.python import DETAIL_LIMIT, Judgement
from benchwright.records import Outcome

FORM = "label"  # of the specs that `settle` judges


class LabelJudgement(Judgement, frozen=True, kw_only=True):
    """A judgement with what was read: `label` is "" where there was none."""

    label: str = ""
    rule: str = ""
    truncated: bool = False


def settle(taken: Extraction, spec: CallSpec) -> Judgement:
    """The judgement of a label that a track took from an answer; `spec.expected_text` holds the right one."""
    if taken.problem is not None:
        outcome, detail = Outcome(taken.problem), taken.detail
    else:
        (expected,) = spec.expected_text
        outcome = Outcome.passed if taken.program == expected else Outcome.wrong
        detail = f"said {taken.program}, expected {expected}; {taken.rule}: {taken.detail}"
    return Judgement(outcome=outcome, detail=escaped(detail[:DETAIL_LIMIT])[:DETAIL_LIMIT])


def judge_label(
    text: str, gold: str, *, profile: str = "strict", finish_reason: str | None = None
) -> LabelJudgement:
    """The judgement of one answer, for callers that have no track and no run.

    Profile "strict" reads as people do, "mera-exact" as MERA's scorer does: see `text.label`.

    >>> judge_label("The test will not pass.", "failed").outcome
    <Outcome.passed: 'passed'>
    """
    from benchwright.text.label import take_label  # noqa: PLC0415 (35 ms, and a run has a track for it)

    taken = take_label(text, profile=profile, finish_reason=finish_reason)
    judgement = settle(taken, CallSpec(form=FORM, entry_point="", expected_text=[gold]))
    return LabelJudgement(
        outcome=judgement.outcome,
        detail=judgement.detail,
        label=taken.program,
        rule=taken.rule,
        truncated=taken.truncated,
    )
