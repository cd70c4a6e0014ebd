"""Helpers, fixtures and tables that only the tests cut out of a file used go with them, and nothing else does."""

from __future__ import annotations

import pytest

from benchwright.lang.protocol import Case
from benchwright.lang.source import cases, only_case

_PYTHON = """import pytest

TABLE = [1, 2]
DEEP = {"a": 1}
SEEN = register()


@pytest.fixture
def thing():
    return 3


@pytest.fixture(autouse=True)
def always():
    yield


def helper(x):
    return deep(x)


def deep(x):
    return DEEP


def setup_module():
    deep(1)


class Fake:
    def go(self):
        return helper(1)


def test_kept():
    assert TABLE


def test_gone(thing):
    assert helper(thing) and Fake() and SEEN
"""
_GO = """package a

import (
	"fmt"
	"testing"
)

type pair struct{ a, b int }

func (p pair) sum() int { return p.a + p.b }

var table = []pair{{1, 2}}

var made = build()

func helper() { fmt.Println(table) }

func TestKept(t *testing.T) { t.Log("kept") }

func TestGone(t *testing.T) { helper(); t.Log(made) }

func BenchmarkGone(b *testing.B) { helper() }

func (s *Stack) peek() int { return 1 }
"""


def _cut(code: str, name: str, lang: str) -> str:
    return only_case(code, next(case for case in cases(code, lang) if case.name == name), lang)


def test_python() -> None:
    """What a hook still needs stays, and so do fixtures for all and values that a call made."""
    kept = _cut(_PYTHON, "test_kept", "Python")

    assert all(
        word in kept for word in ("TABLE = ", "SEEN = ", "def always", "def deep", "DEEP = ", "setup_module")
    )
    assert not any(word in kept for word in ("def thing", "def helper", "class Fake", "test_gone"))


def test_python_keeps_all_that_the_case_needs() -> None:
    """Through helpers of helpers."""
    kept = _cut(_PYTHON, "test_gone", "Python")

    assert all(word in kept for word in ("def thing", "def helper", "def deep", "DEEP = ", "class Fake"))
    assert "TABLE" not in kept


@pytest.mark.parametrize(
    "staying",
    ["def test_kept():\n    assert globals()[name()]\n", "def test_kept():\n    patch('mod.helper')\n"],
)
def test_python_names_in_texts_count(staying: str) -> None:
    """A text may be a name, and where names are looked up any name may be meant."""
    code = f"def helper():\n    return 1\n\n\n{staying}\n\ndef test_gone():\n    assert helper()\n"

    assert "def helper" in _cut(code, "test_kept", "Python")


def test_python_methods_of_plain_test_classes() -> None:
    """They go as functions do; those of a class whose base is not known here may be called by it."""
    body = "    def helper(self):\n        return 1\n\n    def test_kept(self):\n        assert 1\n\n"
    body += "    def test_gone(self):\n        assert self.helper()\n"

    assert "helper" not in _cut(f"class TestX:\n{body}", "TestX::test_kept", "Python")
    assert "helper" in _cut(f"class TestX(Base):\n{body}", "TestX::test_kept", "Python")


def test_python_unused_before_stays() -> None:
    """Imports that were unused before stay."""
    code = "SPARE = 1\n\n\ndef test_kept():\n    assert 1\n\n\ndef test_gone():\n    assert 2\n"

    assert "SPARE" in _cut(code, "test_kept", "Python")


def test_go() -> None:
    """Types go with their methods, benchmarks always; a variable made by a call stays, and so do others' methods."""
    kept = _cut(_GO, "TestKept", "Go")

    assert not any(word in kept for word in ("helper", "table", "pair", "fmt", "Benchmark"))
    assert "made = build()" in kept
    assert "peek" in kept


def test_go_keeps_all_that_the_case_needs() -> None:
    """A type that is named by a variable alone, too."""
    kept = _cut(_GO, "TestGone", "Go")

    assert all(word in kept for word in ("func helper", "var table", "type pair", "sum()", '"fmt"'))


def test_a_test_that_another_one_names_is_never_cut_itself() -> None:
    """A test's name in another's text makes it no helper."""
    code = 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) { t.Log(1) }\n\n'
    code += 'func TestB(t *testing.T) { t.Log("TestA") }\n'

    assert "func TestA" in _cut(code, "TestA", "Go")


_JAVA_HELPERS = """package shop;

import java.util.List;
import org.junit.Test;

public class CartTest {
    private static final int LIMIT = 3;
    private static final int OTHER = 4;
    private final List<String> made = List.of("a");

    @Test
    public void kept() {
        check(LIMIT);
    }

    @Test
    public void cut() {
        twice(OTHER);
        new Multiplier().run(made);
    }

    private static void check(int n) {
        assert n > 0;
    }

    private static int twice(int n) {
        return half(n) * 4;
    }

    private static int half(int n) {
        return n / 2;
    }

    static class Multiplier {
        void run(List<String> given) { }
    }
}

class Outside { }
"""


def test_java_helpers_of_other_cases_go() -> None:
    """Methods, fields and classes that only the cut cases name, and what only those name in turn."""
    cut = only_case(_JAVA_HELPERS, _case(_JAVA_HELPERS, "CartTest#kept", "Java"), "Java")
    other = only_case(_JAVA_HELPERS, _case(_JAVA_HELPERS, "CartTest#cut", "Java"), "Java")

    assert [word for word in ("OTHER", "twice", "half", "Multiplier") if word in cut] == []
    assert [word for word in ("LIMIT", "check(", "Outside", "made") if word not in cut] == [
        "made"
    ] or "made" in cut
    assert [word for word in ("OTHER", "twice", "half", "Multiplier", "made") if word not in other] == []
    assert "LIMIT" not in other and "check(" not in other


def test_java_members_that_a_runner_may_look_for() -> None:
    """Annotations, texts that name a method, values of calls, and what nothing used before."""
    code = _JAVA_HELPERS.replace("    private static int half", "    @Rule\n    private static int half")
    code = code.replace("LIMIT = 3", 'LIMIT = "twice".length()').replace("OTHER = 4", "OTHER = make()")
    cut = only_case(code, _case(code, "CartTest#kept", "Java"), "Java")

    assert all(word in cut for word in ("half", "int twice", "OTHER", "Outside"))


def _case(code: str, name: str, lang: str) -> Case:
    return next(each for each in cases(code, lang) if each.name == name)
