"""Packages, test classes, renamed class files, and what javac's words mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import Suite
from benchwright.judges.suites.java_diagnostics import CompileError, described, kind_of_errors
from benchwright.judges.suites.java_equality import careless_classes
from benchwright.judges.suites.java_sources import classes_of, package_of, renamed, reserved, unescaped


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


def test_a_class_file_gets_other_names() -> None:
    """Only entries of the constant pool that are wholly a name change; two-place entries are stepped over."""
    text = lambda word: b"\x01" + len(word).to_bytes(2) + word  # noqa: E731
    pool = [
        text(b"Old"),
        b"\x05" + bytes(8),
        text(b"OldOther"),
        b"\x07\x00\x01",
        b"\x0f" + bytes(3),
        text(b"m"),
    ]
    head = b"\xca\xfe\xba\xbe" + bytes(4) + (8).to_bytes(2)
    made = renamed(head + b"".join(pool) + b"Old m rest", {"Old": "pkg/Newer", "m": "имя"})
    pool[0], pool[5] = text(b"pkg/Newer"), text("имя".encode())

    assert head + b"".join(pool) + b"Old m rest" == made


def class_file(code: bytes, *, flags: int = 1, kind: bytes = b"(Ljava/lang/Object;)Z") -> bytes:
    """A class with one field, and one method named equals."""
    texts = [b"equals", kind, b"Code", b"field"]
    pool = b"".join(b"\x01" + len(text).to_bytes(2) + text for text in texts)
    body = bytes(4) + len(code).to_bytes(4) + code + bytes(4)
    field = b"\x00\x01" + bytes(2) + b"\x00\x04\x00\x02\x00\x00"
    attribute = b"\x00\x03" + len(body).to_bytes(4) + body
    method = b"\x00\x01" + flags.to_bytes(2) + b"\x00\x01\x00\x02\x00\x01" + attribute
    return bytes(8) + b"\x00\x05" + pool + bytes(6) + b"\x00\x01\x00\x02" + field + method


@pytest.mark.parametrize(
    ("data", "careless"),
    [
        (class_file(b"\x04\xac"), True),
        (class_file(b"\x2a\x2b\xa6"), False),
        (class_file(b"\x19\x01\xac"), False),
        (class_file(b"\x04\xac", flags=0x0401), False),
        (class_file(b"\x04\xac", kind=b"(LCart;)Z"), False),
        (class_file(b"\x04\xac")[:-6], False),
        (b"(Ljava/lang/Object;)Z", False),
    ],
)
def test_an_equals_that_does_not_look(data: bytes, careless: bool) -> None:
    """Only a method of that name and type, with code that never loads its argument, is found."""
    assert careless_classes({"a/B.class": data}) == (["a.B"] if careless else [])


@given(st.binary(max_size=60), st.integers(0, 60), st.binary(max_size=8))
def test_any_bytes_may_stand_for_a_class(start: bytes, at: int, patch: bytes) -> None:
    """Bytes that are no class file, or one with a hole, raise nothing."""
    whole = class_file(b"\x04\xac")
    for data in (start + b"(Ljava/lang/Object;)Z", whole[:at] + patch + whole[at + len(patch) :]):
        assert careless_classes({"B.class": data}) in (["B"], [])


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
