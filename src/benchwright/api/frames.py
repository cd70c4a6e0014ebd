"""Answers with their verdicts as rows, and as DataFrames of pandas, polars and pyarrow."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from benchwright.errors import PrerequisiteError, package_command
from benchwright.records import Answer, Outcome, Record, TaskId, Verdict


class AnswerRow(Record, frozen=True, kw_only=True):
    """An answer with its verdict. Fields of the verdict are None before the answer is judged."""

    task_id: TaskId
    sample: int
    model: str
    prompt: str = ""
    outcome: str | None = None
    passed: bool | None = None  # None: missing, undecided, or graded instead of passed
    isolation: str | None = None
    profile: str | None = None
    cpu_s: float | None = None
    wall_s: float | None = None
    detail: str | None = None
    suspicious: str | None = None
    truncated: bool | None = None
    rule: str | None = None
    program: str | None = None  # extracted from the text; None if the data set is absent
    text: str = ""
    stdout: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    scores: dict[str, float] = {}  # of a graded answer

    @classmethod
    def of(cls, answer: Answer, verdict: Verdict | None, program: str | None) -> AnswerRow:
        """Join an answer with its verdict."""
        judged = {} if verdict is None else _verdict_columns(verdict)
        return cls(
            task_id=answer.task_id,
            sample=answer.sample,
            model=answer.model,
            prompt=answer.prompt,
            program=program,
            text=answer.text,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            **judged,
        )


_SAME = ("profile", "cpu_s", "wall_s", "detail", "suspicious", "truncated", "rule", "stdout", "scores")


def _verdict_columns(verdict: Verdict) -> dict[str, Any]:
    known = verdict.outcome.is_decided and verdict.outcome is not Outcome.scored
    return {
        "outcome": verdict.outcome.value,
        "passed": verdict.outcome is Outcome.passed if known else None,
        "isolation": verdict.isolation.value,
        **{name: getattr(verdict, name) for name in _SAME},
    }


def columns(rows: Iterable[AnswerRow]) -> dict[str, list[Any]]:
    """Return the rows as columns. Scores of graded answers get a column each, `score.NAME`."""
    row_list = list(rows)
    names = [name for name in AnswerRow.__struct_fields__ if name != "scores"]
    table = {name: [getattr(row, name) for row in row_list] for name in names}
    if len({type(each) for each in table["task_id"]}) > 1:  # a column has one type
        table["task_id"] = [str(each) for each in table["task_id"]]
    for name in dict.fromkeys(name for row in row_list for name in row.scores):
        table[f"score.{name}"] = [row.scores.get(name) for row in row_list]
    return table


def to_pandas(rows: Iterable[AnswerRow]) -> Any:
    """Return a pandas DataFrame. Raises PrerequisiteError without pandas."""
    pandas = _library("pandas")
    frame = pandas.DataFrame(columns(rows))
    # A plain column of truth values and gaps would read the gaps as False.
    return frame.astype({"passed": "boolean", "truncated": "boolean"})


def to_polars(rows: Iterable[AnswerRow]) -> Any:
    """Return a polars DataFrame. Raises PrerequisiteError without polars."""
    return _library("polars").DataFrame(columns(rows), infer_schema_length=None)


def to_arrow(rows: Iterable[AnswerRow]) -> Any:
    """Return a pyarrow Table. Raises PrerequisiteError without pyarrow."""
    return _library("pyarrow").table(columns(rows))


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise PrerequisiteError(
            f"a table of answers needs {name}: {error}", hint=package_command(name)
        ) from None
