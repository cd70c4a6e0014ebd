"""The grammar of closing keywords, against texts that are made from it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.alignment.keywords import closing_references

WORDS = ("close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved")
numbers = st.integers(1, 999_999_999)
names = st.from_regex(r"[a-z][a-z0-9-]{0,8}/[a-z][a-z0-9._]{0,8}[a-z]", fullmatch=True)
words = st.sampled_from(WORDS).flatmap(lambda word: st.sampled_from((word, word.upper(), word.title())))
gaps = st.sampled_from((" ", ": ", ":", ":  ", "  ", "\n"))
fillers = st.sampled_from((" and also ", ". ", "; this ", "\n", " (see the notes) "))


@st.composite
def references(draw: st.DrawFn) -> tuple[str, str]:
    """A reference as it is written, and the subject that it means."""
    number, name = draw(numbers), draw(names)
    return draw(
        st.sampled_from(
            (
                (f"#{number}", f"issue:{number}"),
                (f"GH-{number}", f"issue:{number}"),
                (f"owner/name#{number}", f"issue:{number}"),
                (f"{name}#{number}", f"{name}#{number}"),
                (f"https://github.com/{name}/issues/{number}", f"{name}#{number}"),
                (f"https://github.com/owner/name/pull/{number}", f"issue:{number}"),
            )
        )
    )


@given(st.lists(st.tuples(words, gaps, references(), fillers), min_size=1, max_size=5))
def test_every_reference_of_a_sentence_is_found(parts: list[tuple[str, str, tuple[str, str], str]]) -> None:
    text = "".join(f"{word}{gap}{written}{filler}" for word, gap, (written, _), filler in parts)
    found = list(closing_references(text, "owner/name"))
    assert [each.issue for each in found] == [meant for _, _, (_, meant), _ in parts]
    assert [each.keyword for each in found] == [word.lower() for word, *_ in parts]


@given(
    words,
    gaps,
    references(),
    st.sampled_from(("<!-- {} -->", "```\n{}\n```", "~~~ text\n{}\n~~~\n", "<!--{}")),
)
def test_hidden_text_closes_nothing(word: str, gap: str, reference: tuple[str, str], frame: str) -> None:
    assert not list(closing_references("Text.\n" + frame.format(f"{word}{gap}{reference[0]}")))


@given(words, references(), st.sampled_from(("`{}`", "``{}``", "see `{}` there")))
def test_code_in_a_line_closes_nothing(word: str, reference: tuple[str, str], frame: str) -> None:
    assert not list(closing_references(frame.format(f"{word} {reference[0]}")))


@given(st.lists(references(), min_size=2, max_size=5), st.sampled_from((", ", " and ", ", and ", " & ")))
def test_a_list_after_one_keyword_is_marked(listed: list[tuple[str, str]], comma: str) -> None:
    text = "Fixes " + comma.join(written for written, _ in listed)
    found = list(closing_references(text, "owner/name"))
    assert [(each.issue, each.listed) for each in found] == [
        (meant, place > 0) for place, (_, meant) in enumerate(listed)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "prefixes #3", "hotfix#3", "fix #3a", "fix 3", "fixes # 3", "fix #0", "bug-fixes #3", "fixing #3",
        "does not fix #3", "doesn't fix #3", "fixes `x` #3", "closes GH-3x", "path/fix #3", "fixes\0#3",
    ],
)  # fmt: skip
def test_near_misses_close_nothing(text: str) -> None:
    assert not list(closing_references(text))


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    for each in closing_references(text):
        assert each.keyword in WORDS


def test_a_long_text_of_backticks_takes_linear_time() -> None:
    assert not list(closing_references("`" * 200_000 + "<!--" * 50_000))
