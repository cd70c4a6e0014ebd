"""Checks of `ianvs lint`: algorithms, metrics, ranking and records.

They use facts about versions of Ianvs, and about Python sources, which are parsed and never executed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError
from benchwright.interop.ianvs.job_records import DataFile, NamedMetric
from benchwright.interop.ianvs.yaml_sections import Section
from benchwright.store.files import open_binary
from benchwright.store.lines import scan_lines
from benchwright.text.syntax import ParseFault, parse

VERSIONS = ("v0.1.0", "v0.2.0", "v0.3.0", "main")
LATEST = VERSIONS[-1]
_PARADIGMS = {
    "singletasklearning": "v0.1.0",
    "incrementallearning": "v0.1.0",
    "multiedgeinference": "v0.1.0",
    "lifelonglearning": "v0.2.0",
    "federatedlearning": "v0.3.0",
    "federatedclassincrementallearning": "v0.3.0",
    "jointinference": "v0.3.0",
}
# Built-in metrics, and the paradigms that collect their inputs.
_SYSTEM_METRICS = {
    "samples_transfer_ratio": ("v0.1.0", {"incrementallearning", "lifelonglearning"}),
    "fwt": ("v0.2.0", {"lifelonglearning"}),
    "bwt": ("v0.2.0", {"lifelonglearning"}),
    "matrix": ("v0.2.0", {"lifelonglearning"}),
    "task_avg_acc": ("v0.2.0", {"lifelonglearning", "federatedclassincrementallearning"}),
    "forget_rate": ("v0.3.0", {"federatedclassincrementallearning"}),
}
PREPROCESS = "main"  # since fa75261, which no release has yet
DATA_KEYS = "v0.3.0"  # train_index, train_data, train_data_info; before it train_url alone


def is_since(version: str, since: str) -> bool:
    """Return whether a version is `since` or later."""
    return VERSIONS.index(version) >= VERSIONS.index(since)


def paradigms(version: str) -> list[str]:
    """Return the paradigms of a version."""
    return [name for name, since in _PARADIGMS.items() if is_since(version, since)]


def measures_by_itself(name: str, version: str, used: Iterable[str]) -> bool:
    """Return whether a version has a built-in metric of this name for a paradigm of the job."""
    since, collecting = _SYSTEM_METRICS.get(name.lower(), ("", set()))
    return bool(since) and is_since(version, since) and bool(collecting & set(used))


def is_system_metric(name: str) -> bool:
    """Return whether some version has a built-in metric of this name."""
    return name.lower() in _SYSTEM_METRICS


LintVerdict = tuple[Literal["error", "warning"], str, str, str]

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
        return method != "preprocess" or is_since(self.version, PREPROCESS)


def check_algorithm(algorithm: Section, paradigm: str, target: LintTarget) -> Iterator[LintVerdict]:
    """Check that the classes of an algorithm are registered, complete, and take its hyperparameters."""
    modules = algorithm.data.get("modules")
    for number, module in enumerate(modules if isinstance(modules, list) else []):
        if isinstance(module, dict) and isinstance(module.get("url"), str):
            part = algorithm._replace(data=module, keys=(*algorithm.keys, "modules", number))
            path = algorithm.paths.resolve(module["url"])
            if path.is_file():
                yield from _module(part, path, paradigm, target)


def _module(module: Section, path: Path, paradigm: str, target: LintTarget) -> Iterator[LintVerdict]:
    kind, name = str(module.data.get("type", "")), str(module.data.get("name", ""))
    facts, place = read_source(path), escaped_path(path)
    found = facts.find(name)
    if found is None:
        yield from _check_registration(facts, place, name, "class")
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


def _hyperparameters(module: Section, found: RegisteredObject, place: str) -> Iterator[LintVerdict]:
    if found.call.takes_any:
        return
    entries = module.data.get("hyperparameters")
    for number, each in enumerate(entries if isinstance(entries, list) else []):
        for name in each if isinstance(each, dict) else ():
            if name not in (*found.call.parameters, "other_hyperparameters"):
                message = f"{name} is not a parameter of __init__ ({place}:{found.call.line})"
                fix = f"def __init__(self, {escaped_name(str(name), 40)}, **kwargs)"
                yield "error", module.place("hyperparameters", number), message, fix


def _check_registration(facts: SourceFacts, place: str, name: str, what: str) -> Iterator[LintVerdict]:
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


def check_metric(metric: Section, read: NamedMetric) -> Iterator[LintVerdict]:
    """Check that a metric's function is registered, with arguments in Ianvs's order."""
    assert read.url is not None
    if not read.url.is_file():
        return
    facts, place = read_source(read.url), escaped_path(read.url)
    found = facts.find(read.name)
    if found is None:
        yield from _check_registration(facts, place, read.name, "function")
    elif len(found.call.parameters) >= 2:
        first, second = found.call.parameters[:2]
        if _PREDICTED.search(first) and _TRUE.search(second):
            message = f"{read.name} takes ({first}, {second}), and Ianvs calls it with the true values first"
            yield "error", f"{place}:{found.line}", message, f"def {found.call.name}({second}, {first}):"


def check_order(job: Section) -> Iterator[LintVerdict]:
    """Check that results are sorted best first, if the names of metrics show the direction."""
    rank = job.data.get("rank")
    entries = rank.get("sort_by") if isinstance(rank, dict) else None
    for number, each in enumerate(entries if isinstance(entries, list) else []):
        for name, order in each.items() if isinstance(each, dict) else ():
            small, large = (bool(kind.search(str(name).lower())) for kind in (_SMALL_IS_GOOD, _LARGE_IS_GOOD))
            good = "ascend" if small and not large else "descend" if large and not small else order
            if order in ("ascend", "descend") and order != good:
                message = f"{name}: {order} puts the worst first"
                yield (
                    "warning",
                    job.place("rank", "sort_by", number, name),
                    message,
                    f'{{"{name}": "{good}"}}',
                )


def check_records(data: Section, read: DataFile, use: str) -> Iterator[LintVerdict]:
    """Check the first records of a data set: fields that Ianvs's parsers require, and no blank lines.

    Ianvs reads .json files as annotations of images, which are not records.
    """
    required_fields = _RECORD_FIELDS.get(read.kind)
    if required_fields is None or not read.records.is_file() or read.records.suffix == ".json":
        return
    place = escaped_path(read.records)
    try:
        with open_binary(read.records) as stream:
            number = 0
            for number, _, line in scan_lines(stream, place):
                if number > _RECORDS_SEEN:
                    break
                yield from _record(line, required_fields, f"{place}:{number}")
    except DataError as error:
        yield "error", place, error.message, error.hint or ""
        return
    if number == 0 and use == "test":
        yield "error", place, "contains no records", f"one JSON object per line: {', '.join(required_fields)}"


def _record(line: bytes, required_fields: tuple[str, ...], place: str) -> Iterator[LintVerdict]:
    try:
        found: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        yield "error", place, f"not a JSON object: {error}", "one JSON object per line"
        return
    absent = [name for name in required_fields if not isinstance(found, dict) or name not in found]
    if absent:
        known = ", ".join(map(str, found)) if isinstance(found, dict) else "no object"
        message = f"no field `{absent[0]}`, which Ianvs's parser needs; there is {escaped_name(known, 100)}"
        yield "error", place, message, f'"{absent[0]}": "…", or `--fields MINE={absent[0]}` here'


MAX_SOURCE = 1 << 20


class CallableSignature(NamedTuple):
    """Signature of a function or method, without `self`."""

    name: str
    line: int
    parameters: tuple[str, ...]
    takes_any: bool  # has **kwargs


class RegisteredObject(NamedTuple):
    """A class or function that is registered with Sedna's ClassFactory. `alias` is its name there."""

    alias: str
    line: int
    is_class: bool
    bases: bool  # a class that inherits: what it lacks here may be there
    call: CallableSignature  # the function itself, or the class's __init__
    methods: dict[str, CallableSignature]


class SourceFacts(NamedTuple):
    """Objects that a file registers, or the reason why it cannot be parsed."""

    registered: list[RegisteredObject]
    fault: str = ""
    line: int = 1
    in_loops: bool = False  # something is registered by a call: its alias is known to a running program only

    def find(self, alias: str) -> RegisteredObject | None:
        """Return the object registered under a name; the last one counts, as in ClassFactory."""
        return next((each for each in reversed(self.registered) if each.alias == alias), None)


def read_source(path: Path) -> SourceFacts:
    """Read the facts of a file; for an unreadable one, the reason."""
    try:
        with path.open("rb") as stream:
            text = stream.read(MAX_SOURCE + 1).decode()
    except OSError as error:
        return SourceFacts([], error.strerror or "it cannot be read")
    except UnicodeDecodeError:
        return SourceFacts([], "it is not UTF-8")
    if len(text) > MAX_SOURCE:
        return SourceFacts([], f"more than {MAX_SOURCE:,} characters")
    tree = parse(text)
    if isinstance(tree, ParseFault):
        return SourceFacts([], tree.message, tree.line or 1)
    found = [each for node in tree.body for each in _registered_objects(node)]
    return SourceFacts(found, in_loops=any(map(_registers_by_call, _expressions(tree))))


def _registered_objects(node: ast.stmt) -> Iterator[RegisteredObject]:
    if not isinstance(node, ast.ClassDef | ast.FunctionDef):
        return
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and _is_register(decorator.func):
            yield _facts(node, _alias(decorator) or node.name)


def _facts(node: ast.ClassDef | ast.FunctionDef, alias: str) -> RegisteredObject:
    if isinstance(node, ast.FunctionDef):
        return RegisteredObject(alias, node.lineno, False, False, _callable(node, skip=0), {})
    methods = {
        each.name: _callable(each, skip=1)
        for each in node.body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    init = methods.get("__init__", CallableSignature("__init__", node.lineno, (), False))
    return RegisteredObject(alias, node.lineno, True, bool(node.bases), init, methods)


def _callable(node: ast.FunctionDef | ast.AsyncFunctionDef, *, skip: int) -> CallableSignature:
    positional = [each.arg for each in (*node.args.posonlyargs, *node.args.args)][skip:]
    names = (*positional, *(each.arg for each in node.args.kwonlyargs))
    return CallableSignature(node.name, node.lineno, names, node.args.kwarg is not None)


def _alias(decorator: ast.Call) -> str:
    for keyword in decorator.keywords:
        if keyword.arg == "alias" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    return ""


def _is_register(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "register"


def _registers_by_call(node: ast.expr) -> bool:
    """Return whether an expression is `ClassFactory.register(…)(thing)`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and _is_register(node.func.func)


def _expressions(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield expression statements of a module, including those in loops and branches."""
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Expr):
            yield node.value
        elif isinstance(node, ast.For | ast.While | ast.If | ast.With | ast.Try):
            waiting.extend(node.body)
