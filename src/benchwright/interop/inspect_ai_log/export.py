"""Export of a run as an Inspect log: header, samples and file."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from string import digits
from tempfile import TemporaryDirectory
from typing import Any

from benchwright.contracts import worth
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError, UsageError, command_name, install_command
from benchwright.interop.inspect_ai_log.header import (
    Header,
    InspectPackage,
    RunFacts,
    load_package,
    load_recorder,
    make_header,
)
from benchwright.records import Answer, Outcome, Record, Score, Task, TaskId, Verdict
from benchwright.running.prompt_files import prompt_of
from benchwright.running.run_data import HINT, find_run_data, open_run, read_score
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import make_parents, replacing

SUFFIXES = (".eval", ".json")
_LISTED = re.compile(r"\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d")


class ExportedLog(Record, frozen=True, kw_only=True):
    """Summary of a written log."""

    run: str
    out: str
    samples: int
    tasks: int
    epochs: int
    errors: int  # answers that are missing for reasons other than the model
    model: str
    scores: list[str]  # the profiles
    notes: list[str]


def export_inspect(run: str | Path, out: str | Path, *, data: str | Path | None = None) -> ExportedLog:
    """Write a run as a log to `out`, whose extension selects one of Inspect's two formats.

    Raises UsageError for another extension, RunError for an unfinished run, and PrerequisiteError without
    inspect-ai. `data` is the path of a moved data set.
    """
    path = _check_out(Path(out), run)
    folder = open_run(run)
    score = read_score(folder)
    questions = RunQuestions(folder, data)
    package = load_package()
    facts = _facts(folder, score)
    header = make_header(package, folder, score, facts=facts, title=questions.title)
    samples = (
        make_sample(
            package,
            answer,
            verdicts,
            asked=questions.prompt(answer),
            gold=questions.gold(answer),
            grade=questions.grade,
        )
        for answer, verdicts in _answers_with_verdicts(folder, score)
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
        notes=list(filter(None, (questions.note, _listing_note(path)))),
    )


def _check_out(out: Path, run: str | Path) -> Path:
    if out.suffix not in SUFFIXES:
        known = " or ".join(SUFFIXES)
        hint = f"{command_name()} export inspect {quoted(run)} --out {quoted(f'{out.stem}.eval')}"
        raise UsageError(f"--out {escaped_path(out)}: the name of a log must end in {known}", hint=hint)
    return out


def _listing_note(out: Path) -> str:
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
        tokens_in, tokens_out = models.get(answer.model, (0, 0))
        models[answer.model] = (tokens_in + (answer.tokens_in or 0), tokens_out + (answer.tokens_out or 0))
    model = next(iter(models)) if len(models) == 1 else score.model  # stored answers may be several models'
    usage = {name: counts for name, counts in models.items() if any(counts)}
    return RunFacts(list(tasks), max(tasks.values(), default=0), model, usage)


def _answers_with_verdicts(folder: RunFolder, score: Score) -> Iterator[tuple[Answer, dict[str, Verdict]]]:
    """Yield answers with verdicts, in the common order of a finished run's files."""
    profiles = [score.profile, *score.other_profiles]
    files = [folder.verdicts("" if name == score.profile else name) for name in profiles]
    count = 0
    rows: Iterator[tuple[Any, ...]] = zip_longest(folder.answers(), *files)
    for answer, *verdicts in rows:
        if not _agree(answer, verdicts):
            raise _unfinished_run_error(folder)
        yield answer, dict(zip(profiles, verdicts, strict=True))
        count += 1
    if count != score.answers:
        raise _unfinished_run_error(folder)


def _agree(answer: Any, verdicts: list[Any]) -> bool:
    if answer is None or None in verdicts:
        return False
    return all((each.task_id, each.sample) == (answer.task_id, answer.sample) for each in verdicts)


def _unfinished_run_error(folder: RunFolder) -> RunError:
    message = f"{escaped_path(folder.path)} is not finished: answers and verdicts do not match"
    return RunError(message, hint="repeat its command to complete the run and its scores")


class RunQuestions:
    """Questions of a run. `note` is the reason if they are unknown; then all are empty."""

    def __init__(self, folder: RunFolder, data: str | Path | None) -> None:
        identity: dict[str, Any] = folder.manifest["identity"]
        prompts = identity.get("prompts")
        self._prompts: dict[str, Any] = prompts if isinstance(prompts, dict) else {}
        self._variant_texts: tuple[TaskId | None, dict[str, str]] = (None, {})
        found = find_run_data(folder, data)
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

    def prompt(self, answer: Answer) -> str:
        """Return the prompt."""
        task = self._tasks.get(answer.task_id)
        if task is None:
            return ""
        if not answer.prompt:
            return self._track.prompt(task)
        if (
            self._variant_texts[0] != task.task_id
        ):  # ten texts are made at a time, so those of one task are kept
            self._variant_texts = (task.task_id, self._variants(task, answer.prompt))
        return self._variant_texts[1].get(answer.prompt, "")

    def gold(self, answer: Answer) -> str:
        """Return the gold answer; empty if there is none."""
        task = self._tasks.get(answer.task_id)
        return "" if task is None else self._track.gold(task) or ""

    def _variants(self, task: Task, name: str) -> dict[str, str]:
        """The texts of all variants. Stored answers may tell one that their run did not ask for, such as
        ru-03; then its name says the language, and how it was asked is taken to be the usual way."""
        own = prompt_of({"prompts": self._prompts})
        if own is not None:
            return {own.name: own.fill(self._track, task, form=str(self._prompts.get("form")))}
        language = str(self._prompts.get("language") or name.partition("-")[0].rstrip(digits))
        try:
            form = str(self._prompts.get("form") or "chat")
            questions = self._track.questions(task, language=language, form=form)
        except UsageError:  # such a variant is not known here
            return {}
        return {question.variant: question.text for question in questions}


CORRECT, INCORRECT = "C", "I"
STOP_REASONS = {
    "stop": "stop",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "content_filter": "content_filter",
}


def make_sample(
    package: InspectPackage,
    answer: Answer,
    verdicts: Mapping[str, Verdict],
    *,
    asked: str,
    gold: str,
    grade: str = "",
) -> Any:
    """Make the EvalSample. `verdicts` are by profile, the run's own first; `grade` is a metric's name."""
    error = _error(answer, next(iter(verdicts.values())))
    scores = {name: _score(package, verdict, grade) for name, verdict in verdicts.items()}
    return package.log.EvalSample(
        id=answer.task_id,
        epoch=answer.sample + 1,
        input=asked,
        target=gold,
        messages=_messages(package, answer, asked),
        output=_output(package, answer),
        scores={name: score for name, score in scores.items() if score is not None},
        metadata=_metadata(answer, next(iter(verdicts.values()))),
        model_usage={} if (usage := _usage(package, answer)) is None else {answer.model: usage},
        uuid=answer.key,
        error=error,
    )


def _metadata(answer: Answer, verdict: Verdict) -> dict[str, Any]:
    """Return metadata: columns of Inspect's data frames; `import inspect` reads the outcome of errors."""
    facts = {"outcome": verdict.outcome.value, "prompt": answer.prompt}
    return {name: value for name, value in facts.items() if value}


def _messages(package: InspectPackage, answer: Answer, prompt: str) -> list[Any]:
    """Make the messages. Unlike Inspect's, their ids are not random, so that equal runs give equal logs."""
    messages = [package.model.ChatMessageUser(id=f"{answer.key}-0", content=prompt)]
    if answer.error is None:
        messages.append(_reply(package, answer))
    return messages


def _reply(package: InspectPackage, answer: Answer) -> Any:
    """Make a text part: from plain text, older versions remove everything between <think> marks."""
    text = package.model.ContentText(text=answer.text)
    return package.model.ChatMessageAssistant(
        id=f"{answer.key}-1", content=[text], model=answer.model, source="generate"
    )


def _output(package: InspectPackage, answer: Answer) -> Any:
    """Make the model's output. The completion is set separately, for `import inspect`."""
    facts = {
        "seed": answer.seed,
        "finish_reason": answer.finish_reason,
        "tail": answer.tail or None,
        "tokens_in": answer.tokens_in,  # usage below cannot say that one of the two is not known
        "tokens_out": answer.tokens_out,
    }
    metadata = {name: value for name, value in facts.items() if value is not None}
    if answer.error is not None:
        return package.model.ModelOutput(model=answer.model, error=answer.error, metadata=metadata)
    choice = package.model.ChatCompletionChoice(
        message=_reply(package, answer), stop_reason=STOP_REASONS.get(answer.finish_reason or "", "unknown")
    )
    return package.model.ModelOutput(
        model=answer.model,
        choices=[choice],
        completion=answer.text,
        usage=_usage(package, answer),
        metadata=metadata,
    )


def _usage(package: InspectPackage, answer: Answer) -> Any | None:
    if answer.tokens_in is None and answer.tokens_out is None:
        return None
    tokens_in, tokens_out = answer.tokens_in or 0, answer.tokens_out or 0
    return package.model.ModelUsage(
        input_tokens=tokens_in, output_tokens=tokens_out, total_tokens=tokens_in + tokens_out
    )


def _error(answer: Answer, verdict: Verdict) -> dict[str, str] | None:
    """Make an EvalError if there is nothing to score; None otherwise."""
    if not verdict.outcome.is_missing:
        return None
    message = f"{verdict.outcome.value}: {answer.error or verdict.detail}"
    return {"message": message, "traceback": message, "traceback_ansi": message}


def _score(package: InspectPackage, verdict: Verdict, grade: str) -> Any | None:
    """Return the score of a verdict; None if missing or undecided, which Inspect excludes from metrics."""
    good = worth(verdict, grade)
    if good is None:
        return None
    graded = {"scores": verdict.scores} if grade else {}
    return package.scorer.Score(
        value=good if grade else CORRECT if verdict.outcome is Outcome.passed else INCORRECT,
        explanation=": ".join(filter(None, (verdict.outcome.value, verdict.detail))),
        metadata={
            "outcome": verdict.outcome.value,
            "isolation": verdict.isolation.value,
            "profile": verdict.profile,
            "rule": verdict.rule,
            "cpu_s": verdict.cpu_s,
            "wall_s": verdict.wall_s,
            "truncated": verdict.truncated,
            "suspicious": verdict.suspicious,
            "stdout": verdict.stdout,
            **graded,
        },
    )


MAX_HELD = 256 << 20  # characters of samples that are in memory at once
MAX_HELD_SAMPLES = 20_000
_BATCH, _BATCH_CHARACTERS = 2000, 32 << 20


def write_log(package: InspectPackage, out: Path, header: Header, samples: Iterator[Any]) -> None:
    """Write the log atomically: it is written to a temporary file and then moved."""
    make_parents(out)
    with replacing(out) as file, TemporaryDirectory(prefix="benchwright-") as folder:
        temporary_log = Path(folder) / f"log{out.suffix}"
        recorder = load_recorder(folder, str(temporary_log)) if out.suffix == ".eval" else None
        if recorder is None:
            _write_whole(package, temporary_log, header, samples, out)
        else:
            asyncio.run(_write_stream(recorder, temporary_log, header, samples))
        with temporary_log.open("rb") as log:
            shutil.copyfileobj(log, file)


async def _write_stream(recorder: Any, path: Path, header: Header, samples: Iterator[Any]) -> None:
    """Write a log in batches: each flush copies the whole file, and samples before it are in memory."""
    await recorder.log_init(header.spec, str(path))
    try:
        await recorder.log_start(header.spec, header.plan)
        count = characters = 0
        for sample in samples:
            await recorder.log_sample(header.spec, sample)
            count, characters = count + 1, characters + _size(sample)
            if count >= _BATCH or characters >= _BATCH_CHARACTERS:
                await recorder.flush(header.spec)
                count = characters = 0
    except BaseException:
        if hasattr(recorder, "log_discard"):  # older versions leave their open files to the collector
            await recorder.log_discard(header.spec)
        raise
    await recorder.log_finish(header.spec, "success", header.stats, header.results, None)


def _write_whole(
    package: InspectPackage, path: Path, header: Header, samples: Iterator[Any], out: Path
) -> None:
    log = package.log.EvalLog(
        status="success",
        eval=header.spec,
        plan=header.plan,
        results=header.results,
        stats=header.stats,
        samples=_sample_list(samples, out),
    )
    package.log.write_eval_log(log, str(path))


def _sample_list(samples: Iterator[Any], out: Path) -> list[Any]:
    collected, characters = [], 0
    for sample in samples:
        collected.append(sample)
        characters += _size(sample)
        if len(collected) > MAX_HELD_SAMPLES or characters > MAX_HELD:
            raise _too_large(out)
    return collected


def _too_large(out: Path) -> RunError:
    limits = f"{MAX_HELD_SAMPLES:,} answers or {MAX_HELD:,} characters"
    if out.suffix == ".json":
        message = f"{escaped_path(out)}: a .json log is built in memory, and the run exceeds {limits}"
        return RunError(message, hint=f"--out {quoted(out.with_suffix('.eval'))}")
    message = f"this version of inspect-ai writes logs in one piece only, and the run exceeds {limits}"
    return RunError(message, hint=f"install another version: {install_command('inspect')}")


def _size(sample: Any) -> int:
    """Return the approximate size of a sample, which contains the answer twice."""
    return len(sample.input) + len(sample.target) + 2 * len(sample.output.completion)
