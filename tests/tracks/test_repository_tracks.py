"""The tracks of functions in repositories: rows, prompts, clones, and a user's file next to a clone."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError, UsageError
from benchwright.registry import find
from benchwright.tracks.realcode.clones import find_clone
from benchwright.tracks.row_detection import track_of_row
from benchwright.tracks.rows import Fields
from benchwright.tracks.yabloco.rows import read_environment
from kit.mera_replies import rows
from kit.repository_replies import TRACKS


def _row(track: str, changes: dict[str, Any]) -> dict[str, Any]:
    row = deepcopy(rows(track)[0])
    for name, value in changes.items():
        first, _, rest = name.partition(".")
        target, key = (row[first], rest) if rest else (row, first)
        target.pop(key) if value is ... else target.update({key: value})
    return row


@pytest.mark.parametrize(
    ("track", "changes", "field"),
    [
        ("realcode", {"inputs.left_context": ...}, "inputs.left_context"),
        ("realcode", {"inputs.left_context": " "}, "inputs.left_context"),
        ("realcode", {"meta.left_context": "other"}, "meta.left_context"),
        ("realcode", {"meta.gt": 3}, "meta.gt"),
        ("realcode", {"meta.repo": "../../etc"}, "meta.repo"),
        ("realcode", {"meta.repo": ".."}, "meta.repo"),
        ("realcode", {"meta.base_commit": "main"}, "meta.base_commit"),
        ("realcode", {"meta.fn": "/etc/passwd"}, "meta.fn"),
        ("realcode", {"meta.fn": "a/../../b.py"}, "meta.fn"),
        ("realcode", {"meta.PASS_TO_PASS": []}, "meta.PASS_TO_PASS"),
        ("realcode", {"meta.PASS_TO_PASS": "tests"}, "meta.PASS_TO_PASS"),
        ("realcode", {"meta.PASS_TO_PASS": ["tests"]}, "meta.PASS_TO_PASS[0]"),
        ("realcode", {"meta.intent": ...}, "meta.intent"),
        ("realcode", {"instruction": "Write it."}, "instruction"),
        ("realcodejava", {"meta.stub": ...}, "meta.stub"),
        ("realcodejava", {"meta.file_path": ""}, "meta.file_path"),
        ("realcodejava", {"instruction": "Write it."}, "instruction"),
        ("yabloco", {"inputs.language": "Rust"}, "inputs.language"),
        ("yabloco", {"inputs.signature": ""}, "inputs.signature"),
        ("yabloco", {"meta.repository": "a/b"}, "meta.repository"),
        ("yabloco", {"meta.file": "numbers.c"}, "meta.file"),
        ("yabloco", {"meta.file": "numlib/../x.c"}, "meta.file"),
        ("yabloco", {"meta.pos": 0}, "meta.pos"),
        ("yabloco", {"meta.pos": True}, "meta.pos"),
        ("yabloco", {"meta.code_length": -1}, "meta.code_length"),
        ("yabloco", {"outputs": 3}, "outputs"),
    ],
)
def test_a_bad_row_is_refused_with_its_field(track: str, changes: dict[str, Any], field: str) -> None:
    """Each error has the line."""
    with pytest.raises(DataError) as caught:
        find("track", track).read_row(Fields(_row(track, changes), "rows.jsonl", 1))

    assert (caught.value.field, caught.value.line) == (field, 1)


@pytest.mark.parametrize("track", TRACKS)
def test_a_row_survives_and_is_recognised(track: str) -> None:
    """Unknown fields are kept; its prompts are the row's own and ours in two languages."""
    found, row = find("track", track), _row(track, {"extra": {"a": 1}})
    task = found.read_row(Fields(row, "", 1))
    asked = [each for name in ("ru", "en") for each in found.questions(task, language=name, form="chat")]
    shown = row["inputs"].get("left_context") or row["inputs"]["signature"]

    assert found.to_row(task) == row
    assert track_of_row(row) == track
    assert len(asked) == 6
    assert all(shown.strip() in each.text for each in asked)
    assert shown.strip() in found.prompt(task)


def test_clones_are_found_by_their_usual_names(tmp_path: Path) -> None:
    """Owner and name occur in several forms; without a folder or a clone there is a reason."""
    for form in ("owner/one", "owner+two", "owner__three", "four.git"):
        (tmp_path / form).mkdir(parents=True)
    found = [find_clone(tmp_path, f"owner/{name}").path for name in ("one", "two", "three", "four")]

    assert [Path(path).relative_to(tmp_path).as_posix() for path in found] == [
        "owner/one",
        "owner+two",
        "owner__three",
        "four.git",
    ]
    assert "no clone of owner/five" in find_clone(tmp_path, "owner/five").missing
    assert "--repositories" in find_clone(None, "owner/one").missing
    with pytest.raises(UsageError, match="not a folder"):
        find("track", "realcode").in_repositories(tmp_path / "missing")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "no file"),
        ("commit = ", "Invalid value"),
        ('commit = "abcdef0"', "test"),
        ('commit = "main"\ntest = "make"', "hexadecimal"),
        ('commit = "abcdef0"\ntest = "make"\nimage = "x"', "image"),
        ('commit = "abcdef0"\ntest = "make"\nreported = "("', "missing ), unterminated"),
        ('commit = "abcdef0"\ntest = "make"\nreported = "(?P<name>a)"', "groups name and state"),
        (
            'commit = "abcdef0"\ntest = "make"\n[canary]\npath = "a"\nfind = "b"\nreplace = "c"\ntest = "d"',
            "needs `reported`",
        ),
    ],
)
def test_a_bad_environment_is_a_reason(text: str | None, said: str, tmp_path: Path) -> None:
    """The reason has the path of the file."""
    if text is not None:
        (tmp_path / "numlib.toml").write_text(text)
    found = read_environment(tmp_path, "numlib")

    assert said in found.missing
    assert "numlib.toml" in found.missing
