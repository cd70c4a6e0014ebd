"""The git folder of a clone: its references, its remote address, and a check that all of it is enclosed.

A clone from a stranger may point to other repositories on this machine, by links, alternates or worktrees.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

MAX_PACKED = 256 << 20  # a repository with a million references has some 80 MB
MAX_CONFIG = 1 << 20
_MAX_LINKS = 5  # as git does
_ID = re.compile(r"[0-9a-f]{40}")
_PLAIN = re.compile(r"[^\x00-\x20\x7f~^:?*\[\\]+")  # git-check-ref-format(1)
_SECTION = re.compile(r'\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)')
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}
_PLACES = ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")


class References:
    """The references of one clone's database folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._packed: dict[str, str] | None = None

    def named(self, name: str) -> str | None:
        """The object id of HEAD, a branch or a tag, in git's search order: gitrevisions(7).

        A full id stands for itself, whatever a branch is called.
        """
        if _ID.fullmatch(name):
            return name
        for place in _PLACES:
            if found := self._object_id(place.format(name)):
                return found
        return None

    def any(self) -> bool:
        """Whether there is any branch, tag or other reference."""
        return bool(self._all_packed()) or any(path.is_file() for path in (self._folder / "refs").rglob("*"))

    def all(self) -> dict[str, str]:
        """The object id of each reference below `refs/` by its full name, sorted by name.

        Symbolic references, and those whose name git would refuse, are left out.
        """
        found = {name: value for name, value in self._all_packed().items() if name.startswith("refs/")}
        for path in (self._folder / "refs").rglob("*"):
            if path.is_file():
                name = path.relative_to(self._folder).as_posix()
                found[name] = self._stored_line(name)
        return {
            name: value
            for name, value in sorted(found.items())
            if _ID.fullmatch(value) and _PLAIN.fullmatch(name) and ".." not in name
        }

    def head_branch(self) -> str:
        """The full name of the branch that HEAD names; empty for a detached HEAD."""
        value = self._stored_line("HEAD")
        return value.removeprefix("ref:").strip() if value.startswith("ref:") else ""

    def _object_id(self, name: str) -> str | None:
        for _ in range(_MAX_LINKS):
            value = self._stored_line(name)
            if not value.startswith("ref:"):
                return value if _ID.fullmatch(value) else None
            name = value.removeprefix("ref:").strip()
        return None

    def _stored_line(self, name: str) -> str:
        if not _PLAIN.fullmatch(name) or ".." in name or name.startswith("/"):
            return ""
        try:
            with (self._folder / name).open("r", encoding="utf-8", errors="replace") as file:
                return file.readline(4096).strip()
        except OSError:
            return self._all_packed().get(name, "")

    def _all_packed(self) -> dict[str, str]:
        if self._packed is None:
            lines = _text(self._folder / "packed-refs", MAX_PACKED).split("\n")
            pairs = (line.split(" ", 1) for line in lines if line[:1] not in ("", "#", "^") and " " in line)
            self._packed = {name.strip(): commit for commit, name in pairs}
        return self._packed


def remote_address(folder: Path) -> str:
    """The address of `origin` in the clone's own configuration, without includes; "" if it has none."""
    within, found = False, ""
    for section, key, value in _settings(_text(folder / "config", MAX_CONFIG)):
        within = section == ("remote", "origin")
        if within and key == "url" and not found:
            found = value
    return found


def _settings(text: str) -> Iterator[tuple[tuple[str, str], str, str]]:
    section = ("", "")
    for line in text.split("\n"):
        rest = line
        while match := _SECTION.match(rest):
            section, rest = (match[1].lower(), re.sub(r"\\(.)", r"\1", match[2] or "")), match[3]
        key, equals, value = rest.partition("=")
        if equals:
            yield section, key.strip().lower(), _value(value)


def _value(text: str) -> str:
    """A value without its quotes, escapes and comment."""
    found, quoted = [], False
    chars = iter(text.strip())
    for char in chars:
        if char == "\\":
            escaped = next(chars, "")
            found.append(_ESCAPES.get(escaped, escaped))
        elif char == '"':
            quoted = not quoted
        elif char in "#;" and not quoted:
            break
        else:
            found.append(char)
    return "".join(found).strip()


def _text(path: Path, limit: int) -> str:
    """The first bytes of a file; empty if there is none."""
    try:
        with path.open("rb") as file:
            return file.read(limit).decode("utf-8", "replace")
    except OSError:
        return ""


READ = ("HEAD", "config", "packed-refs", "refs", "objects")  # files that are read from a clone
BORROWING = ("commondir", "objects/info/alternates", "objects/info/http-alternates")


def git_folder(path: Path) -> Path:
    """The folder of a clone's database, for bare clones and those with a work tree."""
    return inner if os.path.lexists(inner := path / ".git") else path


def leads_out(path: Path) -> str:
    """The part of a clone that is outside its folder, or is neither file nor folder; "" if there is none.

    Raises OSError for an unreadable folder.
    """
    folder = git_folder(path)
    if not folder.is_dir():
        return "`.git` is a file, which names another folder" if folder.is_file() else ""
    if not lies_in(folder, path):
        return "`.git` is a link to another folder"
    for name in BORROWING:
        if os.path.lexists(folder / name):
            return f"`{name}` names another repository"
    return next(_foreign(folder), "")


def lies_in(path: Path, folder: Path) -> bool:
    """Whether a path, with all links resolved, is a folder or is inside it."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _foreign(folder: Path) -> Iterator[str]:
    waiting = [os.path.join(folder, name) for name in READ]
    seen = set()
    while waiting:
        place = waiting.pop()
        if not os.path.exists(place):
            continue
        name = os.path.relpath(place, folder)
        if os.path.islink(place) and not lies_in(Path(place), folder):
            yield f"`{name}` is a link that leads out of it"
        elif os.path.isdir(place):
            if (real := os.path.realpath(place)) not in seen:
                seen.add(real)
                waiting.extend(_entries(place))
        elif not stat.S_ISREG(os.stat(place).st_mode):
            yield f"`{name}` is neither a file nor a folder"


def _entries(folder: str) -> Iterator[str]:
    """The entries of a folder to check; most objects are plain files, which their entry shows."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_file(follow_symlinks=False):
                yield entry.path
