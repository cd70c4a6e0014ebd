"""Run one suite of a program, in a separate sandbox, and read its claims.

A suite with a TestMain, fuzz targets or examples is run twice if it seems to pass: such code decides by the
exit status alone, which the failing canary changes, so the second run has no canaries and must end with
status 0.
"""

from __future__ import annotations

import re
import secrets
import signal
from collections.abc import Callable

import msgspec

from benchwright.contracts import CaseReport, ServedProgram, Variation
from benchwright.judges.suites.go_project import VETTED, GoSuite
from benchwright.judges.suites.go_toolchain import GoToolchain
from benchwright.judges.suites.reentry_guards import ENTERED
from benchwright.judges.suites.report_verification import SuiteClaims, kind_of
from benchwright.judges.suites.variations import Tracing, executed_lines, schedule_stress
from benchwright.records import Record
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, CommandResult, converse, run_command
from benchwright.sandbox.environments import Environment
from benchwright.sandbox.zygote import RunningAnswer

PROGRAMS = "/programs"  # where the jail shows the folder of programs
SERVER_CHANNEL = 3  # the descriptor that `go_server.go` uses
REPORT_BYTES = 4 << 20
SHOWN_LINES = 6
NEARLY = 0.9  # of the memory limit: the kernel kills a process this close to it for its memory
FIRST_WITH_JSON = (1, 20)
_RUN = re.compile(r"\x16?=== (?:RUN|NAME|CONT) +(\S+)")
_DONE = re.compile(r"\s*\x16?(?:--- |=== )")
_ERROR = re.compile(r"\x0f {4,}[\w.-]+\.go:\d+: ")  # since 1.26, how testing marks a line that t.Error logs
_MARKS = re.compile(r"[\x0e\x0f\x16]")
_MESSAGE = re.compile(r"[\x0e\x0f]? {4,}([\w.-]+\.go):(\d+): ")  # the first line that t.Error or t.Log prints
_FURTHER = re.compile(r"[\x0e\x0f]? {8}")  # a further line of such a message
# Parts that differ in each run: addresses on the heap, and numbers in the names of temporary folders.
_ADDRESS = re.compile(r"\b0xc[0-9a-f]{6,15}\b")
_TEMPORARY = re.compile(r"(/tmp/[^\s/]{0,200}?)\d{6,10}(?![^\s/:\"'`),;])")
_CRASH = re.compile(r"^(?:panic: |fatal error: |runtime: goroutine stack exceeds|SIG\w+: )", re.MULTILINE)


class GoRunRequest(Record, frozen=True, kw_only=True):
    """The parameters of one run, and the words that the lines of its report must start with."""

    suite: int
    folder: str
    failing: str  # the canary that must fail; empty for a run without canaries
    flags: list[str]
    words: list[str]

    def text(self) -> str:
        """Return the text that the harness reads."""
        canaries = "canaries" if self.failing else "none"
        flags = " ".join(self.flags)
        return "\n".join([str(self.suite), self.folder, canaries, self.failing, flags, *self.words])


class GoReport(Record, frozen=True, kw_only=True):
    """A parsed report. `fault`: why an honest harness did not write it."""

    begun: bool = False
    ended: bool = False
    cases: list[CaseReport] = []
    fault: str = ""


def run_environment(toolchain: GoToolchain, programs: str) -> Environment:
    """Return what a test may see of this machine: Go's sources and time zones, and the programs."""
    binds = (*toolchain.binds, (programs, PROGRAMS))
    return Environment(
        name="go-run", preload=(), binds=binds, open_files=1024, address_limit=False, kernel_files=True
    )


def run_pair(
    box: Sandbox,
    toolchain: GoToolchain,
    pair: GoSuite,
    *,
    number: int,
    program: str,
    variation: Variation,
    canaries: bool,
    tracing: Tracing | None = None,
) -> tuple[SuiteClaims, bool]:
    """Return the claims of a suite, and whether its program reached its main function. Raises
    SandboxError."""
    ticket = _ticket(toolchain, pair, number, variation, canaries)
    texts = {path: text for path, text in pair.suite.files.items() if path != _hidden(pair)}
    files = {f"src/{path}": text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
    press = schedule_stress(variation)
    command = Command(
        argv=(f"{PROGRAMS}/{program}",),
        files={**files, "ticket": ticket.text().encode()},
        env={
            **_variables(toolchain, variation.timezone),
            **({"GOMAXPROCS": str(press.processors)} if press.processors else {}),
        },
        one_core=press.one_core,
        collect=("report",),
        collect_bytes=REPORT_BYTES,
    )
    result = run_command(box, command)
    report = read_report(result.files.get("report", b""), ticket)
    claims = _claims(result, report, memory_mb=box.limits.memory_mb, expected=1 if canaries else 0)
    return msgspec.structs.replace(claims, lines=executed_lines(tracing, result.output)), report.begun


def _hidden(pair: GoSuite) -> str:
    """Return the file that a run hides: tests of an answer contain the expected values."""
    return pair.suite.test if pair.suite.framework == VETTED else ""


def serve_program(
    box: Sandbox, toolchain: GoToolchain, program: str, work: Callable[[RunningAnswer], None]
) -> ServedProgram:
    """Let `work` talk to a program that answers calls. Raises SandboxError."""
    command = Command(argv=(f"{PROGRAMS}/{program}",), env=_variables(toolchain, "UTC"))
    usage = converse(box, command, work, channel=SERVER_CHANNEL)
    kind, line = _crash(usage.stdout.decode("utf-8", "replace"))
    return ServedProgram(crash=line, crashed=kind, cpu_s=usage.cpu_s, wall_s=usage.wall_s)


def _crash(output: str) -> tuple[str, str]:
    """Return the failure with which Go's runtime ended a program, and its first line on that; empty for
    none."""
    crash = _CRASH.search(output)
    line = output[crash.start() :].splitlines()[0] if crash else ""
    return "memory" if "out of memory" in line or "cannot allocate memory" in line else "exception", line


def _variables(toolchain: GoToolchain, timezone: str) -> dict[str, str]:
    zones = f"{toolchain.jailed}/lib/time/zoneinfo.zip"
    return {"GOROOT": toolchain.jailed, "ZONEINFO": zones, "TZ": timezone}


def _ticket(
    toolchain: GoToolchain, pair: GoSuite, number: int, variation: Variation, canaries: bool
) -> GoRunRequest:
    verbose = "test2json" if toolchain.numbers >= FIRST_WITH_JSON else "true"
    flags = [f"-test.v={verbose}", "-test.paniconexit0", "-test.timeout=10m0s"]
    if variation.order_seed is not None:
        flags.append(f"-test.shuffle={variation.order_seed}")
    runs = len(pair.suite.cases) + (2 if canaries else 0)
    return GoRunRequest(
        suite=number,
        folder="src" if pair.folder == "." else f"src/{pair.folder}",
        failing=pair.canaries.failing if canaries else "",
        flags=flags,
        words=[secrets.token_hex(12) for _ in range(runs + 2)],
    )


def read_report(data: bytes, ticket: GoRunRequest) -> GoReport:
    """Read the report's lines while each starts with its word. A line with another word is not the
    harness's."""
    cases: list[CaseReport] = []
    begun = ended = False
    lines = data.decode("utf-8", "replace").split("\n")
    for number, line in enumerate(lines[:-1]):
        fields = line.split("\t")
        if len(fields) != 4 or number >= len(ticket.words) or fields[0] != ticket.words[number]:
            return GoReport(
                begun=begun, cases=cases, fault="a line of the report has not the word drawn for it"
            )
        _, state, name, kind = fields
        if number == 0 or state == "begun":
            begun = state == "begun" and number == 0
        elif state == "end":
            ended = number == len(ticket.words) - 1
        else:
            detail = ENTERED if kind == "tampered" else ""
            cases.append(CaseReport(name=name, state=state, kind=kind, detail=detail))
    fault = "text after the last line of the report" if lines[-1] else ""
    return GoReport(begun=begun, ended=ended, cases=cases, fault=fault)


def _claims(result: CommandResult, report: GoReport, *, memory_mb: int, expected: int) -> SuiteClaims:
    output = result.output.decode("utf-8", "replace")
    logs = _logs(output)
    kind, detail = _end(result, report, output, memory_mb=memory_mb, expected=expected)
    cases = [_with_log(case, logs.get(case.name, [])) for case in report.cases]
    if report.fault and not kind:
        kind, detail = "tampered", report.fault
    if kind == "exception" and cases and cases[-1].state == "failed" and _CRASH.search(output):
        cases[-1] = CaseReport(name=cases[-1].name, state="failed", kind="exception", detail=detail)
    return SuiteClaims(
        cases=cases,
        complete=report.ended and not kind,
        kind=kind,
        detail=detail,
        cpu_s=result.usage.cpu_s,
        wall_s=result.usage.wall_s,
    )


def _end(
    result: CommandResult, report: GoReport, output: str, *, memory_mb: int, expected: int
) -> tuple[str, str]:
    """Return why the process did not end like a complete run; empty if it did."""
    if result.status is None:
        return kind_of(result.outcome), result.detail
    if report.ended and result.status == expected:
        return "", ""
    if result.status == -signal.SIGKILL and result.usage.peak_kb > memory_mb * 1024 * NEARLY:
        return "memory", f"its processes held more than {memory_mb} MiB"
    kind, line = _crash(output)
    if line:
        return kind, line
    when = "after" if report.ended else "before"
    return "exception", f"the process ended with status {result.status} {when} its report was complete"


def _with_log(case: CaseReport, lines: list[str]) -> CaseReport:
    """Add the logged lines to a case. A passed case with a logged error was tampered with."""
    if case.state == "passed" and any(_ERROR.match(line) for line in lines):
        return CaseReport(
            name=case.name, state="failed", kind="tampered", detail="passed, though it logged an error"
        )
    if case.state == "passed":
        return case
    return CaseReport(name=case.name, state=case.state, kind=case.kind, detail=stable_text(lines))


def stable_text(lines: list[str]) -> str:
    """Return the first lines that a test printed, in an order that does not depend on the run.

    A test that ranges over a map, or starts goroutines, prints its messages in another order each time.
    Messages come first, by file, line number and text, then all other lines by text.
    """
    blocks: list[tuple[tuple[bool, str, int], list[str]]] = []
    for line in lines:
        text = _MARKS.sub("", _TEMPORARY.sub(r"\1*", _ADDRESS.sub("0xc*", line))).strip()
        if found := _MESSAGE.match(line):
            blocks.append(((False, found[1], int(found[2])), [text]))
        elif blocks and not blocks[-1][0][0] and _FURTHER.match(line):
            blocks[-1][1].append(text)
        else:
            blocks.append(((True, "", 0), [text]))
    return " | ".join([text for _, block in sorted(blocks) for text in block][:SHOWN_LINES])


def _logs(output: str) -> dict[str, list[str]]:
    """Map tests to what was printed in each, by top-level name. For people, and for the check above."""
    logs: dict[str, list[str]] = {}
    current: list[str] = []
    for line in output.splitlines():
        if begins := _RUN.match(line):
            current = logs.setdefault(begins[1].split("/")[0], [])
        elif not _DONE.match(line) and line.strip():
            current.append(line)
    return logs
