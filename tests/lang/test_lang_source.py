"""A language that stands in the table alone: every question is answered by its object."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchwright import registry
from benchwright.errors import DataError
from benchwright.lang import languages
from benchwright.lang.languages import language, language_of
from benchwright.lang.protocol import Case
from benchwright.lang.source import (
    cases,
    defining_file,
    focal_for,
    imports,
    is_test_path,
    lay_out,
    mutants,
    only_case,
    syntax_fault,
    tags,
    unresolved,
)
from benchwright.lang.source_errors import MAX_BYTES, CuttingError, LayoutError

TEST = "use shop/cart.lines\ntest one\ntest two\n"


@pytest.fixture(autouse=True)
def _made_language(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(registry.LANGUAGES, "Lines", "kit.made_language:LINES")  # type: ignore[arg-type]
    monkeypatch.setattr(languages, "LANGUAGES", (*languages.LANGUAGES, "Lines"))
    _forget()
    yield
    _forget()


def _forget() -> None:
    for cached in (languages._loaded, languages._by_suffix, languages._names):
        cached.cache_clear()


def test_names() -> None:
    """Its spelling, and each of its suffixes."""
    assert [language(name).name for name in ("Lines", "LN")] == ["Lines"] * 2
    assert [found and found.name for found in map(language_of, ("a.lines", "b.ln", "c.txt"))] == [
        "Lines",
        "Lines",
        None,
    ]


def test_questions() -> None:
    """Each question of the facade, with what the facade itself adds."""
    suite = lay_out("one\n", TEST, "Lines", focal_name="focal.lines")

    assert [each.name for each in cases(TEST, "Lines")] == suite.cases == ["one", "two"]
    assert [each.module for each in imports(TEST, "ln")] == unresolved(suite) == ["shop/cart.lines"]
    assert [each.code for each in mutants("ab\n", "Lines")] == ["AB\n"]
    assert str(syntax_fault("a\tb", "Lines")) == "a tab (line 1)"
    assert tags("one\n", TEST, "Lines") == {
        "focal_lines": 1,
        "test_lines": 3,
        "focal_syntax": True,
        "test_syntax": True,
        "framework": "",
        "cases": 2,
        "asserts": 0,
        "parametrised": False,
        "dynamic_cases": False,
        "imports": {"standard": [], "third_party": [], "project": ["shop/cart.lines"], "relative": []},
        "focal_uses": ["time"],
        "test_uses": ["time"],
    }


def test_a_cut_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a language leaves of a file must parse and hold exactly the one case."""
    kept = Case(name="two", first_line=3, last_line=3)
    assert only_case(TEST, kept, "Lines") == "use shop/cart.lines\ntest two\n"
    for cut, words in ((TEST, "one, two would be left"), ("test two\n\t", "does not parse: a tab")):
        monkeypatch.setattr(language("Lines"), "cut", lambda code, name, cut=cut: cut)
        with pytest.raises(CuttingError, match=words) as caught:
            only_case(TEST, kept, "Lines")
        assert caught.value.reason == "entangled"


def test_pairs() -> None:
    """By its own habits of naming: a file, a package, and nothing of another language."""
    files = ["shop/cart.lines", "shop/index.lines", "shop/cart.py", "other/bill.ln"]

    assert [is_test_path(path) for path in ("a/cart-spec.lines", "a/cart_test.lines")] == [True, False]
    assert focal_for("tests/cart-spec.lines", files, TEST) == "shop/cart.lines"
    assert focal_for("tests/shop-spec.lines", files, "") == "shop/index.lines"
    assert focal_for("tests/bill-spec.lines", files, "") == "other/bill.ln"
    assert defining_file("shop/index.lines", "", TEST, files) == "shop/index.lines"


def test_what_the_facade_refuses() -> None:
    """Texts over the limit in every language, and unknown languages."""
    with pytest.raises(LayoutError) as caught:
        lay_out("a" * (MAX_BYTES + 1), TEST, "Lines")
    with pytest.raises(DataError, match="'Columns' is not supported"):
        cases(TEST, "Columns")

    assert caught.value.reason == "too_large"
