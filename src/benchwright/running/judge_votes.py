"""Combine the votes of a judge into its assessment of one answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

import msgspec

from benchwright.contracts import Assessment
from benchwright.display.escape import escaped, escaped_start
from benchwright.judges.rubric.families import one_family
from benchwright.judges.rubric.replies import JudgeReply
from benchwright.judges.rubric.rubrics import Rubric
from benchwright.running.judge_replies import JudgeQuestion, JudgeVote
from benchwright.running.model_judges import ModelJudge
from benchwright.store.keys import content_key

MAX_REASON, MAX_QUOTES, MAX_QUOTE = 800, 8, 400  # of what is kept of a reply; the replies have all
GRADES = {"correct": 1.0, "partly": 0.5, "wrong": 0.0}
_QUOTES = "\"'`“”„«»‘’ "


def grade(said: Assessment) -> float | None:
    """Return the grade of an answer, from 0 to 1; None without a grade."""
    return fmean(said.scores.values()) if said.scores else GRADES.get(said.label)


def assessment(judge: ModelJudge, question: JudgeQuestion, votes: Sequence[JudgeVote]) -> Assessment:
    """Return the assessment of one answer by all votes of one judge."""
    read = [vote.reply for vote in votes if vote.is_read]
    base = Assessment(
        key=content_key(question.key, [vote.key for vote in votes]),
        answer=question.key,
        task_id=question.task_id,
        sample=question.sample,
        judge=judge.name,
        status="undecided",
        prompt=content_key(judge.identity, question.rubric.key),
        votes=_counts(votes, question.rubric),
        flags=_flags(judge, question, read),
        tokens_in=sum(vote.tokens_in for vote in votes),
        tokens_out=sum(vote.tokens_out for vote in votes),
    )
    if question.refused:
        return _with(base, detail=question.refused)
    if not read:
        unread = next((vote.reply.problem for vote in votes if vote.reply.problem), "")
        why = escaped_start(unread or votes[0].missing, MAX_REASON)
        return _with(base, status="unparsable" if unread else "missing", detail=why)
    return _rated(base, read) if question.rubric.kind == "rates" else _decided(base, read, question.rubric)


def _with(base: Assessment, **fields: Any) -> Assessment:
    return msgspec.structs.replace(base, **fields)


def _rated(base: Assessment, read: Sequence[JudgeReply]) -> Assessment:
    """Assess by the mean over votes."""
    scores = {name: fmean(reply.scores[name] for reply in read) for name in read[0].scores}
    return _with(base, status="judged", scores=scores, **_said(read[0]))


def _decided(base: Assessment, read: Sequence[JudgeReply], rubric: Rubric) -> Assessment:
    """Assess by the majority of votes. A tie and the neutral label leave the answer undecided."""
    (first, most), *others = Counter(reply.label for reply in read).most_common()
    reply = next(each for each in read if each.label == first)
    if others and others[0][1] == most:
        return _with(base, detail="its votes are tied", **_said(reply))
    if first == rubric.unsure:
        return _with(base, label=first, detail="it says that it cannot tell", **_said(reply))
    return _with(base, status="judged", label=first, reference_number=reply.reference, **_said(reply))


def _said(reply: JudgeReply) -> dict[str, Any]:
    return {
        "reasons": {name: escaped(text[:MAX_REASON]) for name, text in reply.reasons.items() if text},
        "evidence": [escaped(text[:MAX_QUOTE]) for text in reply.evidence[:MAX_QUOTES]],
    }


def _counts(votes: Iterable[JudgeVote], rubric: Rubric) -> dict[str, int]:
    said: Counter[str] = Counter()
    for vote in votes:
        if vote.is_read:
            given = [f"{name} {rating}" for name, rating in vote.reply.ratings.items()]
            said.update(given if rubric.kind == "rates" else [vote.reply.label])
        else:
            said["missing" if vote.missing else "unparsable"] += 1
    return dict(sorted(said.items()))


def _flags(judge: ModelJudge, question: JudgeQuestion, read: Sequence[JudgeReply]) -> list[str]:
    labels = {reply.label for reply in read}
    found = {
        "own_family": bool(question.author) and one_family(judge.called, question.author),
        "quote_not_found": any(_misquotes(reply, question.shown) for reply in read),
        "contradicts_itself": {"correct", "wrong"} <= labels or any(r.contradicts_itself for r in read),
    }
    return [name for name, holds in found.items() if holds]


def _misquotes(reply: JudgeReply, shown: Iterable[str]) -> bool:
    """Whether a quotation appears in no text. Line breaks do not count."""
    quotes = [text for each in reply.evidence if (text := " ".join(each.strip(_QUOTES).split()))]
    texts = [" ".join(text.split()) for text in shown] if quotes else []
    return any(all(quote not in text for text in texts) for quote in quotes)
