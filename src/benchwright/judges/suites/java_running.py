"""Runs one compiled suite in a JVM of its own.

Only the launcher is given the key of the report, in a file that is gone before the first tested class is
loaded. The tests run in the same JVM and could reach the key by reflection: the report stays a claim, which
`settling` weighs.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from benchwright.contracts import ServedProgram, Suite, Variation
from benchwright.judges.suites.canaries import Canaries, random_word
from benchwright.judges.suites.java_classfile import renamed
from benchwright.judges.suites.java_compiling import Compiled
from benchwright.judges.suites.java_inspecting import Classes
from benchwright.judges.suites.java_plain import canary_line, plain_lines
from benchwright.judges.suites.java_report import changed_files, draw_key, read_claims
from benchwright.judges.suites.java_sources import classes_of
from benchwright.judges.suites.java_tools import CANARIES, Tools
from benchwright.judges.suites.pressing import Press, press_of
from benchwright.judges.suites.settling import Claims
from benchwright.judges.suites.tracing import Tracing, lines_of
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, converse, run_command
from benchwright.sandbox.zygote import Running

HEAP_MB = 256
SERVER_CHANNEL = 0  # the descriptor that `AnswerServer.java` uses: Java opens no file for any other one
_SLACK = 1 << 20  # bytes that may come back beyond what was sent; more indicates a problem
# Maven and Gradle execute tests with assertions on. Interpreting longer before C1 compiles saves 30 ms of
# CPU time in a run of a few tests.
_FLAGS = (
    "-enableassertions",
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
    classes: Classes,
    canaries: Canaries,
    variation: Variation,
    tracing: Tracing | None = None,
) -> Claims:
    """Return the claims of an execution. Raises SandboxError."""
    key, folder = draw_key(), f"classes-{random_word()}"
    files = _files(suite, compiled, canaries, tools, folder)
    job = _job(suite, key, classes, canaries, variation)
    press = press_of(variation)
    flags = (*_FLAGS, f"-Duser.timezone={variation.timezone}", *_pressing(press))
    argv = tools.java(*flags, "benchwright.inside.SuiteLauncher", "job", heap_mb=HEAP_MB, classes=folder)
    command = Command(
        argv=argv,
        files={**files, "job": job},
        one_core=press.one_core,
        collect=(folder, *(path for path in files if not path.startswith(f"{folder}/"))),
        collect_bytes=sum(map(len, files.values())) + _SLACK,
    )
    ran = run_command(box, command, cpu_s=box.limits.cpu_s)
    claims = read_claims(suite, key, ran, cpu_s=compiled.cpu_s)
    claims = msgspec.structs.replace(claims, lines=lines_of(tracing, ran.output))
    changed = changed_files(files, ran, folder) if claims.complete else ""
    detail = f"a run wrote to {changed}"
    return msgspec.structs.replace(claims, kind="tampered", detail=detail) if changed else claims


def serve_classes(
    box: Sandbox, tools: Tools, compiled: Compiled, caller: str, work: Callable[[Running], None]
) -> ServedProgram:
    """Let `work` talk to a JVM in which `caller` makes the calls. Raises SandboxError."""
    folder = f"classes-{random_word()}"
    flags = (*_FLAGS, "-Duser.timezone=UTC")
    argv = tools.java(*flags, "benchwright.inside.AnswerServer", caller, heap_mb=HEAP_MB, classes=folder)
    files = {f"{folder}/{path}": content for path, content in compiled.classes.items()}
    usage = converse(box, Command(argv=argv, files=files), work, channel=SERVER_CHANNEL)
    return ServedProgram(cpu_s=compiled.cpu_s + usage.cpu_s, wall_s=usage.wall_s)


def _pressing(press: Press) -> list[str]:
    """Return the JVM flags of a schedule stress."""
    flags = [f"-XX:ActiveProcessorCount={press.processors}"] if press.processors else []
    return [*flags, "-Xint"] if press.interpreted else flags


def _files(
    suite: Suite, compiled: Compiled, canaries: Canaries, tools: Tools, folder: str
) -> dict[str, bytes]:
    """Return classes and the canaries' class below a folder with a drawn name, which no file of the suite can
    be in; other files of the suite that are not Java at their own paths."""
    other = {path: text.encode() for path, text in suite.files.items() if not path.endswith(".java")}
    classes = {f"{folder}/{path}": content for path, content in compiled.classes.items()}
    name = _canary_class(suite, canaries)
    template = tools.canary(suite.framework)
    names = {
        CANARIES[suite.framework].removesuffix(".class"): name.replace(".", "/"),
        "canaryPasses": canaries.passing.split("#")[1],
        "canaryFails": canaries.failing.split("#")[1],
    }
    return {**other, **classes, f"{folder}/{name.replace('.', '/')}.class": renamed(template, names)}


def _canary_class(suite: Suite, canaries: Canaries) -> str:
    package = classes_of(suite)[0].rpartition(".")[0]
    name = canaries.passing.split("#")[0]
    return f"{package}.{name}" if package else name


def _job(suite: Suite, key: str, classes: Classes, canaries: Canaries, variation: Variation) -> bytes:
    """Return the launcher's job. The canaries come last, after everything that the tests do to their JVM."""
    seed = "" if variation.order_seed is None else str(_spread(variation.order_seed))
    canary = _canary_class(suite, canaries)
    lines = [f"load {name}" for name in (*classes.loadable, canary)]
    lines += [f"own {name}" for name in (*classes.test_types, canary)]
    lines += _selected(suite, classes, canary, canaries)
    return "\n".join([key, seed, *lines]).encode()


def _selected(suite: Suite, classes: Classes, canary: str, canaries: Canaries) -> list[str]:
    """Return which tests are run, and by which runner: canaries by the same one as the others."""
    if (plain := plain_lines(suite, classes)) is None:
        return [f"{suite.framework} {name}" for name in (*classes_of(suite), canary)]
    added = (name.split("#")[1] for name in (canaries.passing, canaries.failing))
    return [*plain, canary_line(suite, canary, added)]


def _spread(seed: int) -> int:
    """Return a seed far from its neighbours' (multiplied by 2^64 over the golden ratio): Java's generator
    draws nearly the same first number from 1, 2 and 3, so these would give one order."""
    return (seed + 1) * 0x9E3779B97F4A7C15 % (1 << 63)
