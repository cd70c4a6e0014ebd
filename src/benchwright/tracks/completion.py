"""What the tracks of function completion share: how a task is asked, and the program in an answer.

People ask in different ways, and a model's score depends on the way. So a task is not asked in one
wording that happens to suit a model, but in ten that differ as people do: polite or curt, code first or
request first, with a role or without, for the whole function, its body, or one block of code.

Variant i says the same in both languages. Names and order never change: "ru-03" means one text for good.
"""

from __future__ import annotations

from benchwright.contracts import Extraction, MeasureSet, Question
from benchwright.records import Answer, Task
from benchwright.tracks.passing import PassAtK
from benchwright.tracks.profiles import PROFILES, take_program
from benchwright.tracks.wordings import fence, questions, wordings_in

VARIANTS = 10


class CompletionTrack:
    """Base of a track whose tasks have the head of a function in `inputs` and its name in `meta`."""

    default_n = 10
    ks = (1, 5, 10)
    temperature = 0.6
    profiles = PROFILES
    measures: MeasureSet = PassAtK()
    executes = True

    def questions(self, task: Task, *, language: str, form: str) -> list[Question]:
        """Ten ways to ask for the rest of the function."""
        return completion_questions(task.inputs["function"], language=language, form=form)

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """The program in an answer, by the rules of a scoring profile."""
        entry_point: str = task.meta["entry_point"]
        return take_program(answer, prompt=task.inputs["function"], entry_point=entry_point, profile=profile)


def completion_questions(function: str, *, language: str, form: str) -> list[Question]:
    """All variants that ask for the rest of a function, of which `function` is the head.

    "chat" shows the head and asks; "base" is text that a base model goes on from, so it ends with the head,
    character for character. Raises UsageError for another language or form.
    """
    wordings = wordings_in("completion", language=language, form=form)
    # Line ends around the code would show as empty lines in a fence; a base model needs them as they are.
    values = {"function": function if form == "base" else function.strip("\n"), "fence": fence(function)}
    return questions(wordings, values, language=language)
