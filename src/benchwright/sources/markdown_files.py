"""Markdown files of a folder, of a commit of a clone, or of an archive, and their YAML front matter.

All of it is untrusted: sizes, counts, aliases and value types are bounded.
"""

from __future__ import annotations

import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, Protocol

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, UsageError
from benchwright.records import Drop
from benchwright.sources.clones import Clone, TextError, is_clone
from benchwright.sources.model_records import FormatDeviation
from benchwright.store.yaml_documents import load_yaml

MAX_FILES = 100_000
MAX_UNPACKED = 2 << 30
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)
Read = Callable[[int], bytes]


class _TooLarge(Exception):
    """A file exceeds the size limit."""


class CardFile(NamedTuple):
    """One file: its path within the place, and its commit if there is one."""

    path: str
    reading: Read
    commit: str = ""
    committed_at: str = ""

    def read(self, limit: int) -> bytes | Drop:
        """The bytes of the file, or the reason why they cannot be read."""
        unit = escaped_name(self.path, 200)
        try:
            return self.reading(limit)
        except _TooLarge:
            return Drop(unit=unit, reason="card_too_large", detail=f"over {limit:,} bytes")
        except TextError as error:
            reason = "card_too_large" if error.reason == "too_large" else "unreadable"
            return Drop(unit=unit, reason=reason, detail=error.message)
        except _DAMAGED as error:
            return Drop(unit=unit, reason="unreadable", detail=escaped_name(str(error), 200))


class CardFiles(Protocol):
    """A place with Markdown files."""

    def files(self, tell: Callable[[str], None]) -> list[CardFile]:
        """All files, in a stable order."""
        ...


def files_of(path: Path) -> CardFiles:
    """The files of a folder, a clone (at HEAD), or an archive. Raises BenchwrightError for anything else."""
    if path.is_dir():
        return _CloneFiles(path) if is_clone(path) else _FolderFiles(path)
    if path.is_file():
        return _ArchiveFiles(path)
    hint = "give a folder of cards, a clone, or a .tar.gz or .zip of one"
    raise UsageError(f"no such folder or archive: {escaped_path(path)}", hint=hint)


class _FolderFiles:
    """Files of a folder and its subfolders, without hidden ones."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def files(self, tell: Callable[[str], None]) -> list[CardFile]:
        found = sorted(self._paths())
        if not found:
            raise UsageError(
                f"{escaped_path(self._path)} contains no Markdown file", hint="cards are *.md files"
            )
        return [CardFile(name, self._reader(name)) for name in found]

    def _paths(self) -> Iterator[str]:
        count = 0
        for folder, below, names in os.walk(self._path):
            below[:] = sorted(name for name in below if not name.startswith("."))
            for name in names:
                if _is_markdown(name):
                    count += 1
                    _check_count(count, self._path)
                    yield Path(folder, name).relative_to(self._path).as_posix()

    def _reader(self, name: str) -> Read:
        def read(limit: int) -> bytes:
            fd = os.open(self._path / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(fd, "rb") as file:
                return _check_size(file.read(limit + 1), limit)

        return read


class _CloneFiles:
    """Files of the commit at HEAD. Uncommitted files are not read."""

    def __init__(self, path: Path) -> None:
        self._clone = Clone(path)

    def files(self, tell: Callable[[str], None]) -> list[CardFile]:
        clone = self._clone
        tell(f"{escaped_path(clone.path)} is a clone; reading its files at commit {clone.commit[:12]}")
        files = [file for file in clone.files() if _is_markdown(file.path)]
        return [
            CardFile(
                file.path,
                lambda limit, file=file: clone.content(file, limit=limit),  # type: ignore[misc]
                clone.commit,
                clone.committed_at,
            )
            for file in files
        ]


class _ArchiveFiles:
    """Files of a .tar, .tar.gz or .zip. `git archive` and GitHub write the commit into it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def files(self, tell: Callable[[str], None]) -> list[CardFile]:
        try:
            entries, comment = self._zip() if zipfile.is_zipfile(self._path) else self._tar()
        except _DAMAGED as error:
            hint = "expected a .tar, .tar.gz or .zip; download it again if it is truncated"
            where = escaped_path(self._path)
            raise DataError(
                f"unreadable archive ({escaped_name(str(error))})", path=where, hint=hint
            ) from None
        commit = comment if _COMMIT.fullmatch(comment) else ""
        start = _common_folder([name for name, _ in entries])
        return [CardFile(name[start:], read, commit) for name, read in entries if _is_markdown(name)]

    def _tar(self) -> tuple[list[tuple[str, Read]], str]:
        archive = tarfile.open(self._path)  # noqa: SIM115 (read from for as long as the list is)
        entries = []
        for count, member in enumerate(archive, 1):
            _check_count(count, self._path)
            if member.offset_data + member.size > MAX_UNPACKED:
                raise DataError(f"over {MAX_UNPACKED:,} bytes unpacked", path=escaped_path(self._path))
            if member.isreg():
                entries.append((member.name, _tar_reader(archive, member)))
        return entries, str(archive.pax_headers.get("comment", ""))

    def _zip(self) -> tuple[list[tuple[str, Read]], str]:
        archive = zipfile.ZipFile(self._path)
        members = [member for member in archive.infolist() if not member.is_dir()]
        _check_count(len(members), self._path)
        entries = [(member.filename, _zip_reader(archive, member)) for member in members]
        return entries, archive.comment.decode("ascii", "replace")


def _tar_reader(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Read:
    def read(limit: int) -> bytes:
        file = archive.extractfile(member)
        return _check_size(file.read(limit + 1) if file else b"", limit)

    return read


def _zip_reader(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Read:
    def read(limit: int) -> bytes:
        with archive.open(member) as file:
            return _check_size(file.read(limit + 1), limit)

    return read


def _check_size(data: bytes, limit: int) -> bytes:
    if len(data) > limit:
        raise _TooLarge
    return data


def _check_count(count: int, path: Path) -> None:
    if count > MAX_FILES:
        raise DataError(
            f"more than {MAX_FILES:,} files", path=escaped_path(path), hint="give one of its subfolders"
        )


def _is_markdown(name: str) -> bool:
    return name.lower().endswith((".md", ".markdown")) and not name.rpartition("/")[2].startswith(".")


def _common_folder(names: list[str]) -> int:
    """The length of the one top folder of all entries, which archives of a commit usually have."""
    tops = {PurePosixPath(name).parts[0] for name in names if name}
    inside = all("/" in name for name in names)
    return len(tops.pop()) + 1 if len(tops) == 1 and inside else 0


MAX_CHARACTERS = 512 << 10  # evaluation results of one model fill 200 KB
MAX_NODES = 50_000
MAX_DEPTH = 24
_BEGIN = re.compile(r"\s*---[ \t]*\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_CURLY = re.compile(r"^[“”„‘’](.*)[“”‘’]$", re.DOTALL)


class FrontMatter(NamedTuple):
    """The front matter of a text: its fields, the start of the text, and deviations."""

    fields: dict[str, Any]
    body: str
    body_line: int  # of the body's first line, from 1
    quirks: list[FormatDeviation]


class _YamlRefusal(Exception):
    """YAML that is not read: the kind of deviation, the line within the YAML from 1, and the reason."""

    def __init__(self, name: str, line: int, why: str) -> None:
        super().__init__(name)
        self.name, self.line, self.why = name, line, why


def split_front_matter(text: str) -> FrontMatter:
    """The fields and the body of a text with LF line ends. Broken YAML is a deviation, never an error."""
    begun = _BEGIN.match(text)
    if begun is None:
        return FrontMatter({}, text, 1, [FormatDeviation(name="front_matter_missing")])
    ended = _END.search(text, begun.end())
    if ended is None:
        return FrontMatter({}, text, 1, [FormatDeviation(name="front_matter_unclosed", where="line 1")])
    first = text.count("\n", 0, begun.end()) + 1
    body = text[ended.end() :].removeprefix("\n")
    body_line = first + text.count("\n", begun.end(), ended.end()) + 1
    quirks: list[FormatDeviation] = []
    try:
        fields = _Reader(text[begun.end() : ended.start()], first, quirks).mapping()
    except _YamlRefusal as error:
        where = f"line {first + error.line - 1}"
        return FrontMatter(
            {}, body, body_line, [*quirks, FormatDeviation(name=error.name, where=where, detail=error.why)]
        )
    return FrontMatter(fields, body, body_line, quirks)


class _Reader:
    """Builds plain values (dicts, lists and texts) from the events of a parser."""

    def __init__(self, text: str, first_line: int, quirks: list[FormatDeviation]) -> None:
        self._yaml = load_yaml()
        self._text, self._first, self._quirks = text, first_line, quirks
        self._nodes = 0

    def mapping(self) -> dict[str, Any]:
        """The mapping of the document. Raises _YamlRefusal."""
        if len(self._text) > MAX_CHARACTERS:
            raise _YamlRefusal(
                "front_matter_too_large", 1, f"{len(self._text):,} characters, over {MAX_CHARACTERS:,}"
            )
        try:
            found = self._document()
        except self._yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or "not YAML"
            raise _YamlRefusal(
                "front_matter_broken", mark.line + 1 if mark else 1, str(problem)[:200]
            ) from None
        if found in ("", None):
            return {}
        if not isinstance(found, dict):
            raise _YamlRefusal("front_matter_no_mapping", 1, "no `name: value` lines")
        return found

    def _document(self) -> Any:
        loader = getattr(self._yaml, "CSafeLoader", self._yaml.SafeLoader)
        events = self._yaml.parse(self._text, Loader=loader)
        value = None
        for event in events:
            if isinstance(event, self._yaml.NodeEvent):
                value = self._value(event, events, 0)
        return value

    def _value(self, event: Any, events: Iterator[Any], depth: int) -> Any:
        yaml, line = self._yaml, event.start_mark.line + 1
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise _YamlRefusal("front_matter_too_large", line, f"more than {MAX_NODES:,} values")
        if isinstance(event, yaml.AliasEvent):
            raise _YamlRefusal(
                "front_matter_alias", line, "refers to a value elsewhere, which is not followed"
            )
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, line)
        if depth == MAX_DEPTH:
            raise _YamlRefusal("front_matter_too_deep", line, f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(events, depth + 1)
        return self._pairs(events, depth + 1)

    def _sequence(self, events: Iterator[Any], depth: int) -> list[Any]:
        items = []
        for event in events:
            if isinstance(event, self._yaml.SequenceEndEvent):
                break
            items.append(self._value(event, events, depth))
        return items

    def _pairs(self, events: Iterator[Any], depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for event in events:
            if isinstance(event, self._yaml.MappingEndEvent):
                break
            line = event.start_mark.line + 1
            if not isinstance(event, self._yaml.ScalarEvent):
                raise _YamlRefusal("front_matter_broken", line, "a name that is no plain text")
            name = event.value
            if name in found:
                self._odd("duplicate_field", line, name)
            found[name] = self._value(next(events), events, depth)
        return found

    def _scalar(self, event: Any, line: int) -> str:
        value: str = event.value
        if not event.style and value in ("~", "null", "Null", "NULL"):
            return ""
        if curly := _CURLY.match(value):
            self._odd("curly_quotes", line, value)
            return curly[1]
        return value

    def _odd(self, name: str, line: int, detail: str) -> None:
        self._quirks.append(
            FormatDeviation(name=name, where=f"line {self._first + line - 1}", detail=detail[:80])
        )
