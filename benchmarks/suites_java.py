"""The Java line of `benchmarks.suites`: pairs made here, and `javac` with JUnit's console for each.

    ./run python -m benchmarks.suites java --pairs 20 400

The pairs are harmless, so the usual command runs them without a sandbox, as its users do.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchwright.contracts import Suite
from benchwright.errors import PrerequisiteError
from benchwright.judges.suites.java import JavaSuites
from benchwright.judges.suites.java_toolchain import HINT, Toolchain, find_toolchain

PEER = "javac and JUnit's ConsoleLauncher, once for each pair"
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


def java_runner() -> JavaSuites:
    """Ours."""
    return JavaSuites()


def java_usual(suite: Suite, folder: Path) -> bool:
    """Two JVMs from cold, as build tools start them; whether the tests passed."""
    toolchain = find_toolchain()
    jars = ":".join([*toolchain.jars, *_console(toolchain)])
    sources = []
    for path, text in suite.files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        sources.append(path)
    if not _ran([f"{toolchain.jdk}/bin/javac", "-d", "out", "-cp", jars, *sources], folder):
        return False
    console = ["org.junit.platform.console.ConsoleLauncher", "--scan-class-path", "out", "--disable-banner"]
    return _ran([f"{toolchain.jdk}/bin/java", "-cp", f"{jars}:out", *console], folder)


def _console(toolchain: Toolchain) -> list[str]:
    folder = Path(toolchain.jars[0]).parent
    missing = [name for name in _CONSOLE if not (folder / name).exists()]
    if missing:
        raise PrerequisiteError(f"{folder} has no {', '.join(missing)}, which the peer runs with", hint=HINT)
    return [str(folder / name) for name in _CONSOLE]


def _ran(command: Sequence[str], folder: Path) -> bool:
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0
