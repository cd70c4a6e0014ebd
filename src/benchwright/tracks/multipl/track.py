"""MultiPL-E: HumanEval and MBPP in other languages, judged by MultiPL-E's own tests.

Cassano et al. 2023 (https://arxiv.org/abs/2208.08227). Six of its languages are supported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from benchwright import registry
from benchwright.contracts import Extraction, PrintedSpec, SuiteAnswerSpec
from benchwright.records import Answer, Task
from benchwright.store.keys import content_key
from benchwright.tracks.base import require_profile
from benchwright.tracks.functions.completion import CompletionTrack
from benchwright.tracks.multipl import MULTIPL
from benchwright.tracks.multipl.forms import PROFILES, LanguageForm, RowParts, UnknownShape, take_file
from benchwright.tracks.multipl.go import GO
from benchwright.tracks.multipl.java import JAVA
from benchwright.tracks.multipl.printed import CPP, JAVASCRIPT, RUST, TYPESCRIPT
from benchwright.tracks.prompt_templates import fence
from benchwright.tracks.python_source import MAX_SOURCE
from benchwright.tracks.rows import Fields

FORMS: Mapping[str, LanguageForm] = {
    "go_test.go": GO,
    "go": GO,
    "java": JAVA,
    "js": JAVASCRIPT,
    "ts": TYPESCRIPT,
    "cpp": CPP,
    "rs": RUST,
}  # by name of the language in rows
MAX_TESTS = 1 << 20
_OWN = frozenset({"name", "language", "prompt", "tests", "stop_tokens"})


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    fields = fields.named(fields.identity("name"))
    language = fields.text("language", limit=50)
    if language not in FORMS:
        hint = f"supported languages: {', '.join(FORMS)}"
        raise fields.error(f"answers in {language!r} cannot be judged", field="language", hint=hint)
    prompt = fields.text("prompt", limit=MAX_SOURCE)
    tests = fields.text("tests", limit=MAX_TESTS)
    try:
        parts = FORMS[language].read(prompt, tests)
    except UnknownShape as error:
        raise fields.error(str(error), field=error.field) from None
    return Task(
        task_id=fields.task_id or "",
        instruction="",
        inputs={"function": prompt, "tests": tests},
        outputs=None,
        meta={
            **{key: value for key, value in fields.data.items() if key not in _OWN},
            "language": language,
            "stop_tokens": _stop_tokens(fields),
            "entry_point": parts.name,
        },
        revision=content_key("multipl", language, prompt, tests),
        origin=f"{fields.path}:{fields.line}",
    )


def form_of(task: Task) -> LanguageForm:
    """The implementation for the task's language."""
    return FORMS[task.meta["language"]]


def parts_of(task: Task) -> RowParts:
    """The parts of a loaded task's prompt and tests."""
    return form_of(task).read(task.inputs["function"], task.inputs["tests"])


def to_row(task: Task) -> dict[str, Any]:
    """The row of a task."""
    rest = {key: value for key, value in task.meta.items() if key != "entry_point"}
    inputs = {"prompt": task.inputs["function"], "tests": task.inputs["tests"]}
    return {"name": task.task_id, **inputs, **rest}


def _stop_tokens(fields: Fields) -> list[str]:
    tokens = fields.data.get("stop_tokens", [])
    if not isinstance(tokens, list) or not all(isinstance(each, str) and each for each in tokens):
        hint = 'write it as "stop_tokens": ["\\nfunc"]'
        raise fields.error("must be a list of texts", field="stop_tokens", hint=hint)
    return tokens


class MultiPL(CompletionTrack, declaration=MULTIPL):
    """Track of MultiPL-E rows."""

    prompt_kind = "multipl"

    def __init__(self) -> None:
        self._ready: set[str] = (
            set()
        )  # languages; a run calls `prepare` before the self-check and before the answers

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_task(fields)

    def prompt(self, task: Task) -> str:
        """The head of the function, for a base model to continue."""
        text: str = task.inputs["function"]
        return text

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The head of the function, and the language by name and by the tag of a fence."""
        function = task.inputs["function"]
        return {
            "function": function if form == "base" else function.strip("\n"),
            "fence": fence(function),
            "lang": form_of(task).lang,
            "tag": form_of(task).tag,
        }

    def gold(self, task: Task) -> str | None:
        """The row's solution; published rows have none."""
        solution = task.meta.get("canonical_solution")
        return solution if isinstance(solution, str) and solution else None

    def stub(self, task: Task) -> str:
        """A body that always fails."""
        return form_of(task).stub

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the answer's file, by the rules of a scoring profile."""
        stop_tokens = task.meta["stop_tokens"]
        return take_file(answer, form_of(task), parts_of(task), stops=stop_tokens, profile=profile)

    def spec(self, task: Task, *, profile: str) -> SuiteAnswerSpec | PrintedSpec:
        """The tests without the answer's file."""
        require_profile(profile, PROFILES, track=self.name)
        return form_of(task).spec(parts_of(task))

    def prepare(self, tasks: Iterable[Task], *, note: Callable[[str], object]) -> None:
        """Prepare the toolchain of each language before the first answer. Raises PrerequisiteError."""
        for lang, task in {form_of(task).lang: task for task in tasks}.items():
            if lang not in self._ready:
                note(f"preparing {lang}; the first use on this machine takes longer")
                spec = self.spec(task, profile=PROFILES[0])
                registry.find("judge", spec.judge).make_ready(spec)
                self._ready.add(lang)

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        return to_row(task)


TRACK = MultiPL()
