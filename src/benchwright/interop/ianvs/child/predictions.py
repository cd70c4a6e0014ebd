"""Asking a model for predictions and keeping each: in one call as Ianvs does, or item by item."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from itertools import islice
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.interop.ianvs.child.case_spec import CaseSpec
from benchwright.interop.ianvs.child.costs import CallCost, CostMeter, Stopwatch
from benchwright.interop.ianvs.child.datasets import Column, DataItem, column_of, read_items, source_maker
from benchwright.interop.ianvs.child.journal import Journal
from benchwright.interop.ianvs.child.progress_pipe import ProgressPipe

Predict = Callable[[Any], Any]
PROVED = 5  # items whose single calls must equal one call, before the rest is asked for item by item
_ALL_AT_ONCE = "leave `--items each` out: predict is then called once for all items, as Ianvs does"


class CasePredictions(NamedTuple):
    """Arguments of a metric. `miscount` is the reason if there is not one prediction per item."""

    expected: Column
    predictions: Any
    miscount: str = ""


class PredictionState(NamedTuple):
    """A case while it is predicted."""

    spec: CaseSpec
    journal: Journal
    progress: ProgressPipe
    costs: CostMeter

    @contextmanager
    def setup(self, stage: str) -> Iterator[None]:
        """Report a stage other than prediction and measure its costs."""
        self.progress.at(stage)
        with self.costs.of("setup"):
            yield

    def begin(self, number: int, item: DataItem, file: str) -> None:
        """Report the next item of a file."""
        self.progress.at(f"predict of item {number + 1} ({file}:{item.line})", len(self.journal.known))


def all_predicted(work: PredictionState) -> CasePredictions | None:
    """The predictions of an earlier process, where none is missing; None else."""
    if not work.journal.known:
        return None
    expected = [item.y for item in read_items(work.spec.test)]
    known = work.journal.known
    if any(number not in known for number in range(len(expected))):
        return None
    work.progress.remark(f"all {len(expected)} predictions are from an earlier process")
    return CasePredictions(column_of(expected), [known[number] for number in range(len(expected))])


def predict(work: PredictionState, ask: Predict) -> CasePredictions:
    """The predictions of all items. `ask` is called with a data source: once for all items, as Ianvs does.

    A model may look at its whole batch, so `each` calls it for each item only where the user insists, and
    `auto` only where the first items gave the same in one call. Raises BatchDependent where they did not.
    """
    mode = work.spec.items
    if mode == "all":
        return _whole(work, ask)
    if mode == "auto" and (work.journal.shared or not (work.journal.known or _first_are_equal(work, ask))):
        raise BatchDependent
    if work.journal.shared:
        work.journal.restart()
    return _predict_each(work, ask)


class BatchDependent(Exception):
    """The model predicts differently for single items than for all items in one call.

    Its state may have been changed by trying, so the case must be started again in a new process.
    """


def _first_are_equal(work: PredictionState, ask: Predict) -> bool:
    """Whether the first items give the same in one call as each alone. Those of the single calls are kept."""
    first, place = list(islice(read_items(work.spec.test), PROVED)), work.spec.test
    make = source_maker(place, "inference")
    work.progress.at(f"predict of the first {len(first)} items in one call")
    try:
        whole = ask(make(deepcopy(first)))
        if not isinstance(whole, list | tuple) or len(whole) != len(first):
            return False
        whole = deepcopy(whole)
        single: list[tuple[Any, CallCost]] = []
        for item in first:
            work.progress.at(f"predict of line {item.line} alone")
            watch = Stopwatch(work.costs)
            predictions = ask(make([item]))
            if not isinstance(predictions, list | tuple) or len(predictions) != 1:
                return False
            single.append((predictions[0], watch.stop()))
        if not all(_equal(one, other) for one, (other, _) in zip(whole, single, strict=True)):
            return False
    except Exception:  # noqa: BLE001 (the code is the user's: what fails here may work in one call)
        return False
    for number, (item, (prediction, cost)) in enumerate(zip(first, single, strict=True)):
        work.journal.add(number, item.line, prediction, cost)
    return True


def _equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _predict_each(work: PredictionState, ask: Predict) -> CasePredictions:
    make, expected, known = source_maker(work.spec.test, "inference"), [], work.journal.known
    left, file = len(known), escaped_path(work.spec.test.records)
    work.progress.hint = _ALL_AT_ONCE
    for number, item in enumerate(read_items(work.spec.test)):
        expected.append(item.y)
        if number in known:
            continue
        work.begin(number, item, file)
        watch = Stopwatch(work.costs)
        predictions = ask(make([item]))
        cost = watch.stop()
        if not (isinstance(predictions, list | tuple) and len(predictions) == 1):
            what = f"predict returned a {type(predictions).__name__} instead of a list with one prediction"
            raise DataError(what, hint=_ALL_AT_ONCE)
        work.journal.add(number, item.line, predictions[0], cost)
    work.progress.hint = ""
    if left:
        work.progress.remark(f"{left} of {len(expected)} predictions are from an earlier process")
    return CasePredictions(column_of(expected), [known[number] for number in range(len(expected))])


def _whole(work: PredictionState, ask: Predict) -> CasePredictions:
    """The predictions of one call, as Ianvs makes it: what comes is handed to the metrics as it is."""
    work.journal.restart()
    lines = array("L")
    data = source_maker(work.spec.test, "inference")(_with_lines(read_items(work.spec.test), lines))
    work.progress.at(f"predict of all {len(lines)} items")
    watch = Stopwatch(work.costs)
    predictions = ask(data)
    cost = watch.stop()
    del data
    _keep_whole(work, predictions, lines, cost)
    expected = column_of(item.y for item in read_items(work.spec.test))  # predict may have changed the items
    return CasePredictions(expected, predictions, _miscount(predictions, len(lines)))


def _with_lines(items: Iterable[DataItem], lines: array[int]) -> Iterator[DataItem]:
    """The items, whose lines are noted as they pass."""
    for item in items:
        lines.append(item.line)
        yield item


def _keep_whole(work: PredictionState, returned: Any, lines: Sequence[int], total: CallCost) -> None:
    predictions = list(returned) if isinstance(returned, list | tuple) or _is_array(returned) else [returned]
    whole = type(returned) is list and len(returned) == len(lines)
    shared_by = len(predictions) or 1
    share = CallCost(total.seconds / shared_by, total.cpu_s / shared_by, total.peak_mb)
    for number, prediction in enumerate(predictions):
        line = lines[number] if number < len(lines) else 0
        logged = prediction if whole else LoggedPrediction(prediction)
        work.journal.add(number, line, logged, share, replies=[prediction], shared_by=shared_by)


def _miscount(returned: Any, items: int) -> str:
    """Return why a list does not have one prediction per item; empty if it does, and for other values.

    A list of lists is not counted: it may hold several values of all items.
    """
    if type(returned) is not list or len(returned) == items:
        return ""
    if returned and all(isinstance(each, list | tuple) or _is_array(each) for each in returned):
        return ""
    return f"predict gave {len(returned)} predictions for {items} items"


class LoggedPrediction:
    """A prediction that is stored for people and cannot be used further."""

    def __init__(self, prediction: Any) -> None:
        self.prediction = prediction

    def __repr__(self) -> str:
        return repr(self.prediction)


def _is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray) and value.ndim > 0


def predict_iterated(work: PredictionState, items: Iterable[DataItem], ask: Predict) -> CasePredictions:
    """The same for a paradigm that asks item by item by itself: `ask` is called with the x of one."""
    expected, known = [], work.journal.known
    left, file = len(known), escaped_path(work.spec.test.records)
    for number, item in enumerate(items):
        expected.append(item.y)
        if number not in known:
            work.begin(number, item, file)
            watch = Stopwatch(work.costs)
            prediction = ask(item.x)
            cost = watch.stop()
            work.journal.add(number, item.line, prediction, cost, replies=_replies(prediction))
    if left:
        work.progress.remark(f"{left} of {len(expected)} predictions are from an earlier process")
    return CasePredictions(column_of(expected), [known[number] for number in range(len(expected))])


def _replies(returned: Any) -> Sequence[Any]:
    """The models' own in what joint inference gives: [hard, result, the edge's, the cloud's]."""
    return returned[2:] if isinstance(returned, list | tuple) and len(returned) == 4 else [returned]
