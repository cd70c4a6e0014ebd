"""A run opened in Python: its scores, and its tasks, answers and verdicts, read when they are used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from benchwright.api.frames import AnswerRow, to_arrow, to_pandas, to_polars
from benchwright.display.notebook import HtmlTable, fragment
from benchwright.display.wording import counted, in_order, outcome_label
from benchwright.errors import UnknownNameError, nearest_hint
from benchwright.records import Answer, Metric, Outcome, Score, SelfCheck, Task, TaskId, Verdict
from benchwright.report.programs import open_programs
from benchwright.running import run_data
from benchwright.running.run_data import DataByHash, data_by_hash, measures_of
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import read_records


class Scores(Mapping[str, Metric]):
    """Metrics by name, each with value, interval (`low`, `high`) and n; outcome counts; other profiles."""

    def __init__(self, score: Score) -> None:
        self._score = score

    def __getitem__(self, name: str) -> Metric:
        if name not in self._score.metrics:
            hint = nearest_hint(name, self._score.metrics)
            raise UnknownNameError(f"no metric {name!r} in {self._score.run}", hint=hint)
        return self._score.metrics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._score.metrics)

    def __len__(self) -> int:
        return len(self._score.metrics)

    @property
    def outcomes(self) -> dict[str, int]:
        """Number of answers by outcome. They add up to all answers."""
        return self._score.outcomes

    @property
    def profiles(self) -> dict[str, dict[str, Metric]]:
        """Metrics by scoring profile, the run's own first."""
        return {self._score.profile: self._score.metrics, **self._score.other_profiles}

    @property
    def headline(self) -> Metric:
        """The first metric of the track that the run has."""
        return self[measures_of(self._score.track).in_order(self._score.metrics)[0]]

    def __repr__(self) -> str:
        return f"Scores({', '.join(f'{name}={each.value:.4g}' for name, each in self.items())})"


class StoredRun:
    """A run folder. Scores are read once; tasks, answers and verdicts each time they are used."""

    def __init__(self, folder: RunFolder, given: DataByHash | None = None) -> None:
        self._folder, self._given = folder, given

    @property
    def path(self) -> Path:
        """The run folder."""
        return self._folder.path

    @property
    def model(self) -> str:
        """The model's spec, such as "openai:NAME"."""
        return str(self._folder.manifest.get("model", ""))

    @property
    def track(self) -> str:
        """The name of the track."""
        return run_data.identity_field(self._folder, "track")

    @property
    def profile(self) -> str:
        """The scoring profile of `scores` and `verdicts`."""
        return run_data.identity_field(self._folder, "profile")

    @cached_property
    def score(self) -> Score:
        """The whole score as stored in scores.json. Raises RunError for an unfinished run."""
        return run_data.read_score(self._folder)

    @property
    def scores(self) -> Scores:
        """Metrics by name with intervals, counts of outcomes, other profiles."""
        return Scores(self.score)

    @property
    def metrics(self) -> dict[str, Metric]:
        """Metrics by name."""
        return self.score.metrics

    @property
    def outcomes(self) -> dict[str, int]:
        """Number of answers by outcome."""
        return self.score.outcomes

    @property
    def other_profiles(self) -> dict[str, dict[str, Metric]]:
        """Metrics of the same answers by further profiles."""
        return self.score.other_profiles

    @property
    def self_check(self) -> SelfCheck:
        """The self-check: gold answers passed, stubs failed."""
        return self.score.self_check

    @property
    def missing(self) -> int:
        """Number of answers without a verdict because of infrastructure errors."""
        return self.score.missing

    @property
    def notes(self) -> list[str]:
        """Notes on the score."""
        return self.score.notes

    @property
    def tasks(self) -> Iterator[Task]:
        """The tasks of the data set, in order; none if the run does not store them."""
        return iter(run_data.data_of(self._folder, self._given).tasks().values())

    @property
    def answers(self) -> Iterator[Answer]:
        """The answers of the model, in order."""
        path = self._folder.answers_path
        return read_records(path, Answer, torn="skip") if path.exists() else iter(())

    @property
    def verdicts(self) -> Iterator[Verdict]:
        """The verdicts of the run's own profile, in order."""
        path = self._folder.verdicts_path()
        return read_records(path, Verdict, torn="skip") if path.exists() else iter(())

    def rows(self) -> Iterator[AnswerRow]:
        """One row for each answer: the answer with its verdict and its program."""
        return self._rows(failures=False)

    def failures(self) -> Iterator[AnswerRow]:
        """The rows of decided answers that did not pass."""
        return self._rows(failures=True)

    def to_pandas(self, *, failures: bool = False) -> Any:
        """Return the rows as a pandas DataFrame, one row for each answer."""
        return to_pandas(self._rows(failures=failures))

    def to_polars(self, *, failures: bool = False) -> Any:
        """Return the rows as a polars DataFrame, one row for each answer."""
        return to_polars(self._rows(failures=failures))

    def to_arrow(self, *, failures: bool = False) -> Any:
        """Return the rows as a pyarrow Table, one row for each answer."""
        return to_arrow(self._rows(failures=failures))

    def _rows(self, *, failures: bool) -> Iterator[AnswerRow]:
        verdicts: dict[tuple[TaskId, int], Verdict] = {
            (each.task_id, each.sample): each
            for each in self.verdicts
            if not failures or (each.outcome.is_decided and each.outcome is not Outcome.passed)
        }
        programs, _ = open_programs([self._folder], self._given)
        for answer in self.answers:
            verdict = verdicts.get((answer.task_id, answer.sample))
            if verdict is not None or not failures:
                program = None if programs is None or answer.error else programs.program(answer)
                yield AnswerRow.of(answer, verdict, program)

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"

    def __str__(self) -> str:
        lines = [f"{self.track}: {self.model}, {self.path}"]
        if (self.path / "scores.json").exists():
            lines += [figure_text(name, each) for name, each in self.scores.items()]
            lines.append(self._outcomes())
        else:
            lines.append("not finished: no score yet")
        return "\n".join(lines)

    def _outcomes(self) -> str:
        names = in_order(name for name, count in self.outcomes.items() if count)
        return ", ".join(f"{self.outcomes[name]:,} {outcome_label(name)}" for name in names)

    def _repr_html_(self) -> str:
        if not (self.path / "scores.json").exists():
            return fragment(str(self))
        rows = [
            (name, profile, each.value, each.low, each.high, each.n)
            for profile, metrics in self.scores.profiles.items()
            for name, each in metrics.items()
        ]
        table = HtmlTable(("metric", "profile", "value", "low", "high", "tasks"), rows)
        answers = counted(self.score.answers, "answer")
        lines = [f"{answers}: {self._outcomes()}", *self.notes]
        return fragment(f"{self.track}: {self.model}", tables=[table], lines=lines)


def figure_text(name: str, metric: Metric) -> str:
    """Return a metric in words: value, interval and number of tasks."""
    return f"{name} {metric.value:.4f} ({metric.low:.4f} to {metric.high:.4f}, {counted(metric.n, 'task')})"


def open_run(path: str | Path, *, data: str | Path | None = None) -> StoredRun:
    """Open a run folder to read. `data` is its data set, if the folder does not store the tasks.

    Raises RunError for another folder.
    """
    folder = run_data.open_run(path)
    given = data_by_hash([] if data is None else [data])
    run_data.check_given(given, [folder])
    return StoredRun(folder, given)
