"""Traced executions tell which lines of the focal file the tests come to, in each language."""

from __future__ import annotations

import pytest

from benchwright.contracts import Suite, SuiteReport, SuiteRunner, Variation
from benchwright.executing.suite_runners import runner_for
from benchwright.judges.suites.variations import with_probes
from benchwright.lang.go.slips import probed_go
from benchwright.lang.java.slips import probed_java
from benchwright.lang.source import lay_out
from kit.needs import need_ready

pytestmark = pytest.mark.usefixtures("jail")

PYTHON = (
    """import os
LIMIT = 3


def clamp(value, low=0):
    if value > LIMIT:
        return LIMIT
    elif value < low:
        value = (
            low
        )
    return value


def unused():
    return os.getcwd()
""",
    "from clamp import clamp\n\n\ndef test_high():\n    assert clamp(9) == 3\n",
    [6, 7],
)
JAVA = (
    """package a;

public class Clamp {
    static int limit = 3;

    private final int low;

    public Clamp(int low) {
        this.low = low;
    }

    public int clamp(int value) {
        if (value > limit
                && limit > 0)
            return limit;
        else if (value < low) {
            return low;
        }
        for (int i = 0; i < 2; i++)
            value += 0;
        return value;
    }
}
""",
    """package a;

import static org.junit.jupiter.api.Assertions.assertEquals;
import org.junit.jupiter.api.Test;

class ClampTest {
    @Test
    void low() {
        System.setErr(null);
        assertEquals(2, new Clamp(2).clamp(1));
    }
}
""",
    [9, 13, 14, 16, 17, 18],
)
GO = (
    """package a

// Clamp bounds a value.
func Clamp(value, low int) int {
	if value > 3 {
		return 3
	} else if value < low {
		return low
	}
L:
	for i := 0; i < 2; i++ {
		switch value {
		case 1:
			value += 0
			continue L
		default:
			value -= 0
		}
	}
	return value
}
""",
    """package a

import "testing"

func TestOne(t *testing.T) {
	if Clamp(1, 0) != 1 {
		t.Error("not 1")
	}
}
""",
    [5, 7, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20],
)


def suite_of(lang: str, focal: str, test: str) -> Suite:
    names = {"Python": ("clamp.py", "test_clamp.py"), "Java": ("Clamp.java", "ClampTest.java")}
    focal_name, test_name = names.get(lang, ("clamp.go", "clamp_test.go"))
    return lay_out(focal, test, lang, focal_name=focal_name, test_name=test_name)


def reported(suite: Suite, *, traced: bool = True) -> SuiteReport:
    runner: SuiteRunner = runner_for(suite.lang)
    need_ready(runner.versions, f"no {suite.lang} suite can be run")
    try:
        [(_, report)] = runner.run([(3, suite)], variation=Variation(traced=traced))
    finally:
        runner.close()
    return report


@pytest.mark.parametrize(
    ("lang", "focal", "test", "lines"), [("Python", *PYTHON), ("Java", *JAVA), ("Go", *GO)], ids=str
)
def test_executed_lines(lang: str, focal: str, test: str, lines: list[int]) -> None:
    """Statements that the test comes to, not those of an import, of other branches or other functions."""
    report = reported(suite_of(lang, focal, test))

    assert (report.state, report.lines) == ("success", lines)


def test_no_lines_without_being_asked() -> None:
    """An execution for a label tells none: nothing listens in on it."""
    assert reported(suite_of("Python", *PYTHON[:2]), traced=False).lines == []


def test_threads_and_failing_tests_are_traced() -> None:
    """What a thread executes counts, and what came before a failure."""
    focal = "import threading\n\n\ndef f():\n    t = threading.Thread(target=g)\n    t.start()\n    t.join()\n    raise KeyError\n\n\ndef g():\n    return 1\n"
    test = "from clamp import f\n\n\ndef test_f():\n    f()\n"
    report = reported(suite_of("Python", focal, test))

    assert (report.kind, report.lines) == ("exception", [5, 6, 7, 8, 12])


def test_a_tracer_is_no_way_out_of_the_watch() -> None:
    """Code that sets a trace function of its own is found out where an execution decides a label."""
    focal = "import sys\n\n\ndef f():\n    sys.settrace(lambda *_: None)\n"
    test = "from clamp import f\n\n\ndef test_f():\n    f()\n"

    assert reported(suite_of("Python", focal, test), traced=False).state == "tampered"


@pytest.mark.parametrize(("probe", "code"), [(probed_java, "class {"), (probed_go, "package a\nfunc f( {")])
def test_a_file_with_a_fault_has_no_probes(probe: object, code: str) -> None:
    """The suite stays as it is."""
    suite = Suite(lang="", framework="", files={"a": code}, focal="a", test="b", cases=[])

    assert with_probes(suite, probe) == (suite, None)  # type: ignore[arg-type]


def test_what_is_printed_counts_only_where_there_is_a_probe() -> None:
    """Numbers beyond the file's probes are passed over, and so are other words."""
    suite = Suite(lang="Go", framework="go", files={"a.go": GO[0]}, focal="a.go", test="b", cases=[])
    changed, tracing = with_probes(suite, probed_go)
    assert tracing is not None
    word = changed.files["a.go"].rpartition("func ")[2].partition("(")[0].encode()

    assert tracing.lines(b"noise\n%s 1\n%s 999999\n%s x\nother 2\n" % (word, word, word)) == [6]
