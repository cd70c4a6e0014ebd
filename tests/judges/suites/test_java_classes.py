"""Packages, test classes, and what javac's words mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import Suite
from benchwright.judges.suites.java_classes import classes_of, package_of, reserved, unescaped
from benchwright.judges.suites.java_compiling import CompileError, described, kind_of_errors


@pytest.mark.parametrize(
    ("source", "package"),
    [
        ("package a.b;\nclass X {}", "a.b"),
        ("/* package no; */ // package no;\n  package a . b ;", "a.b"),
        ("import java.util.*;\nclass X { String s = \"package a;\"; }", ""),
        ("class X {} // package a;", ""),
        ("\\u0070ackage a.b;", "a.b"),
        ("/* \\u002a/ package c; /* */", "c"),
        ("// x \\u000a package d;", "d"),
        ("/* never closed package a;", ""),
        ("package a.имя;", "a.имя"),
        ("package", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_package(source: str, package: str) -> None:
    """Comments and escapes before the declaration are read as javac reads them."""
    assert package_of(source) == package


@given(st.text(max_size=300))
def test_any_text_has_a_package(source: str) -> None:
    """No text is too odd: the answer is a name of letters and dots, or nothing."""
    assert ";" not in package_of(source)


def test_an_escaped_backslash_escapes_nothing() -> None:
    """Two backslashes before a u are a backslash and a u; several u's are one."""
    assert unescaped("\\\\u0041 \\uuu0041 \\\\\\u0041") == "\\\\u0041 A \\\\A"


def suite(*cases: str, test: str = "package a.b;", focal: str = "package a.b;") -> Suite:
    """A suite of two files."""
    files = {"F.java": focal, "T.java": test}
    return Suite(lang="Java", framework="junit5", files=files, focal="F.java", test="T.java", cases=[*cases])


def test_classes_of_the_cases() -> None:
    """Outer classes with their package, each once, in the order of the cases."""
    cases = ("T#a", "T$In#b", "U#c", "T#d")

    assert (classes_of(suite(*cases)), classes_of(suite("T#a", test=""))) == (["a.b.T", "a.b.U"], ["T"])


def test_reserved_packages() -> None:
    """Class files in packages of the runner are named; others are not."""
    theirs = reserved(["a/B.class", "org/junit/jupiter/api/X.class"])

    assert (
        theirs,
        reserved(["a/org/junit/X.class", "junit5/X.class"]),
    ) == ("org/junit/jupiter/api/X.class", "")


def error(message: str, code: str = "x") -> CompileError:
    """One error of javac."""
    return CompileError(code=code, file="F.java", line=3, message=message)


@pytest.mark.parametrize(
    ("messages", "kind"),
    [
        (["';' expected"], "compile"),
        (["incompatible types: String cannot be converted to int"], "compile"),
        (["cannot find symbol\n  symbol:   method f()\n  location: class T"], "compile"),
        (["cannot find symbol\n  symbol:   class Gone\n  location: class T"], "import"),
        (["package a.b.c does not exist"], "import"),
        (["package java.utl does not exist"], "import"),
        (["package org.mockito does not exist", "cannot find symbol\n  symbol:   class Gone"], "environment"),
        (["incompatible types", "package org.mockito does not exist"], "environment"),
        (["package a.b.c does not exist", "package org.mockito does not exist"], "environment"),
    ],
)
def test_kinds_of_errors(messages: list[str], kind: str) -> None:
    """A library that is absent, a name of the project that is, and all else."""
    assert kind_of_errors([error(each) for each in messages], suite()) == kind


def test_errors_for_people() -> None:
    """Three at most, each on one line with its place."""
    text = described([error("a\n  b"), error("c"), error("d"), error("e")])

    assert text == "F.java:3: a b; F.java:3: c; F.java:3: d"
