"""The agent `repair`: asks about each failed answer again, with the traceback of its own exception."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.contracts import Attempt, ToolCall, Track
from benchwright.errors import UsageError
from benchwright.records import Answer, Isolation, Outcome, Verdict
from benchwright.tracks.prompt_templates import fence

# By how an answer ended. A cheat is not repaired, and what the harness failed at says nothing of the answer.
_FACTS = {
    "en": {
        Outcome.exception: "It raised an exception.",
        Outcome.wrong: "It gave a result that is not the expected one.",
        Outcome.timed_out: "It did not end in the time that it may take.",
        Outcome.out_of_memory: "It took more memory than it may have.",
        Outcome.output_limit: "It printed or returned more than it may.",
        Outcome.no_code: "No program could be found in the answer.",
        Outcome.syntax_error: "The program cannot be compiled.",
        Outcome.no_entry_point: "The program does not define the function that was asked for.",
    },
    "ru": {
        Outcome.exception: "Она вызвала исключение.",
        Outcome.wrong: "Она вернула не тот результат, который ожидался.",
        Outcome.timed_out: "Она не завершилась за отведённое время.",
        Outcome.out_of_memory: "Ей понадобилось больше памяти, чем отведено.",
        Outcome.output_limit: "Она напечатала или вернула больше, чем допустимо.",
        Outcome.no_code: "В ответе не удалось найти программу.",
        Outcome.syntax_error: "Программа не компилируется.",
        Outcome.no_entry_point: "В программе не определена функция, которую требовалось написать.",
    },
}
_FRAMES = {
    "en": ("Your program did not pass its tests.", "Tests", "Correct it, and give the whole program again."),
    "ru": ("Ваша программа не прошла тесты.", "Тесты", "Исправьте её и приведите программу целиком ещё раз."),
}
_READ = frozenset({Outcome.no_code, Outcome.syntax_error, Outcome.no_entry_point})  # nothing was executed


class RepairAgent:
    """Asks again until the answer passes. It has no tools."""

    name, rounds, judged, system = "repair", 3, True, ""
    tools: Mapping[str, str] = {}

    def check(self, track: Track) -> None:
        """Raise UsageError for answers that are not executed: there is nothing to report about them."""
        if not track.executes:
            message = f"--agent repair: answers to {track.name} are not executed, so none can be repaired"
            raise UsageError(message, hint="leave --agent out")

    def calls(self, answer: Answer) -> Sequence[ToolCall]:
        """Return no calls: the agent has no tools."""
        return ()

    def reply(self, attempt: Attempt) -> str | None:
        """Return the feedback on an answer that failed; None for a cheat and for an error of the harness."""
        if attempt.verdict is None or not is_repairable(attempt.verdict):
            return None
        return feedback(attempt.verdict, language=attempt.language)


REPAIR = RepairAgent()


def is_repairable(verdict: Verdict) -> bool:
    """Whether a model may be asked about the answer again."""
    return verdict.outcome in _FACTS["en"]


def feedback(verdict: Verdict, *, language: str) -> str:
    """Return the message to a model about a failed answer: no expected value, and no input of a test.

    For an exception it shows the traceback, which holds only what the program itself put into it. For an
    answer judged in parts it lists the outcome of each part.
    """
    language = language if language in _FACTS else "en"
    opening, parts, request = _FRAMES[language]
    sections = [f"{opening} {_FACTS[language][verdict.outcome]}"]
    if error_text := _error_text(verdict):
        ticks = fence(error_text)
        sections.append(f"{ticks}\n{error_text}\n{ticks}")
    if verdict.parts:
        ends = ", ".join(f"{name} – {outcome.value}" for name, outcome in verdict.parts.items())
        sections.append(f"{parts}: {ends}.")
    return "\n\n".join([*sections, request])


def _error_text(verdict: Verdict) -> str:
    """Return text about the program itself: an error before it ran, or the traceback of its exception.

    Where tests are compiled with a program, compiler messages quote the tests. The traceback then has only
    the messages about the program's own file.
    """
    own = verdict.outcome in _READ and verdict.isolation is Isolation.separated
    return verdict.detail if own else verdict.traceback
