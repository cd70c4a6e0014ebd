"""Metrics of a case: the example's functions, and our composite score of a judge's replies."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name
from benchwright.errors import DataError
from benchwright.interop.ianvs.case_results import MetricResult, cell_of
from benchwright.interop.ianvs.child.case_spec import load_registered
from benchwright.interop.ianvs.child.datasets import Column
from benchwright.interop.ianvs.child.sedna_shim import ClassType

_NONE_READ = ("-1", "-1.0")
_OF_NOTHING = ("ZeroDivisionError", "StatisticsError")  # exceptions of the mean of an empty list
_DIVIDED, _FAILED = "divided by zero", "failed"
# Metrics with these names can legitimately be -1, so -1 does not mean "no value".
_SIGNED = re.compile(
    r"corr|matthews|kendall|spearman|pearson|kappa|silhouette|cosine|sentiment|reward|advantage"
    r"|(?:^|_)(?:mcc|phi|tau|rho|r2|npmi|bwt|fwt|diff|delta|gain|bias)(?:$|_)",
    re.IGNORECASE,
)


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
    call = load_registered(Path(metric["url"]), ClassType.GENERAL, name)
    if not callable(call):
        raise DataError(f"{name!r} is not callable", path=metric["url"], hint="register a function")
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


class MetricRun:
    """Calls the metrics of a case, then determines how many items count in each.

    Second calls for that purpose are made after all metrics have their values.
    """

    def __init__(self, expected: Any, predicted: Any) -> None:
        self._expected, self._predicted = expected, predicted
        self._texts = list(predicted) if _are_texts(predicted) else []  # a metric may change the list
        self._metrics: list[MetricFunction] = []
        self.found: dict[str, MetricResult] = {}

    def measure(self, metric: MetricFunction) -> None:
        """Call a metric. Its exception is reported and does not affect other metrics."""
        self._metrics.append(metric)
        try:
            returned = metric.call(self._expected, self._predicted)
        except Exception as error:  # noqa: BLE001 (the code is the user's)
            why = f"raised {type(error).__name__}: {escaped_name(str(error), 200)}"
            self.found[metric.name] = MetricResult(None, "", why)
        else:
            self.found[metric.name] = _own_result(returned) if metric.own else _metric_result(returned)

    def counted(self, miscount: str) -> dict[str, MetricResult]:
        """All results, each with the number of items that count in it, if that is known."""
        found = with_companions(self.found, len(self._expected))
        for metric in self._metrics:
            result = found[metric.name]
            if miscount and not result.why:
                found[metric.name] = result._replace(why=miscount)
            elif not metric.own and result.scored is None and result.value is not None:
                found[metric.name] = self._counted(metric, result)
        return found

    def _counted(self, metric: MetricFunction, result: MetricResult) -> MetricResult:
        if result.value == -1 and self._stands_for_none(metric):
            return result._replace(scored=0, total=len(self._expected))
        if not any(map(contains_score, self._texts)) or len(self._texts) != len(self._expected):
            return result
        nothing = self._called(metric, [])
        for without in (self._refused_alone(metric, nothing), *unscored_items(self._texts)):
            left = sorted(set(range(len(self._texts))) - set(without))
            # a -1 for a text without a value is not a score, whether or not the metric excludes it
            if without and left and (nothing in _NONE_READ or self._called(metric, left) == result.cell):
                return result._replace(scored=len(left), total=len(self._texts))
        return result

    def _stands_for_none(self, metric: MetricFunction) -> bool:
        """Whether -1 is how a metric says that it could read nothing: it gives that for no items too.

        Of texts it is taken so, unless the metric's scale goes below zero.
        """
        if _SIGNED.search(metric.name):
            return False
        return bool(self._texts) or self._called(metric, []) in _NONE_READ

    def _refused_alone(self, metric: MetricFunction, nothing: str) -> list[int]:
        """The texts that the metric cannot read: its value for one of them alone is that for no text."""
        if nothing not in (*_NONE_READ, "", _DIVIDED):
            return []
        return [number for number in range(len(self._texts)) if self._called(metric, [number]) == nothing]

    def _called(self, metric: MetricFunction, chosen: Sequence[int]) -> str:
        """The cell of a metric over some items."""
        expected = Column(self._expected[number] for number in chosen)
        try:
            return _metric_result(metric.call(expected, [self._texts[number] for number in chosen])).cell
        except Exception as error:  # noqa: BLE001 (it cannot do with these alone)
            return _DIVIDED if type(error).__name__ in _OF_NOTHING else _FAILED


def _is_exact(number: Any) -> bool:
    """Whether a number has the digits of Python's own: one of half the width is shown by its own."""
    return type(number).__name__ not in ("float32", "float16")


def _are_texts(predicted: Any) -> bool:
    return (
        isinstance(predicted, list) and bool(predicted) and all(isinstance(each, str) for each in predicted)
    )


def with_companions(found: Mapping[str, MetricResult], items: int) -> dict[str, MetricResult]:
    """Results with the counts of other metrics: `NAME_judged` is the number of items that count in NAME, and
    `undecided` the number that could not be judged.

    If the two do not add up to all items, the metric itself leaves some out, or includes some.
    """
    absent = found.get("undecided")
    undecided = 0 if absent is None else int(absent.value or 0)
    return {
        name: result._replace(scored=items - undecided, total=items)
        if undecided and _count(found, f"{name}_judged") == items - undecided
        else result
        for name, result in found.items()
    }


def _count(found: Mapping[str, MetricResult], name: str) -> float | None:
    return found[name].value if name in found else None


def _own_result(result: Composite) -> MetricResult:
    return MetricResult(result.value, cell_of(result.value), "", result.scored, result.total)


def _metric_result(returned: Any) -> MetricResult:
    value = returned.item() if hasattr(returned, "item") and getattr(returned, "size", 1) == 1 else returned
    if value is None:
        return MetricResult(None, "", "returned None")
    if isinstance(value, bool | int | float):
        number = float(value)
        why = "" if math.isfinite(number) else f"returned {number}"
        return MetricResult(
            number if not why else None, cell_of(value if _is_exact(returned) else returned), why
        )
    kind = type(value).__name__
    return MetricResult(None, cell_of(value), f"returned a value of the type {kind}, which has no order")


FORMS = ("strict", "ianvs-exact")
KEYS = ("Composite score", "Overall Points")  # keys that the prompts of the published examples request
LOW, HIGH = 1.0, 10.0
_NAMED_NUMBER = re.compile(r"""["'][^"'\n]{1,40}["']\s{0,9}[:=]\s{0,9}["']?-?\d""")


class Composite(NamedTuple):
    """A mean of scores and how many texts had one: `value` is -1 in `ianvs-exact`, else None, without any."""

    value: float | None
    scored: int
    total: int


def composite(
    texts: Sequence[Any], *, form: str, key: str = KEYS[0], low: float = LOW, high: float = HIGH
) -> Composite:
    """The mean score of some texts of a judge."""
    if form == "ianvs-exact":
        whole = [score for text in texts if (score := exact_score(text, key)) is not None]
        return Composite(sum(whole) / len(whole) if whole else -1, len(whole), len(texts))
    found = [each for text in texts if (each := strict_score(text, key, low, high)) is not None]
    return Composite(math.fsum(found) / len(found) if found else None, len(found), len(texts))


def exact_score(text: Any, key: str = KEYS[0]) -> int | None:
    """The first whole number behind the key in single quotes, a colon and one space."""
    found = _exactly(key).search(text) if isinstance(text, str) else None
    return int(found[1][:300]) if found else None


def strict_score(text: Any, key: str = KEYS[0], low: float = LOW, high: float = HIGH) -> float | None:
    """The last number behind the quoted key; None where it is not within the scale, or there is none.

    >>> strict_score('he wrote "Composite score": 10, I say {"Composite score": 2.5}')
    2.5
    """
    numbers = [each[2] for each in _strictly(key).finditer(text)] if isinstance(text, str) else []
    return score if numbers and low <= (score := float(numbers[-1])) <= high else None


def unscored_items(texts: Sequence[Any]) -> Iterable[list[int]]:
    """The texts without a score, by each way of reading that finds a score in some of them, but not in all.

    For metrics of the example, which read the texts in an unknown way.
    """
    seen: list[list[int]] = []
    for key in KEYS:
        for scorer in (exact_score, strict_score):
            without = [number for number, text in enumerate(texts) if scorer(text, key) is None]
            if 0 < len(without) < len(texts) and without not in seen:
                seen.append(without)
    return seen


def contains_score(text: Any) -> bool:
    """Whether a text has a number after any quoted name, as replies of judges do."""
    return isinstance(text, str) and _NAMED_NUMBER.search(text) is not None


@cache
def _exactly(key: str) -> re.Pattern[str]:
    return re.compile(rf"'{re.escape(key)}': (\d+)")


@cache
def _strictly(key: str) -> re.Pattern[str]:
    return re.compile(
        rf"""(?P<quote>["']){re.escape(key)}(?P=quote)\s{{0,9}}:\s{{0,9}}["']?(-?\d{{1,9}}(?:\.\d{{1,9}})?)(?![\d.]*\d)""",
        re.IGNORECASE,
    )
