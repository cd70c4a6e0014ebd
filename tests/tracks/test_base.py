"""Scoring profiles by name: the same check for every track."""

from __future__ import annotations

import pytest

from benchwright.errors import UsageError
from benchwright.tracks.base import require_profile


def test_a_profile_that_there_is() -> None:
    """The name is returned."""
    assert require_profile("strict", ("strict", "mera")) == "strict"


@pytest.mark.parametrize(
    ("name", "track", "message", "hint"),
    [
        ("strikt", "", "unknown scoring profile 'strikt'", "did you mean `strict`?"),
        ("multipl", "multipl", "multipl has no scoring profile 'multipl'", "did you mean `multipl-e`?"),
        ("", "own", "own has no scoring profile ''", "one of: strict, multipl-e"),
    ],
)
def test_another_profile_is_named(name: str, track: str, message: str, hint: str) -> None:
    """The error has the nearest name, or all names."""
    with pytest.raises(UsageError) as caught:
        require_profile(name, ("strict", "multipl-e"), track=track)

    assert (caught.value.message, caught.value.hint) == (message, hint)
