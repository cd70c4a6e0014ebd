"""Accuracy by rule: annotations and comments, place, likeness, languages, and names that exist."""

from __future__ import annotations

import pytest

from benchwright.judges.comments.accuracy import PLACE, UNKNOWN, CommentAccuracy, accuracy
from kit.comment_kit import a_spec, answered

CODE = "def f(items):\n    total = 0\n    for item in items:\n        total += item.price\n    return total\n"
ONE = "Prices of the basket are added up one by one."
TWO = "An empty basket costs nothing."


def with_comments(*comments: tuple[int, str]) -> str:
    lines = CODE.split("\n")
    for line, text in sorted(comments, reverse=True):
        given = lines[line - 1]
        lines.insert(line - 1, given[: len(given) - len(given.lstrip())] + f"# {text}")
    return "\n".join(lines)


def found(*comments: tuple[int, str], **more: str) -> CommentAccuracy:
    annotations = [] if more else [(3, ONE), (5, TWO)]
    return accuracy(answered(with_comments(*comments), a_spec(CODE, *annotations, **more)))


def test_the_references_themselves_are_right() -> None:
    """At their lines, or one line away."""
    assert found((3, ONE), (5, TWO)).f1 == 1.0
    assert found((4, ONE), (5, TWO)).f1 == 1.0
    assert found((2, ONE), (5, TWO)).f1 == 1.0


def test_place_and_words_both_count() -> None:
    """Two lines away is nowhere; other words are worth the place alone, general ones nothing."""
    assert found((1, ONE), (5, TWO)).f1 == pytest.approx(0.5)
    assert found((3, "the total grows"), (5, "the elements are visited")).f1 == pytest.approx(PLACE)
    assert found((3, "an important step"), (5, "this matters")).f1 == 0
    assert found((3, TWO), (5, ONE)).f1 < 0.5  # type: ignore[operator]


def test_precision_and_recall_are_apart() -> None:
    """What is too much costs precision, what is missing recall; documentation is no claim about a line."""
    much, little = found((1, "f"), (3, ONE), (5, TWO)), found((3, ONE))
    assert (much.precision, much.recall) == (pytest.approx(2 / 3), 1.0)
    assert (little.precision, little.recall, little.f1) == (1.0, 0.5, pytest.approx(2 / 3))
    docstring = with_comments((3, ONE), (5, TWO)).replace(":\n", ':\n    """All of it."""\n', 1)
    assert accuracy(answered(docstring, a_spec(CODE, (3, ONE), (5, TWO)))).precision == 1.0


def test_annotations_of_one_line_are_one() -> None:
    """They are put together."""
    spec = a_spec(CODE, (3, ONE), (3, TWO))
    both = accuracy(answered(with_comments((3, f"{ONE} {TWO}")), spec))
    assert both.f1 == 1.0


def test_a_reference_on_the_whole() -> None:
    """Is answered by the documentation that is most like it, wherever it stands."""
    documented = CODE.replace(":\n", ':\n    """Adds up all prices."""\n', 1)
    spec = a_spec(CODE, comment="Adds up all prices.")
    assert accuracy(answered(documented, spec)).f1 == 1.0
    assert accuracy(answered(with_comments((1, "Adds up all prices.")), spec)).f1 == 1.0


def test_across_languages_names_are_compared() -> None:
    """A Russian comment is held against an English reference by place and by names of the code."""
    spec = a_spec(CODE, (3, "Each `item` of items is visited."))
    russian = accuracy(answered(with_comments((3, "Перебираем каждый item из items.")), spec))
    without = accuracy(answered(with_comments((3, "Перебираем все покупки по одной.")), spec))
    assert (russian.across, russian.f1) == (1, 1.0)
    assert (without.across, without.f1) == (1, PLACE)
    same = a_spec(CODE, (3, "Перебираем все покупки по одной."))
    assert accuracy(answered(with_comments((3, "Перебираем все покупки по одной.")), same)).f1 == 1.0


def test_names_must_exist() -> None:
    """Each mention counts once; names of the language and the code are there."""
    said = found(
        (3, "`items` are `Basket` rows; `len()` of item.price, `items` and missing_name raise TypeError")
    )
    assert said.absent == ("Basket", "missing_name")
    assert said.truth == pytest.approx(1 - 2 / 5)
    assert said.f1 and said.value == pytest.approx(said.f1 * said.factor) and 0.5 <= said.factor < 1


def test_nothing_to_hold_it_against() -> None:
    """No reference and no name: the rules do not know."""
    plain = accuracy(answered(with_comments((3, "one by one")), a_spec(CODE)))
    assert (plain.f1, plain.truth, plain.value) == (None, None, UNKNOWN)
    named = accuracy(answered(with_comments((3, "`items` one by one")), a_spec(CODE)))
    assert (named.value, named.truth) == (UNKNOWN, 1.0)
