"""YAML before Markdown: values stay texts; invalid, endless or hostile YAML is a deviation with its line."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import PrerequisiteError
from benchwright.sources import markdown_files
from benchwright.sources.markdown_files import (
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_NODES,
    load_yaml,
    split_front_matter,
)


def _read(yaml: str) -> tuple[dict[str, object], list[tuple[str, str]]]:
    found = split_front_matter(f"---\n{yaml}\n---\nbody\n")
    assert found.body == "body\n"
    return found.fields, [(quirk.name, quirk.where) for quirk in found.quirks]


def test_scalars_stay_texts() -> None:
    """Values that other readers convert to booleans, numbers or dates are unchanged; null is empty."""
    yaml = "a: no\nb: 1.10\nc: 2024-01-02\nd: [x, 3]\ne: {f: 0x1F}\ng: ~\nh: '~'\ni:\n"

    expected = {"a": "no", "b": "1.10", "c": "2024-01-02", "d": ["x", "3"], "e": {"f": "0x1F"}}
    assert _read(yaml) == ({**expected, "g": "", "h": "~", "i": ""}, [])


def test_the_body_begins_behind_the_rule() -> None:
    """Its line counts from the start of the whole text, empty lines before the first rule included."""
    found = split_front_matter("\n---\na: b\n\n---  \none\ntwo")

    assert (found.fields, found.body, found.body_line) == ({"a": "b"}, "one\ntwo", 6)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("# no rule\n", "front_matter_missing"),
        ("", "front_matter_missing"),
        ("text\n---\na: b\n---\n", "front_matter_missing"),
        ("---\na: b\n", "front_matter_unclosed"),
        ("---\n", "front_matter_unclosed"),
    ],
)
def test_text_without_front_matter(text: str, name: str) -> None:
    """The whole text is the body."""
    found = split_front_matter(text)

    assert (found.fields, found.body, found.body_line) == ({}, text, 1)
    assert [quirk.name for quirk in found.quirks] == [name]


@pytest.mark.parametrize(
    ("yaml", "name", "line"),
    [
        ("a: b\nc: d: e", "front_matter_broken", 3),
        ("a: [b", "front_matter_broken", 2),
        ("a: \x07", "front_matter_broken", 2),
        ("a: b\n\tc: d", "front_matter_broken", 3),
        ("? [a]\n: b", "front_matter_broken", 2),
        ("just words", "front_matter_no_mapping", 2),
        ("- a", "front_matter_no_mapping", 2),
        ("a: &x b\nc: *x", "front_matter_alias", 3),
        ("<<: *x", "front_matter_alias", 2),
    ],
)
def test_what_is_not_read(yaml: str, name: str, line: int) -> None:
    """No field of it is used, and the line is that of the text."""
    fields, quirks = _read(yaml)

    assert fields == {}
    assert [found for found, _ in quirks] == [name]
    assert quirks[0][1] in (f"line {line}", f"line {line + 1}")  # parsers see some faults at the next token


def test_bombs_are_refused_before_they_grow() -> None:
    """Depth, size, number of values and aliases have limits that end the reading, not the process."""
    laughs = "\n".join(f"x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]" for n in range(1, 10))
    for yaml, name in (
        ("a: " + "[" * (MAX_DEPTH + 1), "front_matter_too_deep"),
        ("a: " + "[" * 100_000, "front_matter_too_deep"),
        ("a: " + "{b: " * 100_000, "front_matter_too_deep"),
        ("a: [" + "b, " * MAX_NODES + "]", "front_matter_too_large"),
        ("a: " + "b" * MAX_CHARACTERS, "front_matter_too_large"),
        ("x0: &x0 lol\n" + laughs, "front_matter_alias"),
    ):
        fields, quirks = _read(yaml)
        assert (fields, [found for found, _ in quirks]) == ({}, [name])


def test_types_are_not_constructed() -> None:
    """A tag that other readers would execute is plain text here."""
    assert _read("a: !!python/object/apply:os.system ['true']\nb: !!binary aGk=") == (
        {"a": ["true"], "b": "aGk="},
        [],
    )


def test_quirks_of_fields() -> None:
    """Curly quotes used as quotes are removed; of two fields of a name the last counts."""
    fields, quirks = _read("a: “b c”\nd: it’s\ntitle: x\ntitle: y")

    assert fields == {"a": "b c", "d": "it’s", "title": "y"}
    assert quirks == [("curly_quotes", "line 2"), ("duplicate_field", "line 5")]


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="---\n: ab[]{}&*!|>'\"#,?\t%@`\\“\0", max_size=80))
def test_any_text_is_read(text: str) -> None:
    """For any text, body and line agree with it, and no exception is raised."""
    found = split_front_matter(f"---\n{text}\n---\nend")

    whole = f"---\n{text}\n---\nend"
    assert whole.endswith(found.body)
    assert whole.split("\n")[found.body_line - 1 :] == found.body.split("\n") or not found.body


def test_the_parser_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the command that installs it."""
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(PrerequisiteError, match="PyYAML") as caught:
        load_yaml()

    assert "hub" in str(caught.value.hint)


def test_the_parser_written_in_python_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML may have been built without its C library."""
    yaml = load_yaml()
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)

    assert markdown_files.split_front_matter("---\na: [b, no]\n---\n").fields == {"a": ["b", "no"]}
    assert _read("a: " + "[" * 200)[1][0][0] == "front_matter_too_deep"
