"""Suites and build scripts that reach for the network: nobody hears of them, and no build script is started.

Each suite asserts itself that its connections fail, so "success" says that it looked and found nothing. A server
of this process counts who came by all the same.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from benchwright.contracts import Suite, SuiteReport, SuiteRunner, Variation
from benchwright.judges.suites.go import GoSuites
from benchwright.judges.suites.java import JavaSuites
from benchwright.judges.suites.python import PythonSuites
from kit.needs import need_ready
from tests.attacks.probes import both_kinds

pytestmark = [pytest.mark.usefixtures("jail"), pytest.mark.slow]
JAIL = os.environ.get("BENCHWRIGHT_TEST_JAIL", "auto")
PROOF = "/tmp/benchwright-build-script"
_CALL = "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 1)'"

PYTHON = """import socket


def calls(kind, address):
    try:
        with socket.socket(socket.AF_INET, kind) as made:
            made.settimeout(0.5)
            made.connect(address)
            made.send(b"x")
    except OSError:
        return []
    return [address] if kind == socket.SOCK_STREAM else []  # who sends a datagram cannot know


def reached():
    here = ("127.0.0.1", {port})
    return [
        *calls(socket.SOCK_STREAM, here),
        *calls(socket.SOCK_DGRAM, here),
        *calls(socket.SOCK_STREAM, ("10.0.2.2", 53)),
    ]


LOADING = reached()
"""
PYTHON_TEST = """from focal import LOADING, reached


def test_reached():
    assert LOADING == []
    assert reached() == []
"""
JAVA = """package shop;
import java.net.InetSocketAddress;
import java.net.Socket;
public class Net {
    static boolean atLoading = reached();
    public static boolean reached() {
        try (Socket made = new Socket()) {
            made.connect(new InetSocketAddress("127.0.0.1", {port}), 500);
            return true;
        } catch (java.io.IOException error) {
            return false;
        }
    }
}
"""
JAVA_TEST = """package shop;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.Test;
class NetTest {
    @Test void reached() { assertFalse(Net.atLoading || Net.reached()); }
}
"""
GO = """package shop

import (
	"net"
	"time"
)

//go:generate touch PROOF

var atLoading bool

func init() {
	atLoading = Reached()
}

func Reached() bool {
	made, err := net.DialTimeout("tcp", "127.0.0.1:{port}", 500*time.Millisecond)
	if err != nil {
		return atLoading
	}
	made.Close()
	return true
}
"""
GO_TEST = 'package shop\n\nimport "testing"\n\nfunc TestReached(t *testing.T) {\n\tif Reached() {\n\t\tt.Fatal("reached")\n\t}\n}\n'


class Server:
    """Counts connections and datagrams to one port of this machine."""

    def __init__(self, stack: ExitStack) -> None:
        self._stream, self._datagrams = map(stack.enter_context, both_kinds())
        self.port = self._stream.getsockname()[1]
        self._stream.setblocking(False)
        self._datagrams.setblocking(False)

    def visited(self) -> list[str]:
        """Who came by since it was last asked."""
        found = []
        with suppress(BlockingIOError):
            self._stream.accept()[0].close()
            found.append("connection")
        with suppress(BlockingIOError):
            found.append(f"datagram {self._datagrams.recv(64)!r}")
        return found


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that nobody should find."""
    with ExitStack() as stack:
        yield Server(stack)


def scripts(port: int) -> dict[str, str]:
    """What build tools of three languages would start, each leaving a mark and calling the server."""
    call = _CALL.format(port=port)
    shell = f"touch {PROOF}; {call}"
    python = f"import os\nos.system({shell!r})\n"
    return {
        "setup.py": python,
        "noxfile.py": python,
        "sitecustomize.py": python,
        "pytest.ini": "[pytest]\naddopts = -p setup\n",
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "setup"\nbackend-path = ["."]\n',
        "Makefile": f"all:\n\t{shell}\n",
        "build.gradle": f"['sh', '-c', {shell!r}].execute()\n",
        "gradlew": f"#!/bin/sh\n{shell}\n",
        ".mvn/jvm.config": f"-XX:OnOutOfMemoryError={PROOF}\n",
        "vendor/modules.txt": "# example.org/other v1.0.0\n",
        "go.work": "go 1.20\n\nuse .\n",
    }


def project(lang: str, port: int) -> Suite:
    """The suite of a language with all those scripts around it."""
    made = {
        "Python": ("focal.py", "test_focal.py", PYTHON, PYTHON_TEST, "pytest", "test_reached"),
        "Java": ("src/main/java/shop/Net.java", "src/test/java/shop/NetTest.java", JAVA, JAVA_TEST, "junit5", "NetTest#reached"),
        "Go": ("net.go", "net_test.go", GO, GO_TEST, "go", "TestReached"),
    }  # fmt: skip
    focal, test, code, tests, framework, case = made[lang]
    code = code.replace("{port}", str(port)).replace("PROOF", PROOF)
    module = f"module example.org/shop\n\ngo 1.20\n\nrequire example.org/other v1.0.0\n\nreplace example.org/other => 127.0.0.1:{port}/other v1.0.0\n"
    extra = {"go.mod": module} if lang == "Go" else {}
    return Suite(
        lang=lang,
        framework=framework,
        files={**scripts(port), **extra, focal: code, test: tests},
        focal=focal,
        test=test,
        cases=[case],
    )


def executed(lang: str, suite: Suite) -> SuiteReport:
    """One report; a skip where the toolchain is not there."""
    made = {
        "Python": lambda: PythonSuites(JAIL),
        "Java": lambda: JavaSuites(jail=JAIL),
        "Go": lambda: GoSuites(jail=JAIL),
    }
    runner: SuiteRunner = made[lang]()
    try:
        need_ready(runner.versions, f"no {lang} suite can be run")
        return dict(runner.run([(0, suite)], variation=Variation()))[0]
    finally:
        runner.close()


@pytest.mark.parametrize("lang", ["Python", "Java", "Go"])
def test_nobody_is_reached(server: Server, lang: str) -> None:
    """The suite finds no network, at loading, in its tests, or by the scripts that lie beside it."""
    reachable = socket.create_connection(("127.0.0.1", server.port), 1)
    reachable.close()
    proven = server.visited()
    report = executed(lang, project(lang, server.port))

    assert report.state == "success", report
    assert (proven, server.visited(), Path(PROOF).exists()) == (["connection"], [], False)
