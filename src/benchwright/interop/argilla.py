"""Argilla 2 data sets on disk, as loaded by `Dataset.from_disk` and written by `Dataset.to_disk`.

    .argilla/dataset.json    the data set's name, and how many must answer
    .argilla/settings.json   guidelines, fields and questions
    records.json             the items; `responses` are by people, `suggestions` by models

Records are read in both spellings: nested, as `to_disk` writes them, and flat, as `to_datasets` and a hub
have them (`decision.responses`, `decision.responses.users`, `decision.suggestion`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, RunError
from benchwright.interop.sheets import COMMENT, LETTER, sheet_order, shown_order, shown_texts, token_of
from benchwright.interop.vote_import import FilledRow, Suggestion, VoteImporter
from benchwright.judges.people.records import JudgedItem, Vote, allowed, turned
from benchwright.store.lines import read_rows
from benchwright.store.writing import make_parents, write_json

FOLDER, SETTINGS, DATASET, RECORDS = ".argilla", "settings.json", "dataset.json", "records.json"
EVERYBODY = "everybody"  # the order of sides is one for all who judge a data set
_TEXTS = ("question", "code", "references", "answer", "answer_a", "answer_b")
_SUBMITTED = "submitted"


def user_id(judge: str) -> str:
    """Return the user id of a judge: Argilla requires a UUID."""
    return str(uuid5(NAMESPACE_URL, f"benchwright:judge:{judge}"))


def write_dataset(
    items: Sequence[JudgedItem],
    out: Path,
    *,
    seed: str,
    name: str = "judging",
    guide: str = "",
    judgements: int = 2,
    votes: Iterable[Vote] = (),
    suggestions: Iterable[Suggestion] = (),
) -> list[Path]:
    """Write a data set for Argilla. Raises RunError for a folder that holds one already."""
    paths = [out / FOLDER / SETTINGS, out / FOLDER / DATASET, out / RECORDS]
    if existing := next((path for path in paths if path.exists()), None):
        raise RunError(f"{escaped_path(existing)} exists", hint="choose an empty folder with --out")
    make_parents(paths[0])
    token, votes = token_of(seed), list(votes)
    distribution = {"strategy": "overlap", "min_submitted": judgements}
    write_json(paths[0], {**_settings(items, guide), "distribution": distribution})
    write_json(paths[1], {"name": name, "status": "draft", "guidelines": guide or None,
                          "allow_extra_metadata": True, "distribution": distribution})  # fmt: skip
    records = [_record(item, token, votes, suggestions) for item in sheet_order(items, token, EVERYBODY)]
    write_json(paths[2], records)
    judges = sorted({vote.judge for vote in votes})
    users = {user_id(judge): judge for judge in judges}
    write_json(out / LETTER, {"judges": judges, "sheet": token, "items": len(items), "users": users})
    return paths


def _settings(items: Sequence[JudgedItem], guide: str) -> dict[str, Any]:
    fields = list(dict.fromkeys(field for item in items for field in item.fields))
    shown = [name for name in _TEXTS if any(_fields_of_item(item, "ab").get(name) for item in items)]
    everywhere = {name for name in shown if all(_fields_of_item(item, "ab").get(name) for item in items)}
    return {
        "guidelines": guide or None,
        "fields": [_field(name, required=name in everywhere) for name in shown],
        "questions": [*(_question(field) for field in fields), _comment()],
        "vectors": [],
        "metadata": [],
        "allow_extra_metadata": True,
    }


def _field(name: str, *, required: bool) -> dict[str, Any]:
    title = name.replace("_", " ").capitalize()
    return {
        "name": name,
        "title": title,
        "required": required,
        "settings": {"type": "text", "use_markdown": False},
    }


def _question(field: str) -> dict[str, Any]:
    values = allowed(field)
    if isinstance(values[0], int):
        settings: dict[str, Any] = {"type": "rating", "options": [{"value": value} for value in values]}
    else:
        options = [{"value": value, "text": str(value).replace("_", " ")} for value in values]
        settings = {"type": "label_selection", "options": options}
    return {
        "name": field,
        "title": field.capitalize(),
        "description": None,
        "required": True,
        "settings": settings,
    }


def _comment() -> dict[str, Any]:
    settings = {"type": "text", "use_markdown": False}
    return {"name": COMMENT, "title": "Comment", "description": None, "required": False, "settings": settings}


def _fields_of_item(item: JudgedItem, order: str) -> dict[str, str]:
    """The texts of an item that are there: a field of a record is not empty."""
    return {name: text for name, text in shown_texts(item, order).items() if text}


def _record(
    item: JudgedItem, token: str, votes: Iterable[Vote], suggestions: Iterable[Suggestion]
) -> dict[str, Any]:
    order = shown_order(token, EVERYBODY, item.item)
    responses: dict[str, list[dict[str, Any]]] = {}
    for vote in votes:
        if vote.item == item.item and vote.round == "first":
            user = {"user_id": user_id(vote.judge), "status": _SUBMITTED}
            value = turned(vote.value, order)
            responses.setdefault(vote.field, []).append({"value": value, **user})
            if vote.comment:
                responses.setdefault(COMMENT, []).append({"value": vote.comment, **user})
    suggested_values = {
        each.field: {"value": turned(each.value, order), "score": None, "agent": each.agent}
        for each in suggestions
        if each.item == item.item
    }
    return {
        "id": item.item,
        "fields": _fields_of_item(item, order),
        "metadata": {"sheet": token, "shown": order} if item.kind == "pair" else {},
        "suggestions": suggested_values,
        "responses": responses,
        "vectors": {},
        "_server_id": None,
    }


def read_dataset(path: Path, box: VoteImporter, *, users: Mapping[str, str]) -> int:
    """Put the responses of a data set, or of its records alone, into the box; how many people answered.

    `users` are judges by their ids in Argilla; one that is not among them is called by the id.
    """
    file = path / RECORDS if path.is_dir() else path
    count = 0
    for number, (_, record) in enumerate(read_rows(file, max_depth=12, surrogates="replace"), 1):
        for filled in _answers(file, number, record, users):
            box.take(file, filled)
            count += 1
    return count


def _answers(
    file: Path, number: int, record: Mapping[str, Any], users: Mapping[str, str]
) -> Iterator[FilledRow]:
    """Group the responses to one record by user, in order of first occurrence."""
    by_user: dict[str, dict[str, Any]] = {}
    statuses: dict[str, str] = {}
    for field, value, user, status in _responses(file, number, record):
        values = by_user.setdefault(user, {})
        if field in values:
            message = f"record {number}: user {escaped_name(user)} answered twice"
            raise DataError(
                message, path=escaped_path(file), field=escaped_name(field), hint="keep one answer"
            )
        values[field] = value
        statuses[user] = status
    metadata = record.get("metadata")
    shown = (metadata if isinstance(metadata, dict) else record).get("shown")
    for user, values in by_user.items():
        comment = values.pop(COMMENT, None)
        is_draft = statuses[user] not in (_SUBMITTED, "None", "")  # or discarded: refused as empty
        yield FilledRow(
            row=number,
            item=str(record.get("id") or ""),
            judge=users.get(user, user),
            values={} if is_draft else values,
            comment=comment if isinstance(comment, str) else "",
            shown=shown if isinstance(shown, str) else "",
        )


def _responses(file: Path, number: int, record: Mapping[str, Any]) -> Iterator[tuple[str, Any, str, str]]:
    """Question, value, user and status of each response, of a nested record or of a flat one."""
    nested = record.get("responses")
    if isinstance(nested, dict):
        for field, responses in nested.items():
            for each in responses if isinstance(responses, list) else [responses]:
                if not isinstance(each, dict):
                    raise _malformed(file, number, f"responses.{field}")
                yield field, each.get("value"), str(each.get("user_id")), str(each.get("status") or "")
        return
    for column, values in record.items():
        field, dot, rest = column.rpartition(".")
        if not dot or rest != "responses" or values is None:
            continue
        people, states = record.get(f"{column}.users"), record.get(f"{column}.status")
        if not isinstance(values, list) or not isinstance(people, list) or len(values) != len(people):
            raise _malformed(file, number, column)
        status = states if isinstance(states, list) and len(states) == len(values) else [""] * len(values)
        for value, user, state in zip(values, people, status, strict=True):
            yield field, value, str(user), str(state or "")


def _malformed(file: Path, number: int, field: str) -> DataError:
    message = f"record {number}: response without value or user"
    hint = "export the data set again: `Dataset.to_disk` writes it"
    return DataError(message, path=escaped_path(file), field=escaped_name(field), hint=hint)
