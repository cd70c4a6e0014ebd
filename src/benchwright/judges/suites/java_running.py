"""Runs one compiled suite in a JVM of its own, and reads what it reports.

Only the launcher is given the key of the report, in a file that is gone before the first tested class is
loaded. The tests run in the same JVM and could reach the key by reflection: the report stays a claim, which
`settling` weighs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from benchwright.contracts import FAILURES, CaseReport, Suite, Variation
from benchwright.judges.suites import java_wire
from benchwright.judges.suites.canaries import Canaries
from benchwright.judges.suites.java_compiling import Compiled
from benchwright.judges.suites.java_seal import draw_key, seal
from benchwright.judges.suites.java_sources import classes_of, renamed
from benchwright.judges.suites.java_tools import CANARIES, Tools
from benchwright.judges.suites.settling import Claims, kind_of
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, Ran, run_command

HEAP_MB = 256
_LINE = re.compile(rb"^@([0-9a-f]{16}) ([^\n]*)\n", re.MULTILINE)
# Interpreting longer before C1 compiles saves 30 ms of processor time in a run of a few tests.
_FLAGS = (
    "-XX:CompileThresholdScaling=5",
    *("-Xss1m", "-XX:MaxMetaspaceSize=192m", "-XX:MaxDirectMemorySize=64m", "-XX:+DisableAttachMechanism"),
    *("-Duser.language=en", "-Duser.country=US", "-Dfile.encoding=UTF-8", "-Djava.awt.headless=true"),
)


def run_suite(
    box: Sandbox,
    tools: Tools,
    suite: Suite,
    compiled: Compiled,
    *,
    canaries: Canaries,
    variation: Variation,
    cpu_s: float,
) -> Claims:
    """What an execution claims. Raises SandboxError."""
    key = draw_key()
    files = _files(suite, compiled, canaries, tools) | {"job": _job(suite, key, canaries, variation)}
    flags = (*_FLAGS, f"-Duser.timezone={variation.timezone}")
    argv = tools.java(*flags, "benchwright.inside.SuiteLauncher", "job", heap_mb=HEAP_MB, classes="classes")
    ran = run_command(box, Command(argv=argv, files=files), cpu_s=cpu_s)
    return read_claims(suite, key, ran, cpu_s=compiled.cpu_s)


def _files(suite: Suite, compiled: Compiled, canaries: Canaries, tools: Tools) -> dict[str, bytes]:
    """Classes, the canaries' class, and files of the suite that are not Java at their own paths."""
    other = {path: text.encode() for path, text in suite.files.items() if not path.endswith(".java")}
    classes = {f"classes/{path}": content for path, content in compiled.classes.items()}
    name = _canary_class(suite, canaries)
    template = tools.canary(suite.framework)
    names = {
        CANARIES[suite.framework].removesuffix(".class"): name.replace(".", "/"),
        "canaryPasses": canaries.passing.split("#")[1],
        "canaryFails": canaries.failing.split("#")[1],
    }
    return {**other, **classes, f"classes/{name.replace('.', '/')}.class": renamed(template, names)}


def _canary_class(suite: Suite, canaries: Canaries) -> str:
    package = classes_of(suite)[0].rpartition(".")[0]
    name = canaries.passing.split("#")[0]
    return f"{package}.{name}" if package else name


def _job(suite: Suite, key: str, canaries: Canaries, variation: Variation) -> bytes:
    """The canaries come last: what the tests did to their JVM is done by then."""
    seed = "" if variation.order_seed is None else str(_spread(variation.order_seed))
    classes = [*classes_of(suite), _canary_class(suite, canaries)]
    return "\n".join([key, seed, *(f"{suite.framework} {name}" for name in classes)]).encode()


def _spread(seed: int) -> int:
    """A seed far from its neighbours' (multiplied by 2^64 over the golden ratio): from 1, 2 and 3 Java's
    generator draws nearly the same first number, so they would all give one order."""
    return (seed + 1) * 0x9E3779B97F4A7C15 % (1 << 63)


def read_claims(suite: Suite, key: str, ran: Ran, *, cpu_s: float = 0.0) -> Claims:
    """The claims of an execution. A line of the report's shape without its seal is tampering."""
    lines = _lines(ran.output, key)
    if lines is None:
        detail = "a line of the report that the launcher did not write"
        return _claims([], ran, cpu_s, kind="tampered", detail=detail)
    last = lines[-1] if lines else []
    count = java_wire.number(last[1]) if len(last) == 2 and last[0] == "Z" else -1
    if count < 0 or ran.status is None:
        return _cut_off(suite, lines, ran, cpu_s)
    ended = lines[max(0, len(lines) - 1 - count) : -1]
    if len(ended) != count or ran.status != 0:
        return _claims([], ran, cpu_s, kind="tampered", detail="the report and the exit status disagree")
    return _claims(_cases(suite, ended), ran, cpu_s, complete="complete")


def _lines(output: bytes, key: str) -> list[list[str]] | None:
    """The fields of each line of the report, or None when one has not the seal of its text and number."""
    lines: list[list[str]] = []
    for sealed, text in _LINE.findall(output):
        if seal(key, b"%d %s" % (len(lines), text)) != sealed.decode():
            return None
        lines.append(java_wire.fields(text.decode("utf-8", "replace")))
    return lines


def _cut_off(suite: Suite, lines: list[list[str]], ran: Ran, cpu_s: float) -> Claims:
    """The JVM did not live to write the end: the cases that had ended, and why there are no more."""
    last = {fields[1]: fields for fields in lines if fields[0] == "E" and len(fields) == 5}
    broken = next((fields for fields in lines if fields[0] == "X" and len(fields) == 3), ["X", "", ""])
    kind = kind_of(ran.outcome) if ran.status is None else broken[1] if broken[1] in FAILURES else "exception"
    running = next((fields[1] for fields in reversed(lines) if fields[0] == "S" and len(fields) == 2), "")
    within = f" in {running}" if running and running not in last and running in suite.cases else ""
    detail = broken[2] or ran.detail or "the JVM exited before the last test was over"
    return _claims(_cases(suite, list(last.values())), ran, cpu_s, kind=kind, detail=detail + within)


def _cases(suite: Suite, ended: list[list[str]]) -> list[CaseReport]:
    """Claims by case; what is said of a whole class goes to those of its cases of which nothing else is."""
    told = [
        CaseReport(name=fields[1], state=fields[2], kind=fields[3], detail=fields[4])
        for fields in ended
        if len(fields) == 5
    ]
    named = {each.name for each in told}
    whole = {each.name: each for each in told if "#" not in each.name}
    spread = [
        CaseReport(name=case, state=each.state, kind=each.kind, detail=each.detail)
        for case in suite.cases
        if case not in named and (each := _class_of(case, whole)) is not None
    ]
    return [*(each for each in told if "#" in each.name), *spread]


def _class_of(case: str, whole: Mapping[str, CaseReport]) -> CaseReport | None:
    """The claim on the innermost class around a case."""
    name = case.partition("#")[0]
    while name not in whole and "$" in name:
        name = name.rpartition("$")[0]
    return whole.get(name)


def _claims(
    cases: list[CaseReport], ran: Ran, cpu_s: float, *, complete: str = "", kind: str = "", detail: str = ""
) -> Claims:
    return Claims(
        cases=cases,
        complete=bool(complete),
        kind=kind,
        detail=detail,
        cpu_s=round(ran.usage.cpu_s + cpu_s, 6),
        wall_s=round(ran.usage.wall_s, 6),
    )
