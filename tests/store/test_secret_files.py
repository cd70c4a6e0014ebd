"""Secrets in files: reading, and refusals that do not show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.errors import UsageError
from benchwright.store.secret_files import MAX_SECRET, read_secret


def test_a_secret_is_read_whole_or_refused(tmp_path: Path) -> None:
    """Surrounding white space is removed; a longer file is not truncated; no message has the content."""
    file = tmp_path / "secret"
    file.touch(mode=0o600)
    for content in (b" a b\n", b"x" * (MAX_SECRET - 1) + b"\n"):
        file.write_bytes(content)
        assert read_secret(file, owner_only=True) == content.decode().strip()
    for content, why in (
        (b"x" * MAX_SECRET + b"\n", "more than 10,000 bytes"),
        (b" \n", "empty"),
        (b"xx\nxx", "one line"),
        ("xx\u00fc".encode(), "ASCII"),
        (b"xx\0", "printable"),
    ):
        file.write_bytes(content)
        with pytest.raises(UsageError, match=why) as caught:
            read_secret(file, owner_only=True)
        assert caught.value.hint and "xx" not in str(caught.value)


def test_only_its_owner_may_read_a_token(tmp_path: Path) -> None:
    """A secret mounted by a container is readable by its users, so only tokens must be private."""
    file = tmp_path / "secret"
    file.write_text("x")
    file.chmod(0o644)
    assert read_secret(file, owner_only=False) == "x"
    for mode, owner_only, why in ((0o640, True, "readable by others"), (None, False, "cannot be read")):
        if mode is None:
            file.unlink()
        else:
            file.chmod(mode)
        with pytest.raises(UsageError, match=why):
            read_secret(file, owner_only=owner_only)
