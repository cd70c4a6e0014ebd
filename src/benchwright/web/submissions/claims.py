"""Read a pushed file as a claim: its answers, and what its submitter says about them.

The claim's folder gets `answers.jsonl`, rewritten row by row, and for a run `verdicts.jsonl`. Its counts are
those of the verdicts; totals in scores.json are compared with them and never believed. Figures are recomputed
with the server's tasks before the answers are judged again (`judging`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError
from benchwright.interop.mera.archive import UNREADABLE, read_json, read_members, read_rows
from benchwright.interop.mera.findings import Findings
from benchwright.interop.mera.task_sets import OutputsShape
from benchwright.models.stored_answers.fields import is_plain, read_stored
from benchwright.records import Answer, Metric, Outcome, Record, Score, TaskId, Verdict
from benchwright.store.keys import ending_with
from benchwright.store.scanning import scan_lines
from benchwright.store.strict_json import NOT_JSON, JsonOrigin, parse_object
from benchwright.store.writing import write_records
from benchwright.web.submissions.accepted_data import AcceptedData, DataCatalog
from benchwright.web.submissions.archives import is_zip, run_members, unpack_run
from benchwright.web.submissions.refusals import SubmissionRefusal

MAX_LINE = 8 << 20  # bytes of an answer or a verdict
MAX_ROWS = 1_000_000
MAX_SAMPLES = 1_000  # of a task
MAX_NESTING = 64
LONGEST_MODEL = 200  # characters
ANSWERS, VERDICTS = "answers.jsonl", "verdicts.jsonl"
Kind = Literal["run", "mera", "answers"]
AnswerIds = dict[tuple[str, int], str]  # task and sample of each answer: its key


class ClaimOptions(Record, frozen=True, kw_only=True):
    """The data set and the model that a request names. A run names its own data set and model."""

    data: str = ""
    model: str = ""


class SubmittedRun(Record, frozen=True, kw_only=True):
    """A pushed run as its submitter describes it. `outcomes` counts its verdicts."""

    kind: Kind
    data: str  # name of the server's data set
    model: str
    answers: int
    outcomes: dict[str, int] = {}
    metrics: dict[str, Metric] = {}  # of its scores.json, not believed

    @property
    def has_verdicts(self) -> bool:
        """Whether it claims verdicts, beyond its answers."""
        return bool(self.outcomes)


class _StoredRow(Record, frozen=True, kw_only=True):
    """An answer as the replay reads it: only what decides a verdict or is counted."""

    task_id: TaskId
    sample: int
    text: str
    model: str = ""
    prompt: str = ""
    finish_reason: str | None = None
    form: str = ""
    tail: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


def read_claim(upload: Path, folder: Path, catalog: DataCatalog, options: ClaimOptions) -> SubmittedRun:
    """Read a pushed file into a folder. Raises SubmissionRefusal with the name of the reason."""
    if not is_zip(upload):
        return _read_answers(upload, folder, catalog.of_name(options.data), options)
    if "run.json" in run_members(upload):
        return _read_run(upload, folder, catalog)
    return _read_mera(upload, folder, catalog, options)


def _read_run(upload: Path, folder: Path, catalog: DataCatalog) -> SubmittedRun:
    members = unpack_run(upload, folder)
    if ANSWERS not in members:
        raise SubmissionRefusal("missing-member", f"the archive has no {ANSWERS}")
    manifest = _document(folder / "run.json")
    identity = manifest.get("identity")
    if not isinstance(identity, dict):
        raise SubmissionRefusal("invalid-json", "run.json has no object `identity`")
    data = catalog.of_hash(identity.get("data"))
    data.check_identity(identity)
    if data.hidden and (given := {VERDICTS, "scores.json"}.intersection(members)):
        file_names = " and ".join(sorted(given))
        raise SubmissionRefusal(
            "verdicts-not-accepted", f"the tests are hidden, but the archive has {file_names}"
        )
    answers = _rewrite(folder / ANSWERS, _answer_rows(folder / ANSWERS))
    model = _model_name(manifest.get("name") or manifest.get("model"))
    plain = SubmittedRun(kind="run", data=data.name, model=model, answers=len(answers))
    if VERDICTS not in members:
        return plain
    outcomes = _count_verdicts(folder / VERDICTS, answers, identity)
    metrics = _check_totals(folder / "scores.json", outcomes) if "scores.json" in members else {}
    return msgspec.structs.replace(plain, outcomes=outcomes, metrics=metrics)


def _document(path: Path) -> dict[str, Any]:
    try:
        return parse_object(path.read_bytes(), JsonOrigin(path.name, 1), max_depth=MAX_NESTING)
    except DataError as error:
        raise SubmissionRefusal("invalid-json", error.message) from None


def _answer_rows(path: Path) -> Iterator[tuple[str, _StoredRow]]:
    for number, answer in _records(path, Answer):
        if answer.error is not None:
            raise SubmissionRefusal(
                "failed-answers", f"{path.name}:{number}: the model gave no answer to this task"
            )
        row = _StoredRow(
            task_id=answer.task_id,
            sample=answer.sample,
            text=answer.text,
            model=answer.model[:LONGEST_MODEL],
            prompt=answer.prompt,
            finish_reason=answer.finish_reason,
            form=answer.form,
            tail=answer.tail,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
        )
        yield answer.key, row


def _records(path: Path, kind: type[Any]) -> Iterator[tuple[int, Any]]:
    decode = msgspec.json.Decoder(kind).decode
    try:
        with path.open("rb") as stream:
            for number, _, line in scan_lines(stream, path.name, max_line=MAX_LINE):
                if number > MAX_ROWS:
                    raise SubmissionRefusal("too-large", f"{path.name} has more than {MAX_ROWS:,} rows")
                yield number, decode(line)
    except (DataError, *NOT_JSON) as error:
        raise SubmissionRefusal("invalid-json", f"{path.name}: {escaped_name(str(error), 300)}") from None


def _rewrite(path: Path, rows: Iterator[tuple[str, _StoredRow]]) -> AnswerIds:
    """Write the rows to a file, and return their ids. Each task must have samples 0, 1, … in order."""
    answers: AnswerIds = {}
    following: Counter[str] = Counter()

    def checked() -> Iterator[_StoredRow]:
        for key, row in rows:
            task = str(row.task_id)
            if (task, row.sample) in answers:
                raise SubmissionRefusal("doubled-answer", f"{_row_name(task, row.sample)} is there twice")
            if row.sample != following[task] or row.sample >= MAX_SAMPLES:
                raise SubmissionRefusal(
                    "samples-out-of-order",
                    f"{_row_name(task, row.sample)}: expected sample {min(following[task], MAX_SAMPLES - 1)}",
                )
            following[task] += 1
            answers[task, row.sample] = key
            yield row

    write_records(path, checked())
    if not answers:
        raise SubmissionRefusal("missing-answers", "the file has no answers")
    return answers


def _row_name(task: str, sample: int) -> str:
    return f"sample {sample} of task {escaped_name(task, 60)}"


def _count_verdicts(path: Path, answers: AnswerIds, identity: dict[str, Any]) -> dict[str, int]:
    """Count outcomes. Each answer must have exactly one verdict, whose key belongs to the answer."""
    try:
        key_of = ending_with(*(identity[name] for name in ("form", "limits", "judging", "python")))
    except (KeyError, TypeError, ValueError):
        raise SubmissionRefusal("invalid-json", "run.json: the identity is not complete") from None
    profile, outcomes, left = identity["profile"], Counter[str](), dict(answers)
    for number, verdict in _records(path, Verdict):
        key = left.pop((str(verdict.task_id), verdict.sample), None)
        if key is None or verdict.key != key_of(key, profile):
            raise SubmissionRefusal(
                "foreign-verdict",
                f"{path.name}:{number}: {_row_name(str(verdict.task_id), verdict.sample)} is not a verdict "
                "on an answer of this run",
            )
        outcomes[Outcome(verdict.outcome).value] += 1
    if left:
        task, sample = next(iter(left))
        raise SubmissionRefusal(
            "missing-verdicts", f"{len(left):,} answers have no verdict, such as {_row_name(task, sample)}"
        )
    return dict(sorted(outcomes.items()))


def _check_totals(path: Path, outcomes: dict[str, int]) -> dict[str, Metric]:
    """Compare the totals of scores.json with the verdicts; return its metrics."""
    document = _document(path)
    try:
        score = msgspec.convert(document, Score)
    except msgspec.ValidationError as error:
        raise SubmissionRefusal("invalid-json", f"{path.name}: {escaped_name(str(error), 300)}") from None
    stated = {name: count for name, count in score.outcomes.items() if count}
    if stated != outcomes or score.answers != sum(outcomes.values()):
        name = next(
            (each for each in sorted({*stated, *outcomes}) if stated.get(each) != outcomes.get(each)), ""
        )
        reported, counted = (
            (stated.get(name, 0), outcomes.get(name, 0)) if name else (score.answers, sum(outcomes.values()))
        )
        what = escaped_name(name, 40) or "answers"
        raise SubmissionRefusal(
            "wrong-totals", f"{path.name} says {reported:,} {what}, and verdicts.jsonl has {counted:,}"
        )
    return score.metrics


def _model_name(given: object) -> str:
    """A name for tables: visible characters, limited."""
    return escaped_name(given, LONGEST_MODEL) if isinstance(given, str) and given.strip() else "unnamed"


def _read_answers(upload: Path, folder: Path, data: AcceptedData, options: ClaimOptions) -> SubmittedRun:
    answers = _rewrite(folder / ANSWERS, _plain_rows(upload))
    return SubmittedRun(
        kind="answers", data=data.name, model=_model_name(options.model), answers=len(answers)
    )


def _plain_rows(path: Path) -> Iterator[tuple[str, _StoredRow]]:
    """Rows of {task_id, completion | answer | solution | text}; samples are numbered in order."""
    following: Counter[str] = Counter()
    try:
        with path.open("rb") as stream:
            for number, _, line in scan_lines(stream, "answers", max_line=MAX_LINE):
                place = JsonOrigin("answers", number)
                row = parse_object(line, place, max_depth=MAX_NESTING, surrogates="replace")
                if not is_plain(row):
                    raise place.error("the row needs `task_id` and one of completion, answer, solution, text")
                stored = read_stored(row, place)
                if stored.error is not None:
                    raise SubmissionRefusal("failed-answers", f"line {number}: the model gave no answer")
                sample, following[stored.task_id] = following[stored.task_id], following[stored.task_id] + 1
                yield (
                    "",
                    _StoredRow(
                        task_id=row["task_id"],
                        sample=sample if stored.sample is None else stored.sample,
                        text=stored.text,
                        form=stored.form,
                        finish_reason=stored.finish_reason,
                    ),
                )
    except DataError as error:
        raise SubmissionRefusal("not-readable", escaped_name(error.message, 300)) from None


def _read_mera(upload: Path, folder: Path, catalog: DataCatalog, options: ClaimOptions) -> SubmittedRun:
    found = Findings()
    archive = upload.rename(upload.with_suffix(".zip"))
    members = read_members(archive, found)
    if not members:
        known = "; ".join(f"{each.file}: {each.problem}" for each in found.kept[:3])
        raise SubmissionRefusal("not-readable", f"no task set in the archive: {escaped_name(known, 300)}")
    if len(members) > 1:
        raise SubmissionRefusal("several-task-sets", f"the archive has {', '.join(sorted(members))}")
    (member,) = members.values()
    if member.kind.shape is OutputsShape.generations:
        raise SubmissionRefusal(
            "values-not-programs", f"{member.kind.name} has the values of calls, computed by the submitter"
        )
    data = _data_of_set(catalog, member.kind.tracks, options.data)
    document = read_json(member.data, member.name, found)
    rows = None if document is UNREADABLE else read_rows(document, member.name, found)
    if rows is None:
        first = found.kept[0]
        raise SubmissionRefusal("not-readable", f"{first.file}: {escaped_name(first.problem, 300)}")
    answers = _rewrite(folder / ANSWERS, _mera_rows(rows, member.kind.shape))
    model = _model_name(options.model)
    return SubmittedRun(kind="mera", data=data.name, model=model, answers=len(answers))


def _data_of_set(catalog: DataCatalog, tracks: tuple[str, ...], name: str) -> AcceptedData:
    fitting = [each for each in catalog if each.track in tracks]
    if name or len(fitting) != 1:
        return catalog.of_name(name)
    return fitting[0]


def _mera_rows(rows: dict[Any, Any], shape: OutputsShape) -> Iterator[tuple[str, _StoredRow]]:
    for task_id, outputs in rows.items():
        texts = (
            outputs[0]
            if shape is OutputsShape.responses and isinstance(outputs, list) and outputs
            else [outputs]
        )
        if not isinstance(task_id, int | str) or not isinstance(texts, list):
            raise SubmissionRefusal("not-readable", f"task {escaped_name(str(task_id), 60)}: not an answer")
        for sample, text in enumerate(texts):
            if not isinstance(text, str):
                message = f"{_row_name(str(task_id), sample)} is not a text"
                raise SubmissionRefusal("not-readable", message)
            yield "", _StoredRow(task_id=task_id, sample=sample, text=text)
