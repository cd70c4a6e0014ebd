"""What each answer of a run was an answer to: the question and the gold, from the run's data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchwright.errors import UsageError
from benchwright.records import Answer, Task, TaskId
from benchwright.running.run_data import HINT, named_data
from benchwright.store.runfolder import RunFolder


class Questions:
    """The questions of a run. `note` says why they are not known; then each is empty."""

    def __init__(self, folder: RunFolder, data: str | Path | None) -> None:
        identity: dict[str, Any] = folder.manifest["identity"]
        prompts = identity.get("prompts")
        self._prompts: dict[str, Any] = prompts if isinstance(prompts, dict) else {}
        self._asked: tuple[TaskId | None, dict[str, str]] = (None, {})
        found = named_data(folder, data)
        self._track, self._tasks = found.track, found.tasks()
        self.note = f"the log has no inputs and targets: {found.absent}; {HINT}" if found.absent else ""

    @property
    def title(self) -> str:
        """The track's name for people."""
        return self._track.title

    def asked(self, answer: Answer) -> str:
        """The text that the model was given."""
        task = self._tasks.get(answer.task_id)
        if task is None:
            return ""
        if not answer.prompt:
            return self._track.prompt(task)
        if self._asked[0] != task.task_id:  # ten texts are made at a time, so those of one task are kept
            self._asked = (task.task_id, self._variants(task, answer.prompt))
        return self._asked[1].get(answer.prompt, "")

    def gold(self, answer: Answer) -> str:
        """The data set's own answer; empty where it holds none."""
        task = self._tasks.get(answer.task_id)
        return "" if task is None else self._track.gold(task) or ""

    def _variants(self, task: Task, name: str) -> dict[str, str]:
        """The texts of all variants. Stored answers may tell one that their run did not ask for, such as
        ru-03; then its name says the language, and how it was asked is taken to be the usual way."""
        language = str(self._prompts.get("language") or name.partition("-")[0])
        try:
            form = str(self._prompts.get("form") or "chat")
            listed = self._track.questions(task, language=language, form=form)
        except UsageError:  # such a variant is not known here
            return {}
        return {question.variant: question.text for question in listed}
