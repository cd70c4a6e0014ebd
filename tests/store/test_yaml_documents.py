"""YAML with the line of each key, and with limits that are checked before memory grows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchwright.errors import DataError, PrerequisiteError, UsageError
from benchwright.store.yaml_documents import MAX_BYTES, YamlDocument, dotted, read_yaml

TEXT = """\
# a comment
job:
  name: one

  parts:
    - {a: 1, b: 2.5}
    - &two
      c: true
    - *two
"""


def read(path: Path, text: str | bytes) -> YamlDocument:
    """Return the document of a text."""
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_yaml(path, purpose="this test", extra="ianvs")


def test_values_and_their_lines(tmp_path: Path) -> None:
    """Each key has its line; a missing item has that of its surroundings."""
    found = read(tmp_path / "a.yaml", TEXT)

    assert found.data == {"job": {"name": "one", "parts": [{"a": 1, "b": 2.5}, {"c": True}, {"c": True}]}}
    assert [found.line(*keys) for keys in ((), ("job",), ("job", "name"), ("job", "parts", 0, "b"))] == [
        2,
        2,
        3,
        6,
    ]
    assert (found.line("job", "parts", 1, "c"), found.line("job", "parts", 9, "x"), found.line("no")) == (
        8,
        5,
        2,
    )
    assert str(found.error("odd", "job", "parts", 0)) == f"{tmp_path}/a.yaml:6, field `job.parts[0]`: odd"


def test_an_empty_file(tmp_path: Path) -> None:
    """It is empty."""
    assert read(tmp_path / "a.yaml", "# only this\n").data is None
    assert dotted(()) == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1\nb: 2\n", ":2: invalid YAML"),
        ("a: *b\n", "invalid YAML: found undefined alias"),
        ("a: !!python/object:os.system x\n", "invalid YAML: could not determine a constructor"),
        ("a: 2024-01-02\n", ":1, field `a`: a value of the type date is not read"),
        ("1: a\n", "the key 1 is not a text"),
        ("[" * 100 + "]" * 100, "nested deeper than 40 levels"),
        ("- a\n" * 30_000, "more than 20,000 values"),
        (b"a: \xff\n", "invalid YAML"),
        ("a: 1\n---\nb: 2\n", "invalid YAML: but found another document"),
        ("#" * (MAX_BYTES + 1), "more than 1,048,576 bytes"),
        ("a: &a [*a]\n", "values, aliases counted each time"),
        (
            "a0: &a0 [x,x,x,x,x,x,x,x]\n"
            + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 8)}]\n" for n in range(1, 12)),
            "aliases",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    """The error has the file, and mostly the line."""
    with pytest.raises(DataError) as caught:
        read(tmp_path / "a.yaml", text)

    assert message in caught.value.message and str(tmp_path) in caught.value.message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("!!timestamp 99999-01-01", "'99999-01-01' is no timestamp"),
        ("!!timestamp 2024-13-45", "'2024-13-45' is no timestamp"),
        ("2024-13-45", "'2024-13-45' is no timestamp"),
        ("!!timestamp never", "'never' is no timestamp"),
        ("!!int abc", "'abc' is no int"),
        ("!!bool maybe", "'maybe' is no bool"),
        ("!!float x.y", "'x.y' is no float"),
        ("!!int ''", "'' is no int"),
    ],
)
def test_a_value_that_does_not_fit_its_tag(tmp_path: Path, value: str, message: str) -> None:
    """The error has the line, whatever the parser's own code raises."""
    path = tmp_path / "a.yaml"
    path.write_text(f"a: 1\nb:\n  - c: {value}\n")
    with pytest.raises(DataError) as caught:
        read_yaml(path, purpose="a test", extra="ianvs")

    assert caught.value.message == f"{path}:3: {message}"


def test_a_misfit_within_a_circle(tmp_path: Path) -> None:
    """Its place is found too."""
    path = tmp_path / "a.yaml"
    path.write_text("a: &a\n  - *a\n  - !!int x\n")
    with pytest.raises(DataError, match=":3: 'x' is no int"):
        read_yaml(path, purpose="a test", extra="ianvs")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Or it is a folder."""
    for path, message in ((tmp_path / "no.yaml", "no file at"), (tmp_path, "Is a directory")):
        with pytest.raises(UsageError, match=message):
            read_yaml(path, purpose="this test", extra="ianvs")


def test_without_the_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line states what needs it and how to install it."""
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(PrerequisiteError, match="this test needs PyYAML") as caught:
        read_yaml(tmp_path / "a.yaml", purpose="this test", extra="ianvs")

    assert "ianvs" in str(caught.value.hint)
