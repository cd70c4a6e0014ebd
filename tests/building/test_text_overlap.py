"""Near duplicates: the true index decides, and the signature finds what is worth comparing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.text_overlap import bands, jaccard, shingles

_WORDS = st.lists(
    st.sampled_from(["alpha", "beta", "gamma", "delta", "(", ")", "=", "+", "1", "2"]), max_size=60
)


@given(_WORDS, _WORDS)
def test_the_index_is_that_of_sets(first: list[str], second: list[str]) -> None:
    """Against the definition, on the runs of five tokens themselves."""

    def runs(words: list[str]) -> set[tuple[str, ...]]:
        return {tuple(words[at : at + 5]) for at in range(max(1, len(words) - 4))}

    expected = len(runs(first) & runs(second)) / len(runs(first) | runs(second))

    assert jaccard(shingles(" ".join(first)), shingles(" ".join(second))) == expected


@given(_WORDS)
def test_layout_and_remarks_do_not_count(words: list[str]) -> None:
    """White space and lines that are comments are no difference."""
    assert shingles(" ".join(words)) == shingles("# a remark\n" + "\n\t".join(words) + "\n// another\n")


def test_equal_texts_share_every_band() -> None:
    """So an exact copy is always found."""
    marks = shingles("def f(x): return x + 1")

    assert len(set(bands(marks)) & set(bands(shingles("def f(x):\n    return x + 1")))) == 32


def test_like_texts_share_a_band_and_others_do_not() -> None:
    """One changed number in a hundred lines is found; a different text is not even compared."""
    lines = [f"total_{number} = first_{number} * second_{number} - {number}" for number in range(100)]
    text, near = "\n".join(lines), "\n".join(lines).replace("- 50", "- 51")
    far = text.replace("total", "sum").replace("first", "left").replace("second", "right")
    marks = set(bands(shingles(text)))

    assert (jaccard(shingles(text), shingles(near)) > 0.9, bool(marks & set(bands(shingles(near))))) == (
        True,
        True,
    )
    assert not marks & set(bands(shingles(far)))


def test_signatures_never_change() -> None:
    """A build is the same in every process: no hash of strings that differs by its seed."""
    assert next(iter(bands(shingles("a b c d e"))))[1][0] == 1824560975980463732
