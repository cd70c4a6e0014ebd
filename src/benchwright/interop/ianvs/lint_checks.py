"""Checks of `ianvs lint` beyond those of reading a job: classes and aliases, orders, records.

Each check yields (level, "file:line", problem, fix).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError
from benchwright.interop.ianvs.ianvs_versions import LATEST, PREPROCESS, has
from benchwright.interop.ianvs.job import DataFile, NamedMetric
from benchwright.interop.ianvs.sections import Section
from benchwright.interop.ianvs.source_facts import Registered, SourceFacts, read_source
from benchwright.store.files import open_binary
from benchwright.store.scanning import scan_lines

Check = tuple[Literal["error", "warning"], str, str, str]

# Methods that a paradigm calls, by type of module; some are optional here.
_METHODS = {
    ("singletasklearning", "basemodel"): ("preprocess", "train", "save", "load", "predict"),
    ("jointinference", "edgemodel"): ("load", "predict"),
    ("jointinference", "cloudmodel"): ("inference",),
    ("federatedlearning", "basemodel"): ("train", "get_weights", "set_weights", "predict"),
    ("federatedlearning", "aggregation"): ("aggregate",),
}
_OPTIONAL = ("preprocess", "train", "save", "load")  # to `ianvs run`
_BODIES = {
    "preprocess": "def preprocess(self, **kwargs): return None",
    "train": "def train(self, train_data, valid_data=None, **kwargs): return None",
    "save": "def save(self, model_path=None): return model_path",
    "load": "def load(self, model_url=None): return None",
}
_TRUE = re.compile(r"true|label|gold|target|expected|reference", re.IGNORECASE)
_PREDICTED = re.compile(r"pred|output|answer|hyp", re.IGNORECASE)
_SMALL_IS_GOOD = re.compile(
    r"latency|loss|error|time|memory|cost|delay|forget|(?:^|_)(?:mae|mse|rmse|wer|cer|ppl|perplexity)(?:$|_)"
)
_LARGE_IS_GOOD = re.compile(
    r"throughput|tokens_per|accuracy|(?:^|_)(?:acc|f1|bleu|rouge|recall|precision|auc|map|score)(?:$|_)"
)
_RECORD_FIELDS = {
    "jsonl": ("question", "answer"),
    "metadata": ("query", "response", "level_3_dim", "level_4_dim"),
}
_RECORDS_SEEN = 100


class LintTarget(NamedTuple):
    """Runner of the jobs: a version of Ianvs, or `benchwright ianvs run`."""

    name: Literal["ianvs", "benchwright"] = "ianvs"
    version: str = LATEST

    @property
    def is_ianvs(self) -> bool:
        """Whether the runner is Ianvs."""
        return self.name == "ianvs"

    def needs(self, method: str) -> bool:
        """Return whether the runner may fail at a class without this method."""
        if not self.is_ianvs:
            return method not in _OPTIONAL
        return method != "preprocess" or has(self.version, PREPROCESS)


def check_algorithm(algorithm: Section, paradigm: str, target: LintTarget) -> Iterator[Check]:
    """Check that the classes of an algorithm are registered, complete, and take its hyperparameters."""
    modules = algorithm.data.get("modules")
    for number, module in enumerate(modules if isinstance(modules, list) else []):
        if isinstance(module, dict) and isinstance(module.get("url"), str):
            part = algorithm._replace(data=module, keys=(*algorithm.keys, "modules", number))
            path = algorithm.paths.resolve(module["url"])
            if path.is_file():
                yield from _module(part, path, paradigm, target)


def _module(module: Section, path: Path, paradigm: str, target: LintTarget) -> Iterator[Check]:
    kind, name = str(module.data.get("type", "")), str(module.data.get("name", ""))
    facts, place = read_source(path), escaped_path(path)
    found = facts.find(name)
    if found is None:
        yield from _unregistered(facts, place, name, "class")
        return
    if found.bases:
        return
    for method in _METHODS.get((paradigm, kind), ()):
        if method not in found.methods and target.needs(method):
            why = f"{paradigm} calls it"
            if method == "preprocess":
                why = "required by Ianvs's main branch, not by v0.3.0"
            fix = _BODIES.get(method, f"def {method}(self, data, **kwargs): …")
            level: Literal["error", "warning"] = "warning" if method in ("train", "save") else "error"
            yield level, f"{place}:{found.line}", f"{name} has no method {method}: {why}", fix
    yield from _hyperparameters(module, found, place)


def _hyperparameters(module: Section, found: Registered, place: str) -> Iterator[Check]:
    if found.call.takes_any:
        return
    listed = module.data.get("hyperparameters")
    for number, each in enumerate(listed if isinstance(listed, list) else []):
        for name in each if isinstance(each, dict) else ():
            if name not in (*found.call.parameters, "other_hyperparameters"):
                says = f"{name} is no parameter of __init__ ({place}:{found.call.line})"
                fix = f"def __init__(self, {escaped_name(str(name), 40)}, **kwargs)"
                yield "error", module.place("hyperparameters", number), says, fix


def _unregistered(facts: SourceFacts, place: str, name: str, what: str) -> Iterator[Check]:
    if facts.fault:
        yield "error", f"{place}:{facts.line}", f"invalid Python: {facts.fault}", "fix the syntax"
    elif not facts.in_loops:
        known = ", ".join(escaped_name(each.alias, 40) for each in facts.registered) or "nothing"
        fix = f"@ClassFactory.register(ClassType.GENERAL, alias={name!r})"
        yield (
            "error",
            f"{place}:1",
            f"no {what} is registered as {escaped_name(name, 40)!r}; registered: {known}",
            fix,
        )


def check_metric(metric: Section, read: NamedMetric) -> Iterator[Check]:
    """Check that a metric's function is registered, with arguments in Ianvs's order."""
    assert read.url is not None
    if not read.url.is_file():
        return
    facts, place = read_source(read.url), escaped_path(read.url)
    found = facts.find(read.name)
    if found is None:
        yield from _unregistered(facts, place, read.name, "function")
    elif len(found.call.parameters) >= 2:
        first, second = found.call.parameters[:2]
        if _PREDICTED.search(first) and _TRUE.search(second):
            says = f"{read.name} takes ({first}, {second}), and Ianvs calls it with the true values first"
            yield "error", f"{place}:{found.line}", says, f"def {found.call.name}({second}, {first}):"


def check_order(job: Section) -> Iterator[Check]:
    """Check that results are sorted best first, as far as the names of metrics show the direction."""
    rank = job.data.get("rank")
    listed = rank.get("sort_by") if isinstance(rank, dict) else None
    for number, each in enumerate(listed if isinstance(listed, list) else []):
        for name, order in each.items() if isinstance(each, dict) else ():
            small, large = (bool(kind.search(str(name).lower())) for kind in (_SMALL_IS_GOOD, _LARGE_IS_GOOD))
            good = "ascend" if small and not large else "descend" if large and not small else order
            if order in ("ascend", "descend") and order != good:
                says = f"{name}: {order} puts the worst first"
                yield "warning", job.place("rank", "sort_by", number, name), says, f'{{"{name}": "{good}"}}'


def check_records(data: Section, read: DataFile, use: str) -> Iterator[Check]:
    """Check the first records of a data set: fields that Ianvs's parsers require, and no blank lines.

    Ianvs reads .json files as annotations of images, which are not records.
    """
    wanted = _RECORD_FIELDS.get(read.kind)
    if wanted is None or not read.records.is_file() or read.records.suffix == ".json":
        return
    place = escaped_path(read.records)
    try:
        with open_binary(read.records) as stream:
            number = 0
            for number, _, line in scan_lines(stream, place):
                if number > _RECORDS_SEEN:
                    break
                yield from _record(line, wanted, f"{place}:{number}")
    except DataError as error:
        yield "error", place, error.message, error.hint or ""
        return
    if number == 0 and use == "test":
        yield "error", place, "contains no records", f"one JSON object per line: {', '.join(wanted)}"


def _record(line: bytes, wanted: tuple[str, ...], place: str) -> Iterator[Check]:
    try:
        found: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        yield "error", place, f"not a JSON object: {error}", "one JSON object per line"
        return
    absent = [name for name in wanted if not isinstance(found, dict) or name not in found]
    if absent:
        known = ", ".join(map(str, found)) if isinstance(found, dict) else "no object"
        says = f"no field `{absent[0]}`, which Ianvs's parser needs; there is {escaped_name(known, 100)}"
        yield "error", place, says, f'"{absent[0]}": "…", or `--fields MINE={absent[0]}` here'
