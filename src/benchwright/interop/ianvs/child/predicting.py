"""Asking a model for predictions and keeping each: item by item as they are read, or once for all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError
from benchwright.interop.ianvs.child.case import CaseSpec
from benchwright.interop.ianvs.child.column import Column, column_of
from benchwright.interop.ianvs.child.costs import Costs, Spent, Stopwatch
from benchwright.interop.ianvs.child.datasets import DataItem, read_items, source_maker
from benchwright.interop.ianvs.child.journal import Journal
from benchwright.interop.ianvs.child.telling import Teller

Predict = Callable[[Any], Any]


class CasePredictions(NamedTuple):
    """What a metric is called with."""

    expected: Column
    predictions: Any


class Predicting(NamedTuple):
    """A case while it is predicted."""

    spec: CaseSpec
    journal: Journal
    teller: Teller
    costs: Costs

    @contextmanager
    def setup(self, stage: str) -> Iterator[None]:
        """Say what the example's code does beside predicting, and count what that takes."""
        self.teller.at(stage)
        with self.costs.of("setup"):
            yield

    def begin(self, number: int, item: DataItem, file: str) -> None:
        """Say which item of a file comes."""
        self.teller.at(f"predict of item {number + 1} ({file}:{item.line})", len(self.journal.known))


def all_known(work: Predicting) -> CasePredictions | None:
    """The predictions of an earlier process, where none is missing; None else."""
    if not work.journal.known:
        return None
    expected = [item.y for item in read_items(work.spec.test)]
    known = work.journal.known
    if any(number not in known for number in range(len(expected))):
        return None
    work.teller.remark(f"all {len(expected)} predictions are those of an earlier process")
    return CasePredictions(column_of(expected), [known[number] for number in range(len(expected))])


def predict(work: Predicting, ask: Predict) -> CasePredictions:
    """The predictions of all items. `ask` is called with a data source.

    By itself a data set of texts is asked item by item, so that a killed case goes on where it was; a model
    whose answer to one item is no list of one prediction is asked once for all of them.
    """
    each = work.spec.items == "each" or (work.spec.items == "auto" and work.spec.test.kind != "txt")
    found = _each(work, ask) if each else None
    return found if found is not None else _whole(work, ask)


def _each(work: Predicting, ask: Predict) -> CasePredictions | None:
    make, expected, known = source_maker(work.spec.test, "inference"), [], work.journal.known
    left, file = len(known), escaped_path(work.spec.test.records)
    for number, item in enumerate(read_items(work.spec.test)):
        expected.append(item.y)
        if number in known:
            continue
        work.begin(number, item, file)
        watch = Stopwatch(work.costs)
        given = ask(make([item]))
        spent = watch.stop()
        if not (isinstance(given, list | tuple) and len(given) == 1):
            if known or work.spec.items == "each":
                raise _no_single(work, given)
            kind = type(given).__name__
            work.teller.remark(f"predict gives a {kind} for one item: it is called once for all of them")
            return None
        work.journal.add(number, item.line, given[0], spent)
    if left:
        work.teller.remark(f"{left} of {len(expected)} predictions are those of an earlier process")
    return CasePredictions(column_of(expected), [known[number] for number in range(len(expected))])


def _no_single(work: Predicting, given: Any) -> DataError:
    what = f"predict gave a {type(given).__name__} for one item, not a list of one prediction"
    return DataError(what, hint="call it once for all items: `--items all`")


def _whole(work: Predicting, ask: Predict) -> CasePredictions:
    """JobModels once, as Ianvs does: what comes is handed to the metrics as it is."""
    work.journal.restart()
    items = list(read_items(work.spec.test))
    work.teller.at(f"predict of all {len(items)} items")
    watch = Stopwatch(work.costs)
    given = ask(source_maker(work.spec.test, "inference")(items))
    spent = watch.stop()
    predictions = list(given) if isinstance(given, list | tuple) or _is_array(given) else [given]
    if not work.spec.strict and isinstance(given, list | tuple) and len(given) != len(items):
        what = f"predict gave {len(given)} predictions for {len(items)} items"
        raise DataError(what, hint="return one prediction for each item; `--compat strict` takes any number")
    whole = type(given) is list and len(given) == len(items)
    shared_by = len(predictions) or 1
    share = Spent(spent.seconds / shared_by, spent.cpu_s / shared_by, spent.peak_mb)
    for number, prediction in enumerate(predictions):
        line = items[number].line if number < len(items) else 0
        kept = prediction if whole else Shown(prediction)
        work.journal.add(number, line, kept, share, replies=[prediction], shared_by=shared_by)
    return CasePredictions(column_of(item.y for item in items), given)


class Shown:
    """A prediction that is written down to be read, and is none to go on with."""

    def __init__(self, prediction: Any) -> None:
        self.prediction = prediction

    def __repr__(self) -> str:
        return repr(self.prediction)


def _is_array(given: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(given, numpy.ndarray) and given.ndim > 0


def predict_iterated(work: Predicting, items: Iterable[DataItem], ask: Predict) -> CasePredictions:
    """The same for a paradigm that asks item by item by itself: `ask` is called with the x of one."""
    expected, known = [], work.journal.known
    left, file = len(known), escaped_path(work.spec.test.records)
    for number, item in enumerate(items):
        expected.append(item.y)
        if number not in known:
            work.begin(number, item, file)
            watch = Stopwatch(work.costs)
            given = ask(item.x)
            spent = watch.stop()
            work.journal.add(number, item.line, given, spent, replies=_replies(given))
    if left:
        work.teller.remark(f"{left} of {len(expected)} predictions are those of an earlier process")
    return CasePredictions(column_of(expected), [known[number] for number in range(len(expected))])


def _replies(given: Any) -> Sequence[Any]:
    """The models' own in what joint inference gives: [hard, result, the edge's, the cloud's]."""
    return given[2:] if isinstance(given, list | tuple) and len(given) == 4 else [given]
