"""The Java line of `benchmarks.suites`: pairs made here, and `javac` with JUnit's console for each.

    ./run bench suites java --pairs 20 400

The pairs are harmless, so the usual commands run them without a sandbox, as their users do. There are two
peers: the programs as they are, which is how build tools start them, and with the flags that a user who knows
the JVM would give short runs: C1 alone and the serial collector. An archive of ConsoleLauncher's own classes
(AppCDS) was tried for the second and saved nothing.
"""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from benchmarks.suites_ground import Contest, Peer, lay_out, passed
from benchwright.contracts import Suite
from benchwright.errors import PrerequisiteError
from benchwright.judges.suites.java import JavaSuites
from benchwright.judges.suites.java_toolchain import JavaToolchain, find_toolchain
from benchwright.judges.suites.java_tools import prepare_tools

HINT = "apt-get install junit5    (or: BENCHWRIGHT_JUNIT, a folder that has these jars too)"
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")
_CONSOLE = ("junit-platform-console.jar", "junit-platform-reporting.jar", "picocli.jar")
_FOCAL = """package shop.item{n};

import java.util.*;
import java.util.stream.Collectors;

public class Basket {{
    private final Map<String, Integer> counts = new TreeMap<>();

    public int add(String name) {{
        if (name == null) throw new IllegalArgumentException("no name");
        return counts.merge(name, 1, Integer::sum);
    }}

    public int shift(int value) {{
        return value {sign} {n};
    }}

    public String list(String sep) {{
        return counts.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(sep));
    }}
}}
"""
_TEST = """package shop.item{n};

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BasketTest {{
    private Basket basket;

    @BeforeEach
    void make() {{
        basket = new Basket();
    }}

    @Test
    void shifts() {{
        assertEquals(1 + {n}, basket.shift(1));
    }}

    @Test
    void counts() {{
        basket.add("a");
        assertEquals(2, basket.add("a"));
        assertEquals("a=2", basket.list(","));
    }}

    @Test
    void refuses() {{
        assertThrows(IllegalArgumentException.class, () -> basket.add(null));
    }}
}}
"""


def java_pair(number: int, sign: str) -> Suite:
    """A focal class of three methods and three tests; it passes with the sign "+"."""
    n = number + 1
    folder = f"shop/item{n}"
    focal, test = f"src/{folder}/Basket.java", f"test/{folder}/BasketTest.java"
    return Suite(
        lang="Java",
        framework="junit5",
        files={focal: _FOCAL.format(n=n, sign=sign), test: _TEST.format(n=n)},
        focal=focal,
        test=test,
        cases=["BasketTest#shifts", "BasketTest#counts", "BasketTest#refuses"],
    )


def java_prepare() -> None:
    """Make our tools, and see that the peers have theirs."""
    toolchain = find_toolchain()
    _console(toolchain)
    prepare_tools(toolchain)


def java_runner() -> JavaSuites:
    """Ours."""
    return JavaSuites()


def java_usual(suite: Suite, folder: Path, *, flags: tuple[str, ...] = ()) -> bool:
    """Two JVMs from cold; whether the tests passed. Annotation processors are off where there are flags."""
    jdk, jars = _found()
    sources = [path for path in suite.files if path.endswith(".java")]
    lay_out(suite, folder)
    quick = [*(f"-J{flag}" for flag in flags), *(["-proc:none"] if flags else [])]
    if not passed([f"{jdk}/bin/javac", *quick, "-d", "out", "-cp", jars, *sources], folder):
        return False
    console = ["org.junit.platform.console.ConsoleLauncher", "--scan-class-path", "out", "--disable-banner"]
    return passed([f"{jdk}/bin/java", *flags, "-cp", f"{jars}:out", *console], folder)


@cache
def _found() -> tuple[str, str]:
    toolchain = find_toolchain()
    return toolchain.jdk, ":".join([*toolchain.jars, *_console(toolchain)])


def _console(toolchain: JavaToolchain) -> list[str]:
    folder = Path(toolchain.jars[0]).parent
    missing = [name for name in _CONSOLE if not (folder / name).exists()]
    if missing:
        raise PrerequisiteError(f"{folder} has no {', '.join(missing)}, which the peer runs with", hint=HINT)
    return [str(folder / name) for name in _CONSOLE]


CONTEST = Contest(
    pair=java_pair,
    runner=java_runner,
    peers=(
        Peer("JUnit", "`javac`, `ConsoleLauncher`", java_usual),
        Peer(
            "JUnit, tuned",
            "the same with C1 and the serial collector",
            partial(java_usual, flags=QUICK),
            goal="at least 6 times",
        ),
    ),
    goal="at least 10 times",
    sampled=5,
    prepare=java_prepare,
)
