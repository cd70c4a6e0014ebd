"""Texts of HTML pages that are marked up: digests and names that stay on one line."""

from __future__ import annotations

import pytest

from benchwright.display.html import SHORT, digest, whole


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("", ""),
        ("a-b", '<span class="whole">a-b</span>'),
        ("<b>", '<span class="whole">&lt;b&gt;</span>'),
        ("x" * SHORT, f'<span class="whole">{"x" * SHORT}</span>'),
        ("x" * (SHORT + 1), "x" * (SHORT + 1)),
    ],
)
def test_short_names_stay_on_one_line(name: str, shown: str) -> None:
    """Nothing is added to an empty name or a long one."""
    assert str(whole(name)) == shown


def test_a_digest_is_shown_by_its_first_digits() -> None:
    """All of it is in the title; other texts are not changed."""
    value = "0123456789abcdef" * 4

    assert str(digest(value)) == f'<span class="hash" title="{value}">0123456789ab…</span>'
    assert digest("<b>") == "<b>"
