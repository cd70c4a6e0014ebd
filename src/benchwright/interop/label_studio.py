"""Label Studio tasks: a file for import with a labelling config, and its exports.

    tasks.json   [{"data": {…}, "annotations": […], "predictions": […]}]
    config.xml   the form: each field a Choices or Rating tag, and a TextArea for the comment

An annotation belongs to one judge: `completed_by` is the user, `was_cancelled` marks a skipped item, and
`ground_truth` overrides the others, which makes it an adjudicator's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError
from benchwright.interop.argilla import EVERYBODY
from benchwright.interop.sheets import COMMENT, LETTER, sheet_order, shown_order, shown_texts, token_of
from benchwright.interop.vote_import import FilledRow, Suggestion, VoteImporter
from benchwright.judges.people.records import JudgedItem, Round, Vote, allowed, turned
from benchwright.store.lines import read_rows
from benchwright.store.writing import make_parents, replacing, write_json

TASKS, CONFIG = "tasks.json", "config.xml"
_TEXTS = ("question", "code", "references", "answer", "answer_a", "answer_b")
_ON = "question"  # the object of every control: each item has a question
_LONGEST_S = 1e7
_ROUNDS: Mapping[bool, Round] = {False: "first", True: "adjudication"}


def write_tasks(
    items: Sequence[JudgedItem],
    out: Path,
    *,
    seed: str,
    guide: str = "",
    votes: Iterable[Vote] = (),
    suggestions: Iterable[Suggestion] = (),
) -> list[Path]:
    """Write tasks and config for Label Studio; sheets.json contains the user numbers."""
    token, votes, suggestions = token_of(seed), list(votes), list(suggestions)
    judges = sorted({vote.judge for vote in votes})
    users = {judge: number for number, judge in enumerate(judges, 1)}
    tasks = [
        _task(number, item, token, users, votes, suggestions)
        for number, item in enumerate(sheet_order(items, token, EVERYBODY), 1)
    ]
    make_parents(out / TASKS)
    write_json(out / TASKS, tasks)
    with replacing(out / CONFIG) as file:
        file.write(config(items, guide).encode())
    letter = {"judges": judges, "sheet": token, "items": len(items)}
    write_json(out / LETTER, {**letter, "users": {str(number): judge for judge, number in users.items()}})
    return [out / TASKS, out / CONFIG]


def config(items: Sequence[JudgedItem], guide: str = "") -> str:
    """Make the labelling config: shown texts, and a control for each field."""
    shown = [
        name for name in _TEXTS if name == _ON or any(shown_texts(item, "ab").get(name) for item in items)
    ]
    fields = list(dict.fromkeys(field for item in items for field in item.fields))
    lines = ["<View>", "  <Style>.htx-text { white-space: pre-wrap; }</Style>"]
    lines += [f"  <Header value={quoteattr(guide)} />"] if guide else []
    for name in shown:
        lines.append(f"  <Header value={quoteattr(name.replace('_', ' ').capitalize())} />")
        lines.append(f'  <Text name="{name}" value="${name}" />')
    for field in fields:
        lines += _control(field)
    lines.append(f'  <TextArea name="{COMMENT}" toName="{_ON}" maxSubmissions="1" required="false" />')
    return "\n".join([*lines, "</View>", ""])


def _control(field: str) -> list[str]:
    values, name = allowed(field), quoteattr(field)
    head = f"  <Header value={quoteattr(field.capitalize())} />"
    if isinstance(values[0], int):
        most = max(int(value) for value in values)
        return [head, f'  <Rating name={name} toName="{_ON}" maxRating="{most}" required="true" />']
    choices = [
        f'    <Choice value="{escape(str(value))}" hotkey="{at}" />' for at, value in enumerate(values, 1)
    ]
    opening_tag = f'  <Choices name={name} toName="{_ON}" choice="single" required="true">'
    return [head, opening_tag, *choices, "  </Choices>"]


def _task(
    number: int,
    item: JudgedItem,
    token: str,
    users: Mapping[str, int],
    votes: Iterable[Vote],
    suggestions: Iterable[Suggestion],
) -> dict[str, Any]:
    order = shown_order(token, EVERYBODY, item.item)
    by_judge: dict[tuple[str, Round], list[Vote]] = {}
    for vote in votes:
        if vote.item == item.item and vote.round in _ROUNDS.values():
            by_judge.setdefault((vote.judge, vote.round), []).append(vote)
    agents: dict[str, list[Suggestion]] = {}
    for each in suggestions:
        if each.item == item.item:
            agents.setdefault(each.agent, []).append(each)
    place = {"item": item.item, "sheet": token, **({"shown": order} if item.kind == "pair" else {})}
    return {
        "id": number,
        "data": {**shown_texts(item, order), **place},
        "annotations": [
            _annotation(entries, users[judge], order, is_last=round == "adjudication")
            for (judge, round), entries in by_judge.items()
        ],
        "predictions": [
            {
                "model_version": agent,
                "result": [_result(each.field, turned(each.value, order)) for each in entries],
            }
            for agent, entries in agents.items()
        ],
    }


def _annotation(votes: Sequence[Vote], user: int, order: str, *, is_last: bool) -> dict[str, Any]:
    result = [_result(vote.field, turned(vote.value, order)) for vote in votes]
    comments = [vote.comment for vote in votes if vote.comment]
    if comments:
        result.append(_part(COMMENT, "textarea", {"text": comments}))
    seconds = _seconds(votes[0])
    return {
        "completed_by": user,
        "result": result,
        "was_cancelled": False,
        "ground_truth": is_last,
        **({"created_at": votes[0].submitted_at} if votes[0].submitted_at else {}),
        **({"lead_time": seconds} if seconds is not None else {}),
    }


def _result(field: str, value: int | str) -> dict[str, Any]:
    if isinstance(value, int):
        return _part(field, "rating", {"rating": value})
    return _part(field, "choices", {"choices": [value]})


def _part(field: str, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"from_name": field, "to_name": _ON, "type": kind, "value": dict(value)}


def _seconds(vote: Vote) -> float | None:
    start, end = _time(vote.started_at), _time(vote.submitted_at)
    return (end - start).total_seconds() if start and end else None


def _time(text: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if isinstance(text, str) and text else None
    except ValueError:
        return None


def read_tasks(path: Path, box: VoteImporter, *, users: Mapping[str, str]) -> int:
    """Put the annotations of an export into the box; how many there are. `users` are judges by number."""
    file = path / TASKS if path.is_dir() else path
    count = 0
    for number, (_, task) in enumerate(read_rows(file, max_depth=16, surrogates="replace"), 1):
        if "data" not in task and "annotations" not in task:
            raise _without_data(file, number, task)
        for annotation in _list(file, number, task, "annotations"):
            box.take(file, _filled_row(file, number, task, annotation, users))
            count += 1
    return count


def _filled_row(
    file: Path, number: int, task: Mapping[str, Any], annotation: Mapping[str, Any], users: Mapping[str, str]
) -> FilledRow:
    data = task.get("data")
    if not isinstance(data, dict):
        raise _without_data(file, number, task)
    values: dict[str, Any] = {}
    for part in _list(file, number, annotation, "result"):
        field = str(part.get("from_name"))
        if field in values:
            raise DataError(
                f"task {number}: duplicate field in an annotation",
                path=escaped_path(file),
                field=escaped_name(field),
                hint="keep one value",
            )
        values[field] = _value(part)
    comment = values.pop(COMMENT, None)
    end, lead = _time(annotation.get("created_at")), annotation.get("lead_time")
    start = end - timedelta(seconds=_span(lead)) if end else None
    return FilledRow(
        row=number,
        item=str(data.get("item") or ""),
        judge=_judge(annotation.get("completed_by"), users),
        values={} if annotation.get("was_cancelled") else values,
        round=_ROUNDS[annotation.get("ground_truth") is True],
        comment=comment if isinstance(comment, str) else "",
        shown=str(data.get("shown") or ""),
        started_at=start.isoformat(timespec="milliseconds") if start else "",
        submitted_at=end.isoformat(timespec="milliseconds") if end else "",
    )


def _span(value: Any) -> float:
    """Return the seconds that were spent; 0 if the value is not a number."""
    return value if isinstance(value, int | float) and 0 <= value < _LONGEST_S else 0.0


def _value(part: Mapping[str, Any]) -> Any:
    """Read the value of a part of a result; None if it has none."""
    value = part.get("value")
    if not isinstance(value, dict):
        return None
    if "rating" in value:
        return value["rating"]
    texts = value.get("choices", value.get("text"))
    if isinstance(texts, list):
        return "\n".join(map(str, texts)) if len(texts) == 1 or "text" in value else None
    return texts


def _judge(user: Any, users: Mapping[str, str]) -> str:
    """Return the judge of an annotation: a number, a name, or an object with an address."""
    if isinstance(user, dict):
        user = next((user[name] for name in ("id", "email", "username") if user.get(name)), "")
    name = str(user if user is not None else "")
    return users.get(name, f"user-{name}" if name.isdecimal() else name)


def _list(file: Path, number: int, holder: Mapping[str, Any], name: str) -> Iterator[dict[str, Any]]:
    found = holder.get(name) or []
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise _malformed(file, number, name)
    yield from found


def _without_data(file: Path, number: int, task: Mapping[str, Any]) -> DataError:
    """JSON_MIN has a row for each annotation; its fields are in the same object as the data."""
    if "data" in task or not ({"annotation_id", "annotator"} & set(task)):
        return _malformed(file, number, "data")
    return DataError(
        f"row {number}: a JSON_MIN export lacks skipped items and start times",
        path=escaped_path(file),
        hint="export the project again from Label Studio, in the format JSON",
    )


def _malformed(file: Path, number: int, field: str) -> DataError:
    hint = "export it again from Label Studio, as JSON"
    return DataError(
        f"task {number}: not written by Label Studio", path=escaped_path(file), field=field, hint=hint
    )
