"""Run a compiled Java suite in a separate JVM; plain tests run without a framework's launcher.

Only the launcher gets the key of the report, in a file that is deleted before the first tested class is
loaded. The tests run in the same JVM and could reach the key by reflection: the report stays a claim, which
`report_verification` verifies. A plain test class uses of JUnit only test marks, one method before and one
after each test, asserts and display names, and extends nothing. JUnit itself runs every other class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from benchwright.contracts import ServedProgram, Suite, Variation
from benchwright.judges.suites.java_bytecode import ABSTRACT, PRIVATE, ClassFile, ClassMember, renamed
from benchwright.judges.suites.java_classes import SuiteClasses, classes_of
from benchwright.judges.suites.java_compiling import CompiledSuite
from benchwright.judges.suites.java_report import changed_files, draw_key, read_claims
from benchwright.judges.suites.java_tools import CANARIES, Tools
from benchwright.judges.suites.report_verification import Canaries, SuiteClaims, random_word
from benchwright.judges.suites.variations import ScheduleStress, Tracing, executed_lines, schedule_stress
from benchwright.records import Record
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, converse, run_command
from benchwright.sandbox.zygote import RunningAnswer

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
    compiled: CompiledSuite,
    *,
    classes: SuiteClasses,
    canaries: Canaries,
    variation: Variation,
    tracing: Tracing | None = None,
) -> SuiteClaims:
    """Return the claims of an execution. Raises SandboxError."""
    key, folder = draw_key(), f"classes-{random_word()}"
    files = _files(suite, compiled, canaries, tools, folder)
    job = _job(suite, key, classes, canaries, variation)
    press = schedule_stress(variation)
    flags = (*_FLAGS, f"-Duser.timezone={variation.timezone}", *_pressing(press))
    argv = tools.java(*flags, "benchwright.inside.SuiteLauncher", "job", heap_mb=HEAP_MB, classes=folder)
    command = Command(
        argv=argv,
        files={**files, "job": job},
        one_core=press.one_core,
        collect=(folder, *(path for path in files if not path.startswith(f"{folder}/"))),
        collect_bytes=sum(map(len, files.values())) + _SLACK,
    )
    result = run_command(box, command, cpu_s=box.limits.cpu_s)
    claims = read_claims(suite, key, result, cpu_s=compiled.cpu_s)
    claims = msgspec.structs.replace(claims, lines=executed_lines(tracing, result.output))
    changed = changed_files(files, result, folder) if claims.complete else ""
    detail = f"a run wrote to {changed}"
    return msgspec.structs.replace(claims, kind="tampered", detail=detail) if changed else claims


def serve_classes(
    box: Sandbox, tools: Tools, compiled: CompiledSuite, caller: str, work: Callable[[RunningAnswer], None]
) -> ServedProgram:
    """Let `work` talk to a JVM in which `caller` makes the calls. Raises SandboxError."""
    folder = f"classes-{random_word()}"
    flags = (*_FLAGS, "-Duser.timezone=UTC")
    argv = tools.java(*flags, "benchwright.inside.AnswerServer", caller, heap_mb=HEAP_MB, classes=folder)
    files = {f"{folder}/{path}": content for path, content in compiled.classes.items()}
    usage = converse(box, Command(argv=argv, files=files), work, channel=SERVER_CHANNEL)
    return ServedProgram(cpu_s=compiled.cpu_s + usage.cpu_s, wall_s=usage.wall_s)


def _pressing(press: ScheduleStress) -> list[str]:
    """Return the JVM flags of a schedule stress."""
    flags = [f"-XX:ActiveProcessorCount={press.processors}"] if press.processors else []
    return [*flags, "-Xint"] if press.interpreted else flags


def _files(
    suite: Suite, compiled: CompiledSuite, canaries: Canaries, tools: Tools, folder: str
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


def _job(suite: Suite, key: str, classes: SuiteClasses, canaries: Canaries, variation: Variation) -> bytes:
    """Return the launcher's job. The canaries come last, after everything that the tests do to their JVM."""
    seed = "" if variation.order_seed is None else str(_spread(variation.order_seed))
    canary = _canary_class(suite, canaries)
    lines = [f"load {name}" for name in (*classes.loadable, canary)]
    lines += [f"own {name}" for name in (*classes.test_types, canary)]
    lines += _selected(suite, classes, canary, canaries)
    return "\n".join([key, seed, *lines]).encode()


def _selected(suite: Suite, classes: SuiteClasses, canary: str, canaries: Canaries) -> list[str]:
    """Return which tests are run, and by which runner: canaries by the same one as the others."""
    if (plain := plain_lines(suite, classes)) is None:
        return [f"{suite.framework} {name}" for name in (*classes_of(suite), canary)]
    added = (name.split("#")[1] for name in (canaries.passing, canaries.failing))
    return [*plain, canary_line(suite, canary, added)]


def _spread(seed: int) -> int:
    """Return a seed far from its neighbours' (multiplied by 2^64 over the golden ratio): Java's generator
    draws nearly the same first number from 1, 2 and 3, so these would give one order."""
    return (seed + 1) * 0x9E3779B97F4A7C15 % (1 << 63)


_PUBLIC, _STATIC, _BRIDGE, _INTERFACE, _SYNTHETIC = 0x0001, 0x0008, 0x0040, 0x0200, 0x1000
_TOOL = re.compile(rb"(?:org/(?:junit|opentest4j)|junit)[/$][\w/$]*")
_PLATFORMS = ("Ljava/lang/Deprecated;", "Ljava/lang/FunctionalInterface;", "Ljava/lang/SafeVarargs;")
_OBJECT = ("java/lang/Object",)


class Framework(Record, frozen=True, kw_only=True):
    """The names of a framework that a plain class may use. Marks are descriptors of annotations."""

    word: str  # in the launcher's job
    test: str
    before: str
    after: str
    shown: frozenset[str] = frozenset()  # marks without effect on the execution
    others: frozenset[bytes]
    access: int  # flags that a class, its constructor and its methods must have

    @property
    def marks(self) -> frozenset[str]:
        """Return all marks."""
        return self.shown | {self.test, self.before, self.after}

    @property
    def junit_names(self) -> frozenset[bytes]:
        """Return all names of JUnit that the class may contain."""
        return self.others | {mark[1:-1].encode() for mark in self.marks}


_API = "Lorg/junit/jupiter/api/"
FRAMEWORKS = {
    "junit5": Framework(
        word="plain5",
        test=f"{_API}Test;",
        before=f"{_API}BeforeEach;",
        after=f"{_API}AfterEach;",
        shown=frozenset({f"{_API}DisplayName;", f"{_API}Tag;"}),
        others=frozenset(
            {
                b"org/junit/jupiter/api/Assertions",
                b"org/junit/jupiter/api/function/Executable",
                b"org/junit/jupiter/api/function/ThrowingSupplier",
                b"org/opentest4j/AssertionFailedError",
            }
        ),
        access=0,
    ),
    "junit4": Framework(
        word="plain4",
        test="Lorg/junit/Test;",
        before="Lorg/junit/Before;",
        after="Lorg/junit/After;",
        others=frozenset({b"org/junit/Assert", b"org/junit/function/ThrowingRunnable"}),
        access=_PUBLIC,
    ),
}


def plain_lines(suite: Suite, classes: SuiteClasses) -> list[str] | None:
    """Return a line of the launcher's job for each test class; None if one needs JUnit itself."""
    known = FRAMEWORKS[suite.framework]
    chosen = {name.replace(".", "/"): "" for name in classes_of(suite)}
    for each in classes.own:
        if not _names_no_more(each, known):
            return None
        if each.name in chosen and _is_plain(each, known):
            chosen[each.name] = _line(each, known)
        elif not all(_is_known(marks, known.shown) for marks in _all_marks(each)):
            return None
    return list(chosen.values()) if all(chosen.values()) else None


def canary_line(suite: Suite, name: str, tests: Iterable[str]) -> str:
    """Return the line of the canaries' class, which is plain as well."""
    return " ".join([FRAMEWORKS[suite.framework].word, name, "-", "-", *tests])


def _names_no_more(each: ClassFile, known: Framework) -> bool:
    found = (name for text in each.named for name in _TOOL.findall(text))
    return known.junit_names.issuperset(found)


def _is_plain(each: ClassFile, known: Framework) -> bool:
    """Return whether JUnit would run exactly the marked tests, each as it is."""
    if each.parents != _OBJECT or each.flags & (ABSTRACT | _INTERFACE) or not _has(each.flags, known):
        return False
    if not all(_is_known(marks, known.marks) for marks in _all_marks(each)):
        return False
    makers = [member for member in each.methods if member.name == "<init>"]
    marked = [member for member in each.methods if not _is_known(member.marks, known.shown)]
    tests, *around = (_marked(marked, mark) for mark in (known.test, known.before, known.after))
    return (
        len(makers) == 1
        and all(member.kind == "()V" and _has(member.flags, known) for member in (*makers, *marked))
        and all(not member.flags & _UNUSUAL for member in marked)
        and len(tests) > 0
        and all(len(each) <= 1 for each in around)
        and len({member.name for member in marked}) == len(tests) + sum(map(len, around))
    )


_UNUSUAL = PRIVATE | _STATIC | _BRIDGE | ABSTRACT | _SYNTHETIC


def _has(flags: int, known: Framework) -> bool:
    return flags & known.access == known.access


def _is_known(marks: Sequence[str] | None, known: frozenset[str]) -> bool:
    """Return whether all marks are known: False for one with other settings, or one that a meta-annotation
    could make JUnit's."""
    return marks is not None and known.union(_PLATFORMS).issuperset(marks)


def _all_marks(each: ClassFile) -> list[Sequence[str] | None]:
    """Yield the marks of a class and of each of its members."""
    return [each.marks, *(member.marks for member in (*each.fields, *each.methods))]


def _marked(members: Sequence[ClassMember], mark: str) -> list[ClassMember]:
    return [member for member in members if member.marks is not None and mark in member.marks]


def _line(each: ClassFile, known: Framework) -> str:
    """Return a line in the format of `PlainTests.java`."""
    tests, *around = (
        [member.name for member in _marked(each.methods, mark)]
        for mark in (known.test, known.before, known.after)
    )
    return " ".join(
        [known.word, each.name.replace("/", "."), *(one[0] if one else "-" for one in around), *tests]
    )
