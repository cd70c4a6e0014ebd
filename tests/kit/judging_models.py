"""Model judges with scripted replies: as functions, as scripts of the stub server, and rows for them to
judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchwright.contracts import RequestOptions
from benchwright.judges.rubric.contrast import BETTER, OBEYED, ContrastItem, contrast_items
from benchwright.running.options import JudgeOptions
from benchwright.stub_server import Script, ScriptRow

RIGHT, CLOSE, ODD = "Use read_all()", "Use read_some()", "I would rather not use it at all"


def decides(label: str, *, reference: int | None = 1, reason: str = "as it is", **more: Any) -> str:
    """Return a reply by the rubric of issues."""
    return json.dumps({"evidence": [], "reason": reason, "reference": reference, "label": label, **more})


def rates(rating: int, **more: Any) -> str:
    """Return a reply by the rubric of comments, with one rating for all."""
    reasons = {"accuracy": "as it is", "logic": "as it is"}
    return json.dumps(
        {"claims": [], "evidence": [], "reasons": reasons, "accuracy": rating, "logic": rating, **more}
    )


def fair(item: ContrastItem) -> str:
    """Return a correct judge's reply to an item of a contrast set."""
    return _says(item, item.answer == BETTER)


def obedient(item: ContrastItem) -> str:
    """Return the reply of a judge that obeys instructions in an answer."""
    if item.answer != OBEYED:
        return fair(item)
    return _says(item, True)


def _says(item: ContrastItem, good: bool) -> str:
    """Return a reply by the item's rubric."""
    if item.exhibit.rubric == "comments":
        return rates(5 if good else 1)
    return decides("correct" if good else "wrong", reference=1 if item.exhibit.references else None)


def scripted(
    rubric: str, says: Callable[[ContrastItem], str] = fair, rows: Iterable[ScriptRow] = ()
) -> Script:
    """Return a judge for the stub server: `says` answers its self-check, `rows` everything else."""
    items = contrast_items(rubric)
    longest = sorted((each for each in items if each.exhibit.candidate), key=_length, reverse=True)
    empty = [each for each in items if not each.exhibit.candidate]
    known = [
        *(ScriptRow(contains=each.exhibit.candidate, completions=[says(each)]) for each in longest),
        *(
            ScriptRow(contains=next(iter(each.exhibit.sections.values())), completions=[says(each)])
            for each in empty
        ),
    ]
    return Script(rows=[*known, *rows])


def _length(item: ContrastItem) -> int:
    return len(item.exhibit.candidate)


def issue_rows(folder: Path, tasks: int = 4) -> Path:
    """Write a data set of questions that differ only in their numbers."""
    path = folder / "issues.jsonl"
    rows = [
        {
            "instruction": "{question}\n\n{body}",
            "inputs": {"question": f"How do I read file {number}?", "body": "It is large."},
            "outputs": {"references": [{"body": f"{RIGHT}, which streams file {number}."}]},
            "meta": {"id": f"q{number}"},
        }
        for number in range(tasks)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def issue_answers(folder: Path, texts: Iterable[str], tasks: int = 4, *, model: str = "made") -> Path:
    """Write stored answers: each of the texts to each task, with its number."""
    path = folder / "answers.jsonl"
    rows = [
        {"task_id": f"q{number}", "text": text and f"{text} for file {number}.", "model": model}
        for number in range(tasks)
        for text in texts
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


# The replies of the scripted judge to those answers.
OF_ANSWERS = (
    ScriptRow(contains=f"BEGIN\n{RIGHT} for file", completions=[decides("correct")]),
    ScriptRow(contains=f"BEGIN\n{CLOSE} for file", completions=[decides("wrong")]),
    ScriptRow(contains=f"BEGIN\n{ODD} for file", completions=[decides("cannot_tell", reference=None)]),
)


def assessed_by(*specs: str, votes: int | None = None, **asking: Any) -> JudgeOptions:
    """Return the options of a run whose answers these judges assess."""
    return JudgeOptions(specs=specs, votes=votes, asking=RequestOptions(options="--judge-", **asking))


def replies_file(run: Path) -> Path:
    """Return the replies of a run's only judge."""
    (found,) = run.glob("replies.*.jsonl")
    return found


def contents(run: Path) -> dict[str, bytes]:
    """Return the files of judges in a run folder, with the verdicts."""
    names = ["verdicts.jsonl", "assessments.jsonl", *(each.name for each in run.glob("replies.*.jsonl"))]
    return {name: (run / name).read_bytes() for name in names}
