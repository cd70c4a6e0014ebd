"""Our own Java programs, compiled once for each toolchain, and the archive that lets a JVM start fast.

Both are made in the sandbox, with the same jar paths as in later runs: a JVM uses an archive of classes only
if the class path starts as it did when the archive was made. They are cached in a user folder and shown to
the jail read-only.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from benchwright.errors import SandboxError
from benchwright.judges.suites.java_classes import KnownTypes, known_types
from benchwright.judges.suites.java_toolchain import JavaToolchain
from benchwright.judges.suites.toolchain_cache import cache_errors, cache_folder, check_place
from benchwright.records import Record
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, CommandResult, run_command
from benchwright.sandbox.environments import Environment
from benchwright.sandbox.limits import Limits

SOURCES = Path(__file__).parent / "java"
PLACE = "/bw-java"  # of the tools in the jail
JAR, ARCHIVE, TYPES = "tools.jar", "classes.jsa", "types.txt"
CANARIES = {"junit5": "CanaryFive.class", "junit4": "CanaryFour.class"}  # templates, by framework
_WHAT = "the tools for Java suites"
_BUILD = Limits(cpu_s=60.0, memory_mb=1024, processes=128, tmp_mb=256, output_bytes=96 << 20)

# C1 alone and the serial collector: in a JVM that runs for a second, more would cost more to start than it
# saves, and so would a file of performance counters.
FLAGS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto")

# training input of the archive: it decides which classes start fast, not which can be used
_FIVE = """
import static org.junit.jupiter.api.Assertions.*;
import java.util.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.*;
class Five {
    @BeforeEach void before() {}
    @AfterEach void after() {}
    @Test void passes() { assertEquals(2, 1 + 1); assertTrue(true); assertNotNull(List.of(1)); }
    @Test void fails() { assertEquals("a", "b"); }
    @Test void raises() { assertThrows(Exception.class, () -> { throw new IllegalStateException("x"); }); }
    @ParameterizedTest @ValueSource(ints = {1, 2}) void values(int n) { assertTrue(n > 0); }
    @ParameterizedTest @CsvSource({"1, a", "2, b"}) void rows(int n, String s) { assertNotNull(s + n); }
    @Nested class Inner { @Test @DisplayName("inner") void inside() { assertAll(() -> assertFalse(false)); } }
    @Disabled @Test void skipped() {}
}
"""
_FOUR = """
import static org.junit.Assert.*;
import java.util.*;
import java.util.stream.*;
import org.junit.*;
public class Four {
    enum Colour { RED, BLUE }
    @Before public void before() {}
    @Test public void passes() { assertEquals(3, Stream.of(1, 2).mapToInt(n -> n).sum()); }
    @Test public void fails() { assertArrayEquals(new int[] {1}, new int[] {2}); }
    @Test(expected = ArithmeticException.class) public void raises() { int zero = 0; int n = 1 / zero; }
    @Ignore @Test public void skipped() { Map<Colour, String> map = new EnumMap<>(Colour.class); }
}
"""
_JOB = (
    *("junit5 Five", "junit4 Four"),
    *("plain5 Five before after passes fails raises", "plain4 Four before - passes fails"),
)
_BROKEN = "class Broken { int n = unknown(new Gone()); String s = 1; }"


class Tools(Record, frozen=True, kw_only=True):
    """A toolchain with our own programs: everything that a command in the jail needs."""

    toolchain: JavaToolchain
    folder: str  # on this machine

    @property
    def environment(self) -> Environment:
        """Return the dependency profile that shows the JDK, JUnit and the tools."""
        return _environment("java", self.toolchain, self.folder)

    def canary(self, framework: str) -> bytes:
        """Return the class file with the two canaries under their names in the source."""
        return Path(self.folder, CANARIES[framework]).read_bytes()

    def types(self) -> KnownTypes:
        """Return the public types of the platform and of JUnit."""
        return _known_types(self.folder)

    def java(self, *arguments: str, heap_mb: int, classes: str = "") -> tuple[str, ...]:
        """Return the command line of one of the tools. `classes`: a folder after JUnit and the tools in the
        class path."""
        archive = f"-XX:SharedArchiveFile={PLACE}/{ARCHIVE}"
        return _java(self.toolchain, archive, f"-Xmx{heap_mb}m", *arguments, classes=classes)


@lru_cache(maxsize=2)  # 0.3 MB, needed for each suite
def _known_types(folder: str) -> KnownTypes:
    return known_types(Path(folder, TYPES).read_text("utf-8").split())


def class_path(toolchain: JavaToolchain, classes: str = "") -> str:
    """Return the class path: JUnit and the tools first, so that no class of a pair can replace theirs."""
    return ":".join([f"{PLACE}/{JAR}", *toolchain.shown, *([classes] if classes else [])])


def tools_folder(toolchain: JavaToolchain) -> Path:
    """Return the folder of the tools for a toolchain."""
    return cache_folder() / f"java-{_key(toolchain)}"


def check_tools(toolchain: JavaToolchain) -> None:
    """Raise PrerequisiteError if missing tools could not be cached."""
    check_place(_WHAT, tools_folder(toolchain))


def prepare_tools(toolchain: JavaToolchain, *, jail: str = "auto") -> Tools:
    """Return the tools for a toolchain, from the cache or newly built.

    Raises SandboxError if they cannot be built, PrerequisiteError if they cannot be cached.
    """
    folder = tools_folder(toolchain)
    with cache_errors(_WHAT, folder.parent):
        if not (folder / ARCHIVE).exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            _make(toolchain, folder, jail=jail)
    return Tools(toolchain=toolchain, folder=str(folder))


def _key(toolchain: JavaToolchain) -> str:
    """Return a key that changes with our sources and with each file whose time and size the archive
    records."""
    known = (PLACE, FLAGS, _FIVE, _FOUR, _JOB, _BROKEN, toolchain, toolchain.shown)
    digest = hashlib.sha256(repr(known).encode())
    for path in (*toolchain.jars, f"{toolchain.jdk}/lib/modules"):
        state = os.stat(path)
        digest.update(f"{path} {state.st_size} {state.st_mtime_ns}\n".encode())
    for name, content in _sources().items():
        digest.update(name.encode() + b"\0" + content)
    return digest.hexdigest()[:20]


def _sources() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(SOURCES.glob("*.java"))}


def _make(toolchain: JavaToolchain, folder: Path, *, jail: str) -> None:
    """Build in a temporary folder, which is renamed when complete; the second of two processes finds it
    there."""
    building = Path(tempfile.mkdtemp(prefix=".java-", dir=folder.parent))
    try:
        building.chmod(0o755)
        classes = _compiled(toolchain, building, jail)
        for name in CANARIES.values():
            (building / name).write_bytes(classes[name])
        (building / JAR).write_bytes(_jar(classes))
        (building / TYPES).write_bytes(_types(toolchain, building, jail))
        (building / ARCHIVE).write_bytes(_archive(toolchain, building, jail))
        building.rename(folder)
    except OSError:
        if not (folder / ARCHIVE).exists():
            raise
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _compiled(toolchain: JavaToolchain, building: Path, jail: str) -> Mapping[str, bytes]:
    options = (
        "-proc:none",
        "-nowarn",
        "-XDstringConcat=inline",
        "-d",
        "out",
        "-cp",
        ":".join(toolchain.shown),
    )
    argv = (f"{toolchain.jdk}/bin/javac", *(f"-J{flag}" for flag in FLAGS), *options, *sorted(_sources()))
    environment = _environment("java-compile", toolchain, str(building))
    with Sandbox(environment, limits=_BUILD, jail=jail) as box:
        outputs = _outputs(run_command(box, Command(argv=argv, files=_sources(), collect=("out",))))
    return {path.removeprefix("out/"): content for path, content in outputs.items()}


def _jar(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as jar:
        for path, content in sorted(files.items()):
            if path not in CANARIES.values():
                jar.writestr(zipfile.ZipInfo(path), content)
    return buffer.getvalue()


def _types(toolchain: JavaToolchain, building: Path, jail: str) -> bytes:
    argv = _java(toolchain, "benchwright.inside.Types", TYPES, *toolchain.shown)
    with Sandbox(_environment("java-types", toolchain, str(building)), limits=_BUILD, jail=jail) as box:
        return _outputs(run_command(box, Command(argv=argv, collect=(TYPES,))))[TYPES]


def _archive(toolchain: JavaToolchain, building: Path, jail: str) -> bytes:
    pairs = "sample\tFive.java\tFour.java\nbroken\tBroken.java\n"
    files = {
        "job": f"report\n100\n{':'.join(toolchain.shown)}\n{pairs}".encode(),
        "in/sample/Five.java": _FIVE.encode(),
        "in/sample/Four.java": _FOUR.encode(),
        "in/broken/Broken.java": _BROKEN.encode(),
    }
    environment = _environment("java-train", toolchain, str(building))
    training = ("benchwright.inside.Training", "job", "out/sample/", *_JOB)
    trained = _java(toolchain, f"-XX:ArchiveClassesAtExit={ARCHIVE}", "-Xlog:cds=error", *training)
    argv = _java(toolchain, "benchwright.inside.Cutting", ARCHIVE, "pieces", *trained)
    command = Command(argv=argv, files=files, collect=("pieces", "report"), collect_bytes=96 << 20)
    with Sandbox(environment, limits=_BUILD, jail=jail) as box:
        result = run_command(box, command)
    outputs = _outputs(result)
    pieces = [content for path, content in sorted(outputs.items()) if path.startswith("pieces/")]
    if not pieces or b"done\tsample\t" not in outputs.get("report", b""):
        raise _tools_error(result)
    return b"".join(pieces)


def _java(toolchain: JavaToolchain, *arguments: str, classes: str = "") -> tuple[str, ...]:
    return (f"{toolchain.jdk}/bin/java", *FLAGS, "-cp", class_path(toolchain, classes), *arguments)


def _environment(name: str, toolchain: JavaToolchain, folder: str) -> Environment:
    binds = (*toolchain.binds, (folder, PLACE))
    return Environment(
        name=name, preload=(), binds=binds, open_files=1024, address_limit=False, kernel_files=True
    )


def _outputs(result: CommandResult) -> dict[str, bytes]:
    if result.status != 0 or not result.files:
        raise _tools_error(result)
    return result.files


def _tools_error(result: CommandResult) -> SandboxError:
    output = result.output.decode("utf-8", "replace").strip()[-500:]
    return SandboxError(f"cannot build the tools for Java suites: {result.detail}; {output}")
