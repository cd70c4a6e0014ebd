"""Export of a finished run as an Inspect log, sample by sample with the package's own writer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from string import digits
from typing import Any

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError, UsageError, command_name
from benchwright.interop.inspect_ai_log.header import RunFacts, make_header
from benchwright.interop.inspect_ai_log.package import load_package
from benchwright.interop.inspect_ai_log.samples import make_sample
from benchwright.interop.inspect_ai_log.writing import write_log
from benchwright.records import Answer, Record, Score, Task, TaskId, Verdict
from benchwright.running.reading import open_run, read_score
from benchwright.running.run_data import HINT, named_data
from benchwright.store.runfolder import RunFolder

SUFFIXES = (".eval", ".json")
_LISTED = re.compile(r"\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d")


class ExportedLog(Record, frozen=True, kw_only=True):
    """Summary of a written log."""

    run: str
    out: str
    samples: int
    tasks: int
    epochs: int
    errors: int  # answers that are missing through no fault of the model
    model: str
    scores: list[str]  # the profiles
    notes: list[str]


def export_inspect(run: str | Path, out: str | Path, *, data: str | Path | None = None) -> ExportedLog:
    """Write a run as a log to `out`, whose extension selects one of Inspect's two formats.

    Raises UsageError for another extension, RunError for an unfinished run, and PrerequisiteError without
    inspect-ai. `data` is the path of a moved data set.
    """
    path = _checked(Path(out), run)
    folder = open_run(run)
    score = read_score(folder)
    questions = Questions(folder, data)
    package = load_package()
    facts = _facts(folder, score)
    header = make_header(package, folder, score, facts=facts, title=questions.title)
    samples = (
        make_sample(
            package,
            answer,
            verdicts,
            asked=questions.asked(answer),
            gold=questions.gold(answer),
            grade=questions.grade,
        )
        for answer, verdicts in _judged(folder, score)
    )
    write_log(package, path, header, samples)
    return ExportedLog(
        run=str(folder.path),
        out=str(path),
        samples=score.answers,
        tasks=len(facts.tasks),
        epochs=facts.n,
        errors=score.missing,
        model=facts.model,
        scores=[score.profile, *score.other_profiles],
        notes=list(filter(None, (questions.note, _unlisted(path)))),
    )


def _checked(out: Path, run: str | Path) -> Path:
    if out.suffix not in SUFFIXES:
        known = " or ".join(SUFFIXES)
        hint = f"{command_name()} export inspect {quoted(run)} --out {quoted(f'{out.stem}.eval')}"
        raise UsageError(f"--out {escaped_path(out)}: the name of a log must end in {known}", hint=hint)
    return out


def _unlisted(out: Path) -> str:
    """Return a note on a file that Inspect reads but does not list in its folder."""
    if out.suffix == ".eval" or _LISTED.match(out.name):
        return ""
    return (
        "Inspect lists a .json log only if its name begins with a time, such as 2026-01-31T12-00-00_run.json"
    )


def _facts(folder: RunFolder, score: Score) -> RunFacts:
    tasks: dict[TaskId, int] = {}
    models: dict[str, tuple[int, int]] = {}
    for answer in folder.answers():
        tasks[answer.task_id] = max(tasks.get(answer.task_id, 0), answer.sample + 1)
        spent_in, spent_out = models.get(answer.model, (0, 0))
        models[answer.model] = (spent_in + (answer.tokens_in or 0), spent_out + (answer.tokens_out or 0))
    model = next(iter(models)) if len(models) == 1 else score.model  # stored answers may be several models'
    usage = {name: spent for name, spent in models.items() if any(spent)}
    return RunFacts(list(tasks), max(tasks.values(), default=0), model, usage)


def _judged(folder: RunFolder, score: Score) -> Iterator[tuple[Answer, dict[str, Verdict]]]:
    """Yield answers with verdicts, in the common order of a finished run's files."""
    profiles = [score.profile, *score.other_profiles]
    files = [folder.verdicts("" if name == score.profile else name) for name in profiles]
    written = 0
    rows: Iterator[tuple[Any, ...]] = zip_longest(folder.answers(), *files)
    for answer, *verdicts in rows:
        if not _agree(answer, verdicts):
            raise _unfinished(folder)
        yield answer, dict(zip(profiles, verdicts, strict=True))
        written += 1
    if written != score.answers:
        raise _unfinished(folder)


def _agree(answer: Any, verdicts: list[Any]) -> bool:
    if answer is None or None in verdicts:
        return False
    return all((each.task_id, each.sample) == (answer.task_id, answer.sample) for each in verdicts)


def _unfinished(folder: RunFolder) -> RunError:
    message = f"{escaped_path(folder.path)} is not finished: answers and verdicts do not match"
    return RunError(message, hint="repeat its command to complete the run and its scores")


class Questions:
    """Questions of a run. `note` is the reason if they are unknown; then all are empty."""

    def __init__(self, folder: RunFolder, data: str | Path | None) -> None:
        identity: dict[str, Any] = folder.manifest["identity"]
        prompts = identity.get("prompts")
        self._prompts: dict[str, Any] = prompts if isinstance(prompts, dict) else {}
        self._asked: tuple[TaskId | None, dict[str, str]] = (None, {})
        found = named_data(folder, data)
        self._track, self._tasks = found.track, found.tasks()
        self.note = f"the log has no inputs and no targets: {found.absent}; {HINT}" if found.absent else ""

    @property
    def title(self) -> str:
        """Title of the track."""
        return self._track.title

    @property
    def grade(self) -> str:
        """Name of the grade if the track grades answers; else empty."""
        return self._track.measures.grade

    def asked(self, answer: Answer) -> str:
        """Return the prompt."""
        task = self._tasks.get(answer.task_id)
        if task is None:
            return ""
        if not answer.prompt:
            return self._track.prompt(task)
        if self._asked[0] != task.task_id:  # ten texts are made at a time, so those of one task are kept
            self._asked = (task.task_id, self._variants(task, answer.prompt))
        return self._asked[1].get(answer.prompt, "")

    def gold(self, answer: Answer) -> str:
        """Return the gold answer; empty if there is none."""
        task = self._tasks.get(answer.task_id)
        return "" if task is None else self._track.gold(task) or ""

    def _variants(self, task: Task, name: str) -> dict[str, str]:
        """The texts of all variants. Stored answers may tell one that their run did not ask for, such as
        ru-03; then its name says the language, and how it was asked is taken to be the usual way."""
        language = str(self._prompts.get("language") or name.partition("-")[0].rstrip(digits))
        try:
            form = str(self._prompts.get("form") or "chat")
            listed = self._track.questions(task, language=language, form=form)
        except UsageError:  # such a variant is not known here
            return {}
        return {question.variant: question.text for question in listed}
