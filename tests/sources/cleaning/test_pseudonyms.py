"""Pseudonyms: one for each person, with a key that only the owner of the build may read."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import RunError
from benchwright.sources.cleaning.pseudonyms import KEY_FILE, PSEUDONYM, KeyedPseudonyms, key_mark, load_key

PEOPLE = KeyedPseudonyms(b"k" * 32, aliases={"jane@corp.com": "octo"})


@pytest.mark.parametrize(
    "same",
    [
        "Octo",
        "@octo",
        "octo@users.noreply.github.com",
        "123+octo@users.noreply.github.com",
        "Jane Doe <JANE@corp.com>",
        "42-octo@users.noreply.gitlab.com",
    ],
)
def test_the_forms_of_a_person_have_one_pseudonym(same: str) -> None:
    assert PEOPLE.of(same) == PEOPLE.of("octo")
    assert PSEUDONYM.fullmatch(PEOPLE.of(same))


def test_other_people_and_other_keys_have_other_pseudonyms() -> None:
    assert PEOPLE.of("octo") != PEOPLE.of("octo2")
    assert PEOPLE.of("octo") != KeyedPseudonyms(b"l" * 32).of("octo")


def test_bots_keep_their_name_and_nobody_has_none() -> None:
    assert PEOPLE.of("49699333+dependabot[bot]@users.noreply.github.com") == "dependabot[bot]"
    assert PEOPLE.of("") == PEOPLE.of("  ") == ""


@given(st.text())
def test_a_pseudonym_of_a_pseudonym_is_itself(identity: str) -> None:
    name = PEOPLE.of(identity)
    assert PEOPLE.of(name) == name


def test_the_key_is_created_once_and_only_for_the_owner(tmp_path: Path) -> None:
    key = load_key(tmp_path)
    assert load_key(tmp_path) == key
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == [KEY_FILE]
    assert key.hex() not in key_mark(key)


def test_a_readable_key_is_refused(tmp_path: Path) -> None:
    load_key(tmp_path)
    (tmp_path / KEY_FILE).chmod(0o644)
    with pytest.raises(RunError, match="other users") as caught:
        load_key(tmp_path)
    assert "chmod 600" in (caught.value.hint or "")


@pytest.mark.parametrize("content", ["", "zz", "ab"])
def test_a_damaged_key_is_refused(tmp_path: Path, content: str) -> None:
    load_key(tmp_path)
    (tmp_path / KEY_FILE).write_text(content)
    with pytest.raises(RunError, match="not a key"):
        load_key(tmp_path)
