"""Rows and prompts of CodeCorrectness, with the label or with the class of error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from benchwright.contracts import Question
from benchwright.display.escape import escaped_name
from benchwright.errors import DataError, nearest_hint
from benchwright.lang.double_escapes import unescape_double
from benchwright.lang.languages import LANGUAGES, language
from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.text.error_class import ASSERTION, BUILD, CLASSES, EXCEPTION, SUCCESS
from benchwright.text.label import LABELS
from benchwright.text.label_words import FAILED
from benchwright.tracks.prompt_templates import fence, fill, questions, variant_name, wordings_in
from benchwright.tracks.rows import Fields, instruction_of, open_mera, task_error

# Eleven prompts ask whether a test passes, in Russian and in English. They differ like those of people:
# polite or curt, test first or code first, with or without a role, with or without a definition of
# "failed", and in the order of the two words. All ask for exactly one word. In data sets built here, the
# Russian prompts are the instructions of the rows in turn. Variant i has the same meaning in both
# languages. A name never changes its text: "ru2-03" replaced "ru-03", and rows built with "ru-03" keep its
# text in their instruction.

VARIANTS = 11
_PLACES = {
    "ru": "При запуске теста фокальный файл — {}, тестовый файл — {}.\n\n",
    "en": "When the test is run, the focal file is {} and the test file is {}.\n\n",
}
WORDINGS = 2  # version of the texts: in the first one five variants did not fence and name both files


def correctness_questions(
    inputs: Mapping[str, Any], *, language: str, form: str, note: str = ""
) -> list[Question]:
    """All prompts about a pair of files: `focal_code`, `test_code` and `lang` of the inputs.

    Each begins with `note` (see `place_note`). "chat" asks; "base" is text for a base model to continue, so
    it ends where the label follows. Raises UsageError for another language or form.
    """
    wordings = wordings_in("correctness", language=language, form=form)
    prompts = questions(wordings, prompt_values(inputs), language=language, version=WORDINGS)
    return [msgspec.structs.replace(each, text=note + each.text) for each in prompts] if note else prompts


def prompt_values(inputs: Mapping[str, Any]) -> dict[str, str]:
    """Field values of the prompts about a pair of files."""
    return {
        "lang": inputs["lang"],
        "tag": inputs["lang"].lower(),
        "focal_code": inputs["focal_code"].strip("\n"),
        "test_code": inputs["test_code"].strip("\n"),
        "fence": fence(inputs["focal_code"], inputs["test_code"]),
    }


def place_note(meta: Mapping[str, Any], *, language: str) -> str:
    """A sentence with the file names that a Python pair was executed under, and an empty line.

    "" if the focal file's path in its project already shows it, and for rows without this information.

    >>> row = {"layout": {"focal": "a.py", "test": "test_a.py"}, "focal_path": "src/b.py"}
    >>> place_note(row, language="en")
    'When the test is run, the focal file is a.py and the test file is test_a.py.\\n\\n'
    """
    layout = meta.get("layout")
    places = [layout.get(name) for name in ("focal", "test")] if isinstance(layout, dict) else []
    path = f"/{meta.get('focal_path')}"
    if not places or not all(isinstance(each, str) and each.endswith(".py") for each in places):
        return ""
    names = [escaped_name(str(each), 200).replace("{", "").replace("}", "") for each in places]
    return "" if path.endswith(f"/{places[0]}") else _PLACES[language].format(*names)


def instruction(number: int, *, codes: Iterable[str] = ()) -> tuple[str, str]:
    """Name and text of the Russian prompt of a published row; rows are numbered from 1.

    The text keeps the fields that MERA fills in: {focal_code}, {test_code} and {lang}. Its fence is longer
    than any in `codes` and names the language as in the data set.

    >>> instruction(12)[0]
    'ru2-01'
    """
    variant = (number - 1) % VARIANTS
    wording = wordings_in("correctness", language="ru", form="chat")[variant]
    text = wording.replace("{fence}", fence(*codes)).replace("{tag}", "{lang}")
    return variant_name("ru", variant + 1, version=WORDINGS), text


# CodeCorrectness rows: a focal file, a test file, their language, and whether the test passes. Row:
# {instruction, inputs: {focal_code, test_code, lang}, outputs: "success" | "failed", meta: {id}}. A hidden
# label is "" or null. Other keys survive a round trip. Runs, the checks of builds and `verify` all read
# rows with this code. Format: https://github.com/MERA-Evaluation.

ESCAPED = "_escaped"  # key of `Task.meta` for the row's original code if it was escaped twice
EXTRA = "_row"  # key of `Task.meta` for fields other than MERA's four
MAX_CODE = 1 << 20
CODE = ("focal_code", "test_code")
PROMPT = "prompt"  # key of `meta` for the name of the instruction's prompt, in data sets built here
_PROMPT = re.compile(r"[a-z]{2}[0-9]?-[0-9]{2}")
_OWN = ("instruction", "inputs", "outputs", "meta")
_SHOWN = 5


def build(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, task, field and hint."""
    fields, meta = open_mera(fields)
    given = fields.inner("inputs")
    if "function" in given.data and "focal_code" not in given.data:
        raise given.error(
            "this is a row of function completion",
            field="function",
            hint="use the track `ruhumaneval` for it",
        )
    inputs, escaped = _unescape_code(given)
    _check_language(given)
    outputs = _outputs(fields)
    instruction = _instruction(fields, inputs)
    return Task(
        task_id=meta.identity("id"),
        instruction=instruction,
        inputs=inputs,
        outputs=outputs,
        meta=_meta(fields, meta, escaped),
        revision=content_key("codecorrectness", inputs, outputs, instruction),
        origin=f"{fields.path}:{fields.line}",
    )


def to_row(task: Task) -> dict[str, Any]:
    """The row of a task, with doubly escaped code restored."""
    own = (EXTRA, ESCAPED)
    meta = {name: value for name, value in task.meta.items() if name not in own}
    inputs = {**task.inputs, **task.meta.get(ESCAPED, {})}
    row = {"instruction": task.instruction, "inputs": inputs, "outputs": task.outputs, "meta": meta}
    return {**row, **task.meta.get(EXTRA, {})}


def is_private(task: Task) -> bool:
    """Whether the label is hidden."""
    return bool(task.outputs == "")


def require_label(task: Task) -> None:
    """Raise DataError for a task with a hidden label, whose answers cannot be scored."""
    if is_private(task):
        hint = "add --ask-only to store answers without scores, or pass the file with labels to --data"
        raise task_error(task, "the label is hidden, so it cannot be scored", field="outputs", hint=hint)


def repository(task: Task) -> str:
    """The repository of a row; empty if unknown."""
    candidates = (task.meta.get(key) for key in ("repository", "repo"))
    return next((name for name in candidates if isinstance(name, str) and name), "")


def cluster(task: Task) -> str:
    """The cluster of a row, such as the versions of one test; empty if it has none."""
    name = task.meta.get("cluster")
    return str(name).strip() if isinstance(name, str | int) and not isinstance(name, bool) else ""


def own_prompt(task: Task) -> str:
    """Name of the prompt in the row's instruction, such as "ru2-03"; empty if unknown."""
    name = task.meta.get(PROMPT)
    return name if isinstance(name, str) and _PROMPT.fullmatch(name) else ""


def unescaped_fields(task: Task) -> list[str]:
    """Fields of a task's inputs that were un-escaped when it was loaded."""
    return sorted(task.meta.get(ESCAPED, {}))


def notes_on_rows(tasks: Iterable[Task]) -> list[str]:
    """Note on rows whose code was escaped twice."""
    task_ids = [str(task.task_id) for task in tasks if unescaped_fields(task)]
    if not task_ids:
        return []
    id_list = ", ".join(task_ids[:_SHOWN]) + (", …" if len(task_ids) > _SHOWN else "")
    return [f"the code of {len(task_ids)} tasks was escaped twice and has been un-escaped: {id_list}"]


def notes_on_clusters(tasks: Sequence[Task]) -> list[str]:
    """Note on the number of clusters, if some tasks are versions of the same test."""
    names = [cluster(task) or f"\0{place}" for place, task in enumerate(tasks)]
    groups = len(set(names))
    if groups == len(names):
        return []
    return [f"{len(names):,} tasks in {groups:,} clusters: intervals see the versions of one test together"]


def filled(instruction: str, inputs: dict[str, Any]) -> str:
    """The row's prompt, stripped like MERA does; one that contains the code is not filled in."""
    if all(inputs[name].strip() in instruction for name in CODE):
        return instruction.strip()
    return fill(instruction, inputs).strip()


def _unescape_code(given: Fields) -> tuple[dict[str, Any], dict[str, str]]:
    """The inputs with un-escaped code, and the original code of the fields that changed."""
    inputs, escaped = dict(given.data), {}
    for name in CODE:
        code = given.text(name, limit=MAX_CODE)
        if not code.strip():
            raise given.error("is empty", field=name, hint="a row needs a focal file and a test")
        plain_code = unescape_double(code)
        if plain_code is not None:
            inputs[name], escaped[name] = plain_code, code
    return inputs, escaped


def _check_language(given: Fields) -> None:
    """Raise DataError unless the language has exactly one of three names, which groups and prompts use."""
    name = given.text("lang")
    if name in LANGUAGES:
        return
    hint = f"one of: {', '.join(LANGUAGES)}"
    try:
        hint = f"did you mean `{language(name).name}`?"
    except DataError as error:
        hint = error.hint or hint
    raise given.error(f"{escaped_name(name, 40)!r} is not a language of this track", field="lang", hint=hint)


def _outputs(fields: Fields) -> str:
    if _is_null(fields):
        return ""
    outputs = fields.text("outputs")
    if outputs in LABELS or outputs == "":
        return outputs
    allowed = "`success`, `failed`, or an empty text for a private task"
    hint = nearest_hint(outputs.strip().lower(), LABELS, otherwise=allowed)
    raise fields.error(f"{escaped_name(outputs, 40)!r} is not a label", field="outputs", hint=hint)


def _is_null(fields: Fields) -> bool:
    return "outputs" in fields.data and fields.data["outputs"] is None


def _instruction(fields: Fields, inputs: dict[str, Any]) -> str:
    instruction = instruction_of(fields, limit=4 * MAX_CODE)
    hint = "use {focal_code}, {test_code} and {lang}"
    try:
        prompt = filled(instruction, inputs)
    except ValueError as error:
        raise fields.error(str(error), field="instruction", hint=hint) from None
    for name in CODE:
        if inputs[name].strip() not in prompt:
            raise fields.error(f"does not show `{name}` to the model", field="instruction", hint=hint)
    return instruction


def _meta(fields: Fields, meta: Fields, escaped: dict[str, str]) -> dict[str, Any]:
    """The meta of a task, with unknown fields and escaped code of the row under separate keys."""
    for name in (EXTRA, ESCAPED):
        if name in meta.data:
            raise meta.error("the name is reserved", field=name, hint="rename the field")
    extra = {name: value for name, value in fields.data.items() if name not in _OWN}
    if _is_null(fields):
        extra["outputs"] = None  # restored instead of the empty text
    own = {EXTRA: extra, ESCAPED: escaped}
    return {**meta.data, **{name: value for name, value in own.items() if value}}


# Kinds of failure that have the same meaning in Python, Java and Go. An error of the compiler in Java and
# Go is an error of loading in Python, so they are one class. Kinds that depend on the machine (timeout,
# memory, environment) have no class.
_OF_KIND = {
    "assertion": ASSERTION,
    "exception": EXCEPTION,
    "compile": BUILD,
    "syntax": BUILD,
    "import": BUILD,
    "name": BUILD,
}
KEY = "error_class"  # of `meta`
LABEL = "_label"  # key of `Task.meta` for the row's label, which the class replaces


def error_class(label: str, kind: str) -> str:
    """The class of a row from its label and the kind of its failure; empty if it has none.

    >>> error_class("failed", "syntax"), error_class("success", ""), error_class("failed", "timeout")
    ('build', 'success', '')
    """
    return SUCCESS if label == SUCCESS else _OF_KIND.get(kind, "") if label == FAILED else ""


def build_classed(fields: Fields) -> Task:
    """Read a task with its class in `outputs`, from `meta.error_class`, else from the label and `meta.kind`.

    Raises DataError for a failing row without a class.
    """
    task = build(fields)
    meta = fields.inner("meta") if isinstance(fields.data.get("meta"), dict) else fields
    stated_class = task.meta.get(KEY)
    if stated_class is not None and stated_class not in CLASSES:
        hint = f"one of: {', '.join(CLASSES)}"
        raise meta.error("is not a class of error", field=KEY, hint=hint)
    kind = task.meta.get("kind")
    found = stated_class or error_class(task.outputs, kind if isinstance(kind, str) else "")
    if not found and task.outputs:
        hint = "for the label, leave --form out; sets of `build codecorrectness` have the class of each row"
        raise meta.error("the row does not have the class of its failure", field=KEY, hint=hint)
    if found and (found == SUCCESS) != (task.outputs == SUCCESS):
        hint = "a passing test has the class `success`, a failing test another one"
        raise meta.error(
            f"`{found}` and the label `{task.outputs}` contradict each other", field=KEY, hint=hint
        )
    return replace(
        task,
        outputs=found,
        meta={**task.meta, LABEL: task.outputs},
        revision=content_key("error class", task.revision, found),
    )


def error_questions(inputs: Mapping[str, Any], *, language: str, form: str) -> list[Question]:
    """All prompts that ask for the class of error. Raises UsageError as `correctness_questions` does."""
    wordings = wordings_in("correctness_errors", language=language, form=form)
    return questions(wordings, prompt_values(inputs), language=language)
