"""Rows of the issues track, and collected records (a question, answer_1 to answer_n) as rows and back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from benchwright.contracts import IssueSpec, Reference, Strength
from benchwright.display.escape import escaped_name
from benchwright.records import Task
from benchwright.text.refusals import is_non_answer
from benchwright.tracks.collected.ianvs_records import RESPONSE, carried_row, is_ianvs, question_of
from benchwright.tracks.collected.records import (
    ID,
    ISSUE,
    SHAPE,
    ImportOptions,
    RecordConverter,
    RecordReader,
    is_row,
    restored,
    row_from,
    row_of_ianvs,
    unknown_shape,
)
from benchwright.tracks.rows import Fields, items, optional_text, parts_of, remembered, task_of

STRENGTHS: tuple[str, ...] = get_args(Strength)
NON_ANSWER = "non_answer"
MAX_REFERENCES = 1000
MAX_TEXT = 1 << 17  # limit of one text in characters: it must also be accepted as an answer


def build(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, task, field and hint."""
    return task_of(fields, read_spec, kind="smartcoding-issues", shown="question")


@remembered
def spec_of(task: Task) -> IssueSpec:
    """The spec of a loaded task."""
    return read_spec(*parts_of(task))


def read_spec(inputs: Fields, outputs: Fields) -> IssueSpec:
    """Read the spec from a row's inputs and outputs. Raises DataError for an invalid field."""
    question = inputs.text("question", limit=MAX_TEXT)
    body = optional_text(inputs, "body", limit=MAX_TEXT)
    if not (question.strip() or body.strip()):
        raise inputs.error("is empty, and so is the body", field="question", hint="a row needs a question")
    return IssueSpec(
        question=question,
        body=body,
        asked_at=optional_text(inputs, "asked_at", limit=80),
        references=ordered(_references(outputs)),
    )


def ordered(references: Sequence[Reference]) -> list[Reference]:
    """Sort references by strength, then by reactions, then in the order of the row."""
    return sorted(references, key=lambda each: (STRENGTHS.index(each.strength), -each.reactions))


def _references(outputs: Fields) -> list[Reference]:
    given = items(outputs, "references")
    if not given:
        hint = "a row needs at least one reference answer; remove rows without one"
        raise outputs.error("there is no reference answer", field="references", hint=hint)
    if len(given) > MAX_REFERENCES:
        hint = f"keep the {MAX_REFERENCES:,} strongest"
        raise outputs.error(f"there are {len(given):,} reference answers", field="references", hint=hint)
    found = [_reference(each) for each in given if not _is_no_answer(each)]
    if not found:
        hint = "remove the row: votes and courtesies are not answers"
        raise outputs.error(f"all reference answers are marked `{NON_ANSWER}`", field="references", hint=hint)
    return found


def _is_no_answer(given: Fields) -> bool:
    """Whether a reference is marked as a vote or courtesy; answers are not compared with it."""
    value = given.data.get(NON_ANSWER, False)
    if not isinstance(value, bool):
        raise given.error("must be true or false", field=NON_ANSWER, hint=f'write "{NON_ANSWER}": true')
    return value


def _reference(given: Fields) -> Reference:
    body = given.text("body", limit=MAX_TEXT)
    if not body.strip():
        raise given.error("is empty", field="body", hint="remove the answer")
    strength = optional_text(given, "strength", limit=20) or "any"
    if strength not in STRENGTHS:
        hint = f"one of: {', '.join(STRENGTHS)}"
        raise given.error(f"{escaped_name(strength)!r} is not a strength", field="strength", hint=hint)
    return Reference(
        body=body,
        strength=strength,  # type: ignore[arg-type]  # just checked
        author=optional_text(given, "author", limit=200),
        role=optional_text(given, "role", limit=80),
        created_at=optional_text(given, "created_at", limit=80),
        updated_at=optional_text(given, "updated_at", limit=80),
        reactions=_count(given, "reactions"),
        number=_count(given, "number"),
    )


def _count(given: Fields, name: str) -> int:
    value = given.data.get(name, 0)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 31:
        raise given.error("must be a count", field=name, hint=f'write "{name}": 0')
    return value


QUESTION = "question"
ANSWERS = "answers"
_ANSWER = re.compile(r"answer_(0|[1-9][0-9]{0,5})")
_ASKED = {"body": "body", "created_at": "asked_at", "updated_at": "updated_at", "user_login": "author"}
_ANSWERED = {name: name for name in ("body", "created_at", "updated_at")} | {"user_login": "author"}
_TEAM = frozenset({"owner", "member", "collaborator", "maintainer", "admin"})
_REFERENCE = (
    "strength",
    "role",
    "reactions",
    "number",
    NON_ANSWER,
    *_ANSWERED.values(),
)  # field names of a row


def to_row(fields: Fields, importing: ImportOptions) -> dict[str, Any]:
    """Convert an object of any known format into a row. Raises DataError with file, line and field."""
    if is_row(fields):
        return fields.data
    record = importing.record(fields)
    if is_ianvs(record):
        return carried_row(record) or _row_of_ianvs(fields, record, importing)
    if QUESTION not in record.data:
        raise unknown_shape(record, needs=QUESTION, to="smartcoding-issues")
    return _row_of_record(fields, record, importing)


def _row_of_ianvs(source: Fields, record: Fields, importing: ImportOptions) -> dict[str, Any]:
    """Convert an Ianvs record: a query with one answer."""
    response = record.text(RESPONSE)
    if not response.strip():
        raise record.error("is empty", field=RESPONSE, hint="a row needs at least one reference answer")
    inputs = {QUESTION: question_of(record)}
    outputs = {"references": [{"body": response, "strength": "any"}]}
    return row_of_ianvs(source, record, inputs, outputs, shown=QUESTION, importing=importing)


def _row_of_record(source: Fields, record: Fields, importing: ImportOptions) -> dict[str, Any]:
    reader = RecordReader(record)
    inputs: dict[str, Any] = {QUESTION: reader.text(QUESTION)}
    inputs.update(_read_renamed(reader, _ASKED))
    references = [_reference_of_answer(each, number) for number, each in _answers(reader)]
    if references and all(each.get(NON_ANSWER) for each in references):
        hint = "remove the record, or add a real answer"
        raise reader.fields.error("all answers are votes or courtesies", field="answer_1", hint=hint)
    if not references:
        hint = 'write "answer_1": {"body": "…"}, or map its name: --fields solution=answers'
        raise reader.fields.error("the record has no answer", field="answer_1", hint=hint)
    instruction = "{question}\n\n{body}" if "body" in inputs else "{question}"
    return row_from(
        source,
        reader,
        shape=ISSUE,
        parts=(instruction, inputs, {"references": references}),
        importing=importing,
    )


def record_of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a row into a record: its references as answer_n, or as a list if the row was read from one."""
    meta, inputs = row["meta"], row["inputs"]
    known = {QUESTION: inputs[QUESTION], **_restore_names(inputs, _ASKED)}
    answers = [(each.get("number", 0), _answer(each)) for each in row["outputs"]["references"]]
    if any(not number for number, _ in answers) and meta.get(SHAPE) == ISSUE:
        known[ANSWERS] = [answer for _, answer in answers]
    else:
        known.update(_number_answers(answers))
    return restored({**known, ID: meta[ID]}, meta, own=meta.get(SHAPE) == ISSUE)


def _read_renamed(reader: RecordReader, names: Mapping[str, str]) -> dict[str, str]:
    return {ours: reader.text(name) for name, ours in names.items() if reader.has(name)}


def _restore_names(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {name: values[ours] for name, ours in names.items() if ours in values}


def _answers(reader: RecordReader) -> Iterator[tuple[int, Fields]]:
    """Answers of a record with their numbers, in order; 0 for answers of a list."""
    names = {name: int(found[1]) for name in reader.fields.data if (found := _ANSWER.fullmatch(name))}
    for name in sorted(names, key=names.__getitem__):
        reader.use(name)
        if not isinstance(reader.fields.data[name], dict):
            hint = f'write "{name}": {{"body": "…"}}'
            raise reader.fields.error("an answer must be an object", field=name, hint=hint)
        yield names[name], reader.fields.inner(name)
    if reader.has(ANSWERS):
        if names:
            hint = "remove one of the two"
            raise reader.fields.error(f"the record has `{next(iter(names))}` too", field=ANSWERS, hint=hint)
        reader.use(ANSWERS)
        yield from ((0, each) for each in items(reader.fields, ANSWERS))


def _reference_of_answer(fields: Fields, number: int) -> dict[str, Any]:
    """Convert an answer into a reference of a row, with its strength."""
    reader = RecordReader(fields, reserved=_REFERENCE)
    known = _read_renamed(reader, _ANSWERED)
    if not known.get("body", "").strip():
        reader.fields.text("body")
        raise fields.error("is empty", field="body", hint="remove the answer")
    role, reactions = _role(fields), _reactions(fields)
    derived = {
        "strength": _strength(fields, role, reactions),
        **({"role": role} if role else {}),
        **({"reactions": reactions} if reactions else {}),
        **({"number": number} if number else {}),
        **({NON_ANSWER: True} if is_non_answer(known["body"]) else {}),
    }
    return {**known, **derived, **reader.meta()}


def _answer(reference: Mapping[str, Any]) -> dict[str, Any]:
    return restored(_restore_names(reference, _ANSWERED), reference, reserved=_REFERENCE)


def _number_answers(answers: list[tuple[int, dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Answers by number; those without a number, or with a duplicate one, follow."""
    used = {number for number, _ in answers}
    free = max(used, default=0)
    seen: set[int] = set()
    for number, answer in answers:
        if not number or number in seen:
            free += 1
        place = free if not number or number in seen else number
        seen.add(place)
        yield f"answer_{place}", answer


def _strength(fields: Fields, role: str, reactions: int) -> str:
    if _is_true(fields, "linked_fix"):
        return "linked_fix"
    if _is_true(fields, "accepted") or role.lower() in _TEAM:
        return "accepted"
    return "reactions" if reactions > 0 else "any"


def _is_true(fields: Fields, name: str) -> bool:
    """Whether a field is true, or names a linked fix."""
    value = fields.data.get(name)
    if value is None or isinstance(value, bool):
        return bool(value)
    if name == "linked_fix" and isinstance(value, str | int):
        return bool(value)
    raise fields.error("must be true or false", field=name, hint=f'write "{name}": true')


def _role(fields: Fields) -> str:
    name = next((each for each in ("author_association", "role") if fields.data.get(each) is not None), "")
    return fields.text(name, limit=80) if name else ""


def _reactions(fields: Fields) -> int:
    """Number of reactions, from a number or from GitHub's object with a count per kind."""
    value = fields.data.get("reactions")
    if isinstance(value, dict):
        counts = {name: each for name, each in value.items() if isinstance(each, int)}
        value = counts.get("total_count", sum(counts.values()))
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value or 0
    raise fields.error("must be a count", field="reactions", hint='write "reactions": 3')


CONVERTER = RecordConverter(
    to_row=to_row,
    build=build,
    record_of_row=record_of_row,
    key_input="question",
    level=lambda task: spec_of(task).references[0].strength,
)
