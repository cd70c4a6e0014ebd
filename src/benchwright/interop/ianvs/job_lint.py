"""`ianvs lint`: problems of an Ianvs example with file, line and fix.

No code of the example is executed: YAML files are read as by `ianvs run`, Python files are parsed. An error
stops Ianvs or makes its figures wrong; a warning is a potential problem.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, UsageError
from benchwright.interop.ianvs.job_reading import (
    check_environment,
    data_section,
    read_algorithm,
    read_data,
    read_metric,
    read_rank,
    test_objects,
)
from benchwright.interop.ianvs.job_records import PARADIGMS, JobRemark, LineEdit
from benchwright.interop.ianvs.lint_checks import (
    DATA_KEYS,
    LintTarget,
    check_algorithm,
    check_metric,
    check_order,
    check_records,
    is_since,
    is_system_metric,
    measures_by_itself,
    paradigms,
)
from benchwright.interop.ianvs.yaml_sections import PathRules, Section, nearest_file, open_section

MAX_JOBS = 1000
_ROOT_KEY = re.compile(rb"""^\{?\s*["']?benchmarkingjob["']?\s*:""", re.MULTILINE)
_SUFFIXES = (".yaml", ".yml")


def patch(findings: Iterable[Finding]) -> str:
    """Make a unified diff of all exact fixes, for `git apply` or `patch -p1`."""
    edits: dict[str, dict[LineEdit, None]] = {}
    for each in findings:
        if each.edit is not None:
            edits.setdefault(each.edit.path, {})[each.edit] = None
    return "".join(_diff(path, list(each)) for path, each in edits.items())


def _diff(path: str, edits: Sequence[LineEdit]) -> str:
    before = Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
    after = list(before)
    for each in edits:
        after[each.line - 1] = after[each.line - 1].replace(each.old, each.new, 1)
    lines = unified_diff(before, after, f"a/{path}", f"b/{path}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


LintSeverity = Literal["error", "warning"]
T = TypeVar("T")


class Finding(NamedTuple):
    """A problem with its place and fix."""

    level: LintSeverity
    place: str  # "file:line"
    text: str
    fix: str
    edit: LineEdit | None = None


class LintReport(NamedTuple):
    """Problems of jobs, in the order of their files."""

    jobs: list[str]
    findings: list[Finding]

    @property
    def errors(self) -> int:
        """Number of errors."""
        return sum(each.level == "error" for each in self.findings)


def lint(
    path: Path,
    *,
    root: Path,
    path_map: tuple[tuple[str, str], ...] = (),
    target: LintTarget = LintTarget(),  # noqa: B008 (frozen)
) -> LintReport:
    """Find problems of a job, or of all jobs below a folder, for a runner.

    Raises UsageError if there is no job.
    """
    jobs = _jobs(path)
    if not jobs:
        message = f"no benchmarking job at {escaped_path(path)}"
        hint = "use a YAML file whose first key is `benchmarkingjob`, or a folder with one"
        raise UsageError(message, hint=hint)
    found: dict[Finding, None] = {}
    for job in jobs:
        _Linter(PathRules(root, path_map), target, found).job(job)
    return LintReport([escaped_path(job) for job in jobs], list(found))


def _jobs(path: Path) -> list[Path]:
    """Return the path itself, or the job files below it: those with a line that starts with the root key."""
    if not path.is_dir():
        return [path]
    found: list[Path] = []
    for folder, folders, names in os.walk(path):
        folders.sort()
        found += [
            Path(folder, name) for name in sorted(names) if name.endswith(_SUFFIXES) and _is_job(folder, name)
        ]
        if len(found) > MAX_JOBS:
            raise UsageError(
                f"more than {MAX_JOBS:,} jobs below {escaped_path(path)}", hint="use a smaller folder"
            )
    return found


def _is_job(folder: str, name: str) -> bool:
    try:
        with Path(folder, name).open("rb") as stream:
            return _ROOT_KEY.search(stream.read(1 << 16)) is not None
    except OSError:
        return False


class _Linter:
    """Checks a job part by part; an unreadable part does not affect others."""

    def __init__(self, paths: PathRules, target: LintTarget, found: dict[Finding, None]) -> None:
        self._paths, self._target, self._found = paths, target, found

    def job(self, path: Path) -> None:
        """Check all files of a job."""
        job = self._try(lambda: open_section(path, "benchmarkingjob", self._paths, self._remark))
        if job is None:
            return
        job = job._replace(tolerant=True)
        self._absolute(job)
        self._folder_name(job)
        algorithms = self._try(lambda: test_objects(job)) or []
        used_paradigms = {name for entry in algorithms if (name := self._algorithm(entry))}
        metrics = self._environment(job, used_paradigms)
        if self._target.is_ianvs:
            self._stems(algorithms)
        if metrics:
            self._try(lambda: read_rank(job, metrics))
        self._all(check_order(job))

    def _folder_name(self, section: Section) -> None:
        """Check a name that becomes a folder."""
        self._try(lambda: section.folder_name("name"))

    def _algorithm(self, entry: Section) -> str:
        """Check an algorithm, and return its paradigm; empty if unknown."""
        self._folder_name(entry)
        algorithm = self._open(self._try(lambda: entry.file("url")), "algorithm", entry)
        if algorithm is None:
            return ""
        if self._target.is_ianvs and algorithm.data.get("paradigm_type") not in (*PARADIGMS, None):
            paradigm = self._foreign(algorithm)
        else:
            parsed = self._try(lambda: read_algorithm(entry))
            paradigm = parsed.paradigm if parsed is not None else str(algorithm.data.get("paradigm_type", ""))
        if self._target.is_ianvs:
            self._since(algorithm, paradigm)
        self._all(check_algorithm(algorithm, paradigm, self._target))
        return paradigm

    def _foreign(self, algorithm: Section) -> str:
        """Check the files of an algorithm that only Ianvs runs, and return its paradigm."""
        for module in self._try(lambda: list(algorithm.sections("modules"))) or []:
            if module.data.get("url"):
                self._try(partial(module.file, "url"))
        return str(algorithm.data["paradigm_type"])

    def _since(self, algorithm: Section, paradigm: str) -> None:
        known = paradigms(self._target.version)
        if paradigm and paradigm not in known:
            text = f"Ianvs {self._target.version} has no paradigm {escaped_name(paradigm, 60)}"
            self._add("error", algorithm, text, f"use one of {', '.join(known)}", "paradigm_type")

    def _environment(self, job: Section, used_paradigms: set[str]) -> list[str]:
        """The names of the metrics."""
        environment = self._open(self._try(lambda: job.file("testenv")), "testenv", job)
        if environment is None:
            return []
        if not self._target.is_ianvs or used_paradigms <= set(PARADIGMS):  # another paradigm has its own keys
            self._try(lambda: check_environment(environment, used_paradigms or set(PARADIGMS)))
        data = self._try(lambda: data_section(environment))
        if data is not None:
            self._data(data, "train")
            self._data(data, "test")
        metrics = self._try(lambda: list(environment.sections("metrics"))) or []
        return [name for each in metrics if (name := self._metric(each, used_paradigms))]

    def _data(self, data: Section, use: str) -> None:
        data_file = self._try(lambda: read_data(data, use))
        if data_file is not None:
            self._all(check_records(data, data_file, use))

    def _metric(self, metric: Section, used_paradigms: set[str]) -> str:
        """Its name; empty where it has none."""
        name = metric.data.get("name")
        if self._target.is_ianvs and isinstance(name, str) and is_system_metric(name):
            if not measures_by_itself(name, self._target.version, used_paradigms):
                text = f"{' and '.join(sorted(used_paradigms))} has no metric {name}"
                self._add("error", metric, text, "remove it from `metrics`", "name")
            return name
        named_metric = self._try(lambda: read_metric(metric))
        if named_metric is not None and named_metric.url is not None:
            self._all(check_metric(metric, named_metric))
        return name if isinstance(name, str) else ""

    def _open(self, file: Path | None, key: str, around: Section) -> Section | None:
        if file is None or not file.is_file():
            return None
        section = self._try(lambda: open_section(file, key, around.paths, self._remark))
        if section is None:
            return None
        section = section._replace(tolerant=True)
        self._absolute(section)
        return section

    def _stems(self, algorithms: list[Section]) -> None:
        """Check for equal file names: Ianvs keeps one module per name, so the first is evaluated twice."""
        seen: dict[str, Path] = {}
        for entry in algorithms:
            for module, file in self._modules(entry):
                other = seen.setdefault(file.stem, file)
                if other != file:
                    new_name = f"{file.stem}_{escaped_name(str(entry.data.get('name', '2')), 40)}.py"
                    text = f"Ianvs runs {escaped_path(other)} instead: it keeps one module per file name"
                    self._add(
                        "error", module, text, f'rename the file: url: "{file.with_name(new_name)}"', "url"
                    )

    def _modules(self, entry: Section) -> Iterator[tuple[Section, Path]]:
        file = entry.paths.resolve(str(entry.data.get("url", "")))
        if not file.is_file():
            return
        algorithm = self._try(lambda: open_section(file, "algorithm", entry.paths, lambda remark: None))
        for module in self._try(lambda: list(algorithm.sections("modules"))) or [] if algorithm else []:
            if isinstance(url := module.data.get("url"), str):
                yield module, entry.paths.resolve(url)

    def _absolute(self, section: Section) -> None:
        """Check for absolute paths, which are valid on one machine only."""
        for keys, text in _texts(section.data):
            key = str(keys[-1])
            if text.startswith(("/", "~")) and (Path(text).suffix or key in ("workspace", "url")):
                reason = (
                    "a home is not looked up in `~`" if text.startswith("~") else "holds on one machine only"
                )
                new = "./workspace" if key == "workspace" else self._from_root(section, text)
                fix = f'{key}: "{new}"' if new else "download it first, then write its path from the root"
                edit = section.edit(text, new, *keys) if new else None
                place = section.place(*keys)
                self._found[Finding("warning", place, f"{text}: {reason}", fix, edit)] = None

    def _from_root(self, section: Section, text: str) -> str:
        """Return a path's file relative to the root; empty if it does not exist."""
        found = nearest_file(text, root=section.paths.root, near=Path(str(section.document.path)))
        return "" if found is None else f"./{found.path}"

    def _try(self, read: Callable[[], T]) -> T | None:
        """Call a reader; add a finding and return None if it raises."""
        try:
            return read()
        except UsageError as error:
            if not self._target.is_ianvs:  # a feature of Ianvs that is missing here is not a fault of the job
                self._refusal(error)
            return None
        except DataError as error:
            self._refusal(error)
            return None

    def _refusal(self, error: DataError | UsageError) -> None:
        place, _, text = error.message.partition(": ")
        file, _, field = place.partition(", field ")
        if not file.rpartition(":")[2].isdecimal():
            file, field, text = "", "", error.message
        message = f"{field}: {text}" if field else text
        self._found[Finding("error", file, message, error.hint or "")] = None

    def _all(self, findings: Iterator[tuple[LintSeverity, str, str, str]]) -> None:
        for level, place, text, fix in findings:
            self._found[Finding(level, place, text, fix)] = None

    def _add(self, level: LintSeverity, section: Section, text: str, fix: str, *keys: str | int) -> None:
        self._found[Finding(level, section.place(*keys), text, fix)] = None

    def _remark(self, remark: JobRemark) -> None:
        if remark.theirs and not self._concerns(remark):
            return
        level: LintSeverity = "error" if remark.fatal else "warning"
        self._found[Finding(level, remark.place, remark.text, remark.hint, remark.edit)] = None

    def _concerns(self, remark: JobRemark) -> bool:
        """Return whether a remark applies to this version: train_url and test_url were valid names once."""
        if not self._target.is_ianvs:
            return False
        return is_since(self._target.version, DATA_KEYS) or "_url`" not in remark.text


def _texts(data: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the strings below a value with their paths of keys."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), data)]
    while waiting:
        keys, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*keys, str(key)), each) for key, each in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [((*keys, number), each) for number, each in reversed(list(enumerate(value)))]
        elif isinstance(value, str) and keys:
            yield keys, value
