"""Thresholds on the scores of a run, by the bound of the interval, and the text of a failure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from heapq import nsmallest
from math import isfinite
from typing import NamedTuple

from benchwright.api.runs import StoredRun
from benchwright.contracts import MeasureSet, worth
from benchwright.display.escape import escaped_name, escaped_path, escaped_start, quoted
from benchwright.display.wording import counted, outcome_label, short_spec
from benchwright.errors import ArgumentError, UnknownNameError, command_name, nearest_hint
from benchwright.records import Metric, Outcome, Verdict
from benchwright.running.run_data import RunData, data_of, executes, expected_label, measures_of

SHOWN = 10  # failed answers in the text of a failure
_DETAIL = 300  # characters of each


class MeasuredRun(StoredRun):
    """A finished run with assertions on its scores."""

    @classmethod
    def of(cls, run: StoredRun) -> MeasuredRun:
        """Return the same run with assertions."""
        return cls(run._folder, run._given)

    def at_least(
        self, metric: str, bound: float, *, profile: str | None = None, allow_missing: int = 0
    ) -> Metric:
        """Return the metric if the lower bound of its interval is at least `bound`.

        Otherwise raises AssertionError. `bound` is on the scale of stored figures: 0.6
        for 60 %. `allow_missing` is the number of answers that may be missing or undecided: the score does
        not count them. Raises UnknownNameError for an unknown metric or profile, RunError without a score.
        """
        __tracebackhide__ = True
        found = self._metric(metric, bound, profile)
        self._check_complete(allow_missing)
        if found.low < bound:
            raise AssertionError(self._text(metric, found, _lower_text(found, bound)))
        return found

    def at_most(
        self, metric: str, bound: float, *, profile: str | None = None, allow_missing: int = 0
    ) -> Metric:
        """Return the metric if the upper bound of its interval is at most `bound`; see `at_least`."""
        __tracebackhide__ = True
        found = self._metric(metric, bound, profile)
        self._check_complete(allow_missing)
        if found.high > bound:
            raise AssertionError(self._text(metric, found, _upper_text(found, bound)))
        return found

    def _metric(self, name: str, bound: float, profile: str | None) -> Metric:
        scale = self._measures.find(name).scale
        _check_bound(bound, -1.0 if scale == "correlation" else 0.0)
        if profile is None:
            return self.scores[name]
        known = self.scores.profiles
        if profile not in known:
            message = f"{escaped_path(self.path)} has no profile {escaped_name(profile)!r}"
            raise UnknownNameError(message, hint=nearest_hint(profile, known))
        if name not in known[profile]:
            message = f"profile {profile} of {escaped_path(self.path)} has no metric {escaped_name(name)!r}"
            raise UnknownNameError(message, hint=nearest_hint(name, known[profile]))
        return known[profile][name]

    @property
    def _measures(self) -> MeasureSet:
        return measures_of(self.track)

    def _check_complete(self, allowed: int) -> None:
        """Raise AssertionError if too many answers are not in the score."""
        __tracebackhide__ = True
        open_ones = self.missing + self.outcomes.get(Outcome.undecided, 0)
        if open_ones > allowed:
            answers = counted(self.score.answers, "answer")
            raise AssertionError(
                f"{self._title}: {open_ones} of {answers} are missing or undecided; the score does not count "
                f"them\n  answers: {self._outcomes()}\n  run folder: {escaped_path(self.path)}\n"
                f"  hint: run the test again, which asks for missing answers, or allow_missing={open_ones}"
            )

    @property
    def _title(self) -> str:
        return f"{self.track}, {escaped_name(short_spec(self.model))}"

    def _text(self, name: str, metric: Metric, why: str) -> str:
        """Return the text of a failure: figure, outcomes, failed answers, folder."""
        lines = [f"{name}, {self._title}: {why}", f"  {figure_text(name, metric)}"]
        lines.append(f"  {counted(self.score.answers, 'answer')}: {self._outcomes()}")
        failed = self._failed()
        if failed.shown:
            lines += ["  failed answers:", *(f"    {each}" for each in failed.shown)]
        if failed.further:
            lines.append(f"    and {failed.further:,} more")
        lines.append(f"  run folder: {escaped_path(self.path)}")
        lines.append(f"  hint: {command_name()} show {quoted(self.path)} TASK")
        return "\n".join(lines)

    def _failed(self) -> FailedAnswers:
        """Return the worst answers, in the order of the run where they are equally bad."""
        grade = self._measures.grade
        ranked = [
            (value, number, verdict)
            for number, verdict in enumerate(self.verdicts)
            if (value := worth(verdict, grade)) is not None and value < 1
        ]
        worst = nsmallest(SHOWN, ranked, key=lambda each: each[:2])
        return FailedAnswers([self._described(each) for _, _, each in worst], len(ranked) - len(worst))

    def _described(self, verdict: Verdict) -> str:
        task = escaped_name(str(verdict.task_id))
        head = f"{task}, answer {verdict.sample}: {outcome_label(verdict.outcome)}"
        return ": ".join([head, *self._reasons(verdict)])

    def _reasons(self, verdict: Verdict) -> Iterator[str]:
        if verdict.scores:
            yield ", ".join(f"{name} {value:.3g}" for name, value in verdict.scores.items())
        if verdict.detail:
            yield escaped_start(verdict.detail, _DETAIL)
        if verdict.outcome is Outcome.wrong and (label := self._label(verdict)):
            yield f"expected {label}"

    def _label(self, verdict: Verdict) -> str | None:
        """Return the expected label, where the track has labels."""
        if executes(self.track) or self._measures.grade:
            return None
        return expected_label(self._data, verdict.task_id)

    @cached_property
    def _data(self) -> RunData:
        return data_of(self._folder, self._given)


class FailedAnswers(NamedTuple):
    """Lines on failed answers, and the number of further ones."""

    shown: list[str]
    further: int


def figure_text(name: str, metric: Metric) -> str:
    """Return a figure with its interval and n: "pass@1 0.4000 (95 % interval 0.1682 to 0.6873, 10 tasks)"."""
    tasks = counted(metric.n, "task")
    return f"{name} {metric.value:.4f} (95 % interval {metric.low:.4f} to {metric.high:.4f}, {tasks})"


def _lower_text(metric: Metric, bound: float) -> str:
    missed = f"the lower bound {metric.low:.4f} is below {bound:g}"
    return missed if metric.value < bound else f"{missed}; {counted(metric.n, 'task')} do not establish it"


def _upper_text(metric: Metric, bound: float) -> str:
    missed = f"the upper bound {metric.high:.4f} is above {bound:g}"
    return missed if metric.value > bound else f"{missed}; {counted(metric.n, 'task')} do not establish it"


def _check_bound(bound: object, least: float) -> None:
    """Raise ArgumentError unless a bound is a number that a figure can have."""
    if isinstance(bound, bool) or not isinstance(bound, int | float) or not isfinite(bound):
        raise ArgumentError(f"bound={escaped_name(repr(bound))}: must be a number", hint="bound=0.6")
    if not least <= bound <= 1:
        hint = f"bound={bound / 100:g}" if 1 < bound <= 100 else "bound=0.6"
        raise ArgumentError(f"bound={bound:g}: must be between {least:g} and 1", hint=hint)
