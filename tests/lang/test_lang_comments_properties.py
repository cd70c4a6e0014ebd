"""Comments put anywhere, or all taken away: the code stays the same, and each knows its place."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.comment_reading import anchors, first_change, read_comments
from kit.examples import examples

PYTHON = """import os

@cache
def largest(values, *, least=0):
    best = least
    for value in values:
        if value > best and (
            value < 10
            or value == 12
        ):
            best = value
        elif not value:
            raise ValueError(f"no {value!r} # here")
    return {
        "best": best,
        "name": "# none",
    }

class Store(dict):
    size = 1
    def get(self, key): return self[key]
"""
JAVA = """package com.acme;
import java.util.List;
public class Store<K> extends Base {
    private int size = 1;
    @Override
    public int largest(List<Integer> values,
            int least) throws StoreException {
        String name = "// none";
        for (int value : values) {
            if (value > least && value < 10
                    || value == 12) {
                least = value;
            } else {
                throw new StoreException("/* no */");
            }
        }
        return size + least;
    }
}
"""
GO = """package store
import (
\t"errors"
)
type Store struct {
\tsize int
}
func (s *Store) Largest(values []int,
\tleast int) (int, error) {
\tname := "// none" + `/* raw */`
\tfor _, value := range values {
\t\tif value > least &&
\t\t\tvalue < 10 {
\t\t\tleast = value
\t\t} else if value == 0 {
\t\t\treturn 0, errors.New(name)
\t\t}
\t}
\treturn least, nil
}
"""
JAVASCRIPT = """import { best } from "./best.js"
const rule = /[/]\\/\\/x/g
export function largest(values, least = 0) {
  const name = `none // ${values.length} /* x */`
  for (const value of values) {
    if (value > least
        && value < 10) {
      least = value
    } else if (!value) {
      throw new RangeError("/* no */")
    }
  }
  return {
    least,
    name: () => name,
  }
}
class Store extends Map {
  size = 1
  static of(key) { return new Store([[key, best]]) }
}
"""
PROGRAMS = {"Python": PYTHON, "Java": JAVA, "Go": GO, "JavaScript": JAVASCRIPT}
# Words after a mark that no tool reads, without what ends a comment or what a language refuses in one.
TEXTS = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="\ufeff\\*"), max_size=30
)


@dataclass(frozen=True)
class Insertion:
    line: int  # of the program, from 1
    behind: bool  # on that line, or above it
    block: bool
    indent: str
    text: str


def insertions(program: str) -> st.SearchStrategy[list[Insertion]]:
    """At most one at each place: above a line or behind it."""
    numbers = [number for number, line in enumerate(program.split("\n"), 1) if line.strip()]
    one = st.builds(
        Insertion,
        line=st.sampled_from(numbers),
        behind=st.booleans(),
        block=st.booleans(),
        indent=st.text(" \t", max_size=6),
        text=TEXTS,
    )
    return st.lists(one, max_size=12, unique_by=lambda each: (each.line, each.behind))


def comment(each: Insertion, lang: str) -> str:
    if lang == "Python":
        return f"# x{each.text}"
    return f"/* x{each.text} */" if each.block else f"// x{each.text}"


def inserted(lang: str, chosen: list[Insertion]) -> str:
    lines = PROGRAMS[lang].split("\n")
    for each in chosen:
        text = comment(each, lang)
        if each.behind:
            lines[each.line - 1] += f" {each.indent}{text}"
    for each in sorted(chosen, key=lambda each: -each.line):
        if not each.behind:
            lines.insert(each.line - 1, each.indent + comment(each, lang))
    return "\n".join(lines)


@pytest.mark.parametrize("lang", PROGRAMS)
@given(data=st.data())
@settings(max_examples=examples(60), deadline=None)
def test_comments_anywhere_change_no_code(lang: str, data: st.DataObject) -> None:
    """Above any line and behind any line, of any text, in any indent: the tokens stay, and each place is found."""
    chosen = data.draw(insertions(PROGRAMS[lang]))
    before, after = read_comments(PROGRAMS[lang], lang), read_comments(inserted(lang, chosen), lang)

    assert before.fault is None
    assert first_change(before, after) is None
    assert (before.names, len(after.comments)) == (after.names, len(chosen))
    found = anchors(before, after)
    by_place = sorted(chosen, key=lambda each: (each.line, each.behind))
    assert [found[index] for index in range(len(chosen))] == [each.line for each in by_place]
    assert [each.trailing for each in after.comments] == [each.behind for each in by_place]


@pytest.mark.parametrize("lang", PROGRAMS)
@given(data=st.data())
@settings(max_examples=examples(30), deadline=None)
def test_a_comment_is_where_it_is_said_to_be(lang: str, data: st.DataObject) -> None:
    """Cutting every comment out by its line and column gives the program back."""
    text = inserted(lang, data.draw(insertions(PROGRAMS[lang])))
    lines = text.split("\n")
    for each in reversed(read_comments(text, lang).comments):
        assert each.line == each.end_line
        assert each.text.strip() in lines[each.line - 1]
        left = lines[each.line - 1][: each.column].rstrip()
        lines[each.line - 1 : each.line] = [left] if each.trailing else []

    assert lines == PROGRAMS[lang].split("\n")


@pytest.mark.parametrize("lang", PROGRAMS)
@given(code=st.text(max_size=60) | st.text("/*#'\"`\\\n\r u0a2f(){};ab", max_size=40))
@settings(max_examples=examples(80), deadline=None)
def test_any_text_is_read(lang: str, code: str) -> None:
    """Nothing raises; a text that has tokens is equal to itself; no character outside of comments is lost."""
    read = read_comments(code, lang)

    assert read.fault is not None or first_change(read, read) is None
    if read.tokens or read.fault is None:
        rest = code.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        said = sum(len(each.text.strip("\n")) for each in read.tokens)
        assert said <= len(rest)
        assert all(1 <= each.line <= rest.count("\n") + 1 for each in [*read.tokens, *read.comments])
    assert set(anchors(read, read)) <= set(range(len(read.comments)))


@pytest.mark.parametrize("lang", PROGRAMS)
@given(at=st.integers(0, 1000), piece=st.sampled_from(["x", "1", "(", ";", "+", "'", "`", "{"]))
@settings(max_examples=examples(60), deadline=None)
def test_a_token_anywhere_changes_code(lang: str, at: int, piece: str) -> None:
    """A piece of code put between two lines of code never goes unseen."""
    lines = PROGRAMS[lang].split("\n")
    lines.insert(at % len(lines), piece)

    assert (
        first_change(read_comments(PROGRAMS[lang], lang), read_comments("\n".join(lines), lang)) is not None
    )
