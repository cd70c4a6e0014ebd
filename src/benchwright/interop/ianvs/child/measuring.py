"""The metrics of a case: loaded before anything is predicted, called once, and every odd result named."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError
from benchwright.interop.ianvs.child.column import Column
from benchwright.interop.ianvs.child.composite import FORMS, HIGH, KEYS, LOW, composite, holds_score, unscored
from benchwright.interop.ianvs.child.loading import registered
from benchwright.interop.ianvs.child.standins import ClassType
from benchwright.interop.ianvs.results import Measured, cell_of


class MetricFunction(NamedTuple):
    """A metric by its name: a function of the expected values and the predictions, or our own composite."""

    name: str
    call: Callable[[Any, Any], Any]
    own: bool


def metric_functions(metrics: Sequence[Mapping[str, Any]], *, strict: bool) -> list[MetricFunction]:
    """The metrics of a case. Raises DataError for one that its file does not register."""
    return [_function(metric, strict) for metric in metrics]


def _function(metric: Mapping[str, Any], strict: bool) -> MetricFunction:
    name = metric["name"]
    if metric["url"] is None:
        return MetricFunction(name, _own(metric["options"], strict), True)
    call = registered(Path(metric["url"]), ClassType.GENERAL, name)
    if not callable(call):
        raise DataError(f"{name!r} cannot be called", path=metric["url"], hint="register a function")
    return MetricFunction(name, call, False)


def _own(options: Mapping[str, Any], strict: bool) -> Callable[[Any, Any], Any]:
    form = options.get("form", "ianvs-exact" if strict else "strict")
    if form not in FORMS:
        raise DataError(
            f"the form must be {' or '.join(FORMS)}, not {form!r}", field="form", hint=f"form: {FORMS[0]}"
        )
    key, low, high = (
        options.get(name, value) for name, value in (("key", KEYS[0]), ("low", LOW), ("high", HIGH))
    )
    return lambda _, texts: composite(list(texts), form=form, key=str(key), low=float(low), high=float(high))


def measure(metric: MetricFunction, expected: Any, predicted: Any, *, strict: bool) -> Measured:
    """What a metric says of the predictions. What it raises is said, and costs no other metric."""
    try:
        given = metric.call(expected, predicted)
    except Exception as error:  # noqa: BLE001 (the code is the user's)
        return Measured(None, "", f"raised {type(error).__name__}: {escaped_name(str(error), 200)}")
    if metric.own:
        return Measured(given.value, cell_of(given.value), "", given.scored, given.total)
    result = _measured(given)
    return result if strict else _counted(metric, result, expected, predicted)


def _measured(given: Any) -> Measured:
    value = given.item() if hasattr(given, "item") and getattr(given, "size", 1) == 1 else given
    if value is None:
        return Measured(None, "", "returned None")
    if isinstance(value, bool | int | float):
        number = float(value)
        why = "" if math.isfinite(number) else f"returned {number}"
        return Measured(number if not why else None, cell_of(value), why)
    kind = type(value).__name__
    return Measured(None, cell_of(value), f"returned a value of the type {kind}, which has no order")


def _counted(metric: MetricFunction, result: Measured, expected: Any, predicted: Any) -> Measured:
    """The same with how many texts of a judge count in it.

    A metric that gives the same without the texts that hold no score has left them out.
    """
    if not isinstance(predicted, list) or not all(isinstance(text, str) for text in predicted):
        return result
    for without in unscored(predicted):
        left = sorted(set(range(len(predicted))) - set(without))
        some = Column(expected[at] for at in left)
        if _same(metric, result, some, [predicted[at] for at in left]):
            return result._replace(scored=len(left), total=len(predicted))
    if result.cell == "-1" and not any(map(holds_score, predicted)):  # how the examples say "none"
        return result._replace(scored=0, total=len(predicted))
    return result


def _same(metric: MetricFunction, result: Measured, expected: Column, predicted: list[Any]) -> bool:
    try:
        return _measured(metric.call(expected, predicted)).cell == result.cell
    except Exception:  # noqa: BLE001 (it cannot do without them, so it counts them)
        return False
