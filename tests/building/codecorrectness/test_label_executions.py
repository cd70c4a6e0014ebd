"""Failures before the first test: told apart by what the two texts show."""

from __future__ import annotations

import pytest

from benchwright.building.codecorrectness.label_executions import (
    is_readable,
    kind_of_failure,
    label_from_executions,
)
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.contracts import Variation
from benchwright.errors import DataError
from benchwright.executing.suite_ledger import Execution
from benchwright.records import Drop
from kit.made_candidates import candidate

_PLACE = "/tmp/project/sum_1.py"
_JAVA = {"lang": "Java", "focal_code": "class Sums { int one; }", "test_code": "class SumsTest { }"}


@pytest.mark.parametrize(
    ("detail", "is_shown"),
    [
        (f"ImportError: cannot import name 'gone' from 'sum_1' ({_PLACE})", True),
        (f"ImportError: cannot import name 'sum_1' from 'sum_1' ({_PLACE})", False),
        ("ImportError: cannot import name 'gone' from 'json' (/usr/lib/python3.11/json/__init__.py)", False),
        ("ModuleNotFoundError: No module named 'sums'", False),
        ("", False),
    ],
    ids=["a name that the file lacks", "one that it has", "of another module", "a module", "nothing told"],
)
def test_python(detail: str, is_shown: bool) -> None:
    """A name that is nowhere in the focal file can be looked for; a module that is not there cannot."""
    assert is_readable(candidate(), "import", detail) is is_shown


def test_a_star_may_bring_any_name() -> None:
    """Whether the focal file has a name is then not in its text."""
    row = candidate(focal_code="from elsewhere import *\n")

    assert not is_readable(row, "import", f"ImportError: cannot import name 'a' from 'sum_1' ({_PLACE})")


@pytest.mark.parametrize(
    ("detail", "is_shown"),
    [
        ("a.go:3:2: undefined: Sum", True),
        ('a.go:3:2: "os" imported and not used; a.go:9:2: declared and not used: x', True),
        ("./a_test.go:3:20: cannot use 1 (untyped int constant) as string value in argument to f", True),
        ("a.go:3:2: undefined: slices.Backward", False),
        ('a.go:3:2: undefined: Sum; a.go:4:1: could not import "x/y" (file not found)', False),
        ("the compiler was ended by signal 9", False),
        ("a.go:1:1: package requires newer Go version go1.99", False),
    ],
)
def test_go(detail: str, is_shown: bool) -> None:
    """Each error that is told must be of the two files, not of what is installed."""
    assert is_readable(candidate(lang="Go"), "compile", detail) is is_shown


@pytest.mark.parametrize(
    ("detail", "is_shown"),
    [
        ("Sums.java:3: incompatible types: String cannot be converted to int", True),
        ("SumsTest.java:3: cannot find symbol symbol: method two() location: class Sums", True),
        ("SumsTest.java:3: cannot find symbol symbol: method two() location: variable s of type Sums", True),
        ("SumsTest.java:3: cannot find symbol symbol: class Gone location: package a.b", False),
        ("SumsTest.java:3: cannot find symbol symbol: method two() location: class Elsewhere", False),
        ("Sums.java:3: cannot find symbol symbol: variable B64 location: class Sums", False),
        ("Sums.java:3: cannot find symbol symbol: variable total location: class Sums", True),
        ("javac: was ended by signal 9", False),
    ],
)
def test_java(detail: str, is_shown: bool) -> None:
    """A member of a class that is there is in the texts or not; another class may be anywhere."""
    assert is_readable(candidate(**_JAVA), "compile", detail) is is_shown


def test_no_rules_of_another_language_are_applied() -> None:
    """An unknown language is an error; the rules of another language do not apply."""
    detail = "Sums.java:3: incompatible types: String cannot be converted to int"
    with pytest.raises(DataError, match="language 'Kotlin' is not supported for test suites"):
        is_readable(candidate(lang="Kotlin"), "compile", detail)


def test_the_grammar_is_a_kind_of_its_own() -> None:
    """What the runners call compiling is "syntax" where the text does not parse."""
    torn = candidate(focal_code="def f(:\n")

    assert (kind_of_failure(torn, "compile"), kind_of_failure(candidate(), "compile")) == (
        "syntax",
        "compile",
    )
    assert kind_of_failure(torn, "assertion") == "assertion"


def _runs(kind: str, detail: str) -> list[Execution]:
    return [
        Execution(
            key=str(number),
            row="r",
            lang="Python",
            variation=Variation(number=number),
            state="failed",
            kind=kind,
            detail=detail,
        )
        for number in range(2)
    ]


@pytest.mark.parametrize(
    ("subset", "after"), [("original", "broken"), ("history", "history"), ("generated", "generated")]
)
def test_a_row_that_is_broken_of_itself(subset: str, after: str) -> None:
    """A repository's own becomes a row of the subset "broken"; others stay what they are."""
    detail = f"ImportError: cannot import name 'gone' from 'sum_1' ({_PLACE})"
    row = label_from_executions(candidate(subset=subset, origin="somewhere"), _runs("import", detail))

    assert isinstance(row, Candidate)
    assert (row.subset, row.label, row.kind, row.runs) == (after, "failed", "import", 2)
    assert row.origin == ("as its repository has it" if after == "broken" else "somewhere")


def test_what_the_texts_do_not_show_stays_a_drop() -> None:
    """By the same name as ever; unless we broke the file ourselves."""
    runs = _runs("import", "ModuleNotFoundError: No module named 'sums'")
    dropped, made = (
        label_from_executions(candidate(), runs),
        label_from_executions(candidate(subset="broken"), runs, made=True),
    )

    assert isinstance(dropped, Drop) and dropped.reason == "fails_by_import"
    assert isinstance(made, Candidate) and (made.subset, made.kind) == ("broken", "import")
    still = label_from_executions(candidate(), _runs("timeout", ""), made=True)
    assert isinstance(still, Drop) and still.reason == "fails_by_timeout"
