"""Sections of Ianvs YAML files: typed access to keys, paths, and the nearest existing file of a wrong
path."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import DataError, UsageError, nearest, nearest_hint
from benchwright.interop.ianvs.case_results import EDGE
from benchwright.interop.ianvs.job_records import JobRemark, LineEdit
from benchwright.store.yaml_documents import Keys, YamlDocument, dotted, read_yaml

_MAX_NAME = 200  # bytes; file systems allow 255
_EXAMPLES = {str: '"text"', int: "1", bool: "true", list: "[…]", dict: "{…}"}
_VALUES = {
    "paradigm_type": '"singletasklearning"',
    "type": '"basemodel"',
    "name": '"a name"',
    "url": '"./FOLDER/FILE"',
    "testenv": '"./FOLDER/testenv.yaml"',
}
_KINDS = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "a mapping"}


class PathRules(NamedTuple):
    """Rules for resolving the paths of a job: as in Ianvs, from the current folder or from `root`.

    `mapped` are pairs of a prefix and its replacement, for hard-coded home folders.
    """

    root: Path
    mapped: tuple[tuple[str, str], ...] = ()

    def resolve(self, text: str) -> Path:
        """Resolve a path in a file."""
        for old, new in self.mapped:
            if text == old or text.startswith(old.rstrip("/") + "/"):
                text = new + text[len(old.rstrip("/")) :]
                break
        return Path(self.root, text)


class Section(NamedTuple):
    """A mapping in a file, its path of keys, and the receiver of notes."""

    document: YamlDocument
    data: dict[str, Any]
    keys: Keys
    paths: PathRules
    report: Callable[[JobRemark], None]
    tolerant: bool = False  # a missing file is reported and ignored

    def place(self, *keys: str | int) -> str:
        """Return the file and line of a key."""
        return f"{self.document.path}:{self.document.line(*self.keys, *keys)}"

    def error(self, message: str, *keys: str | int, hint: str | None = None) -> DataError:
        """Return an error at a key."""
        return self.document.error(message, *self.keys, *keys, hint=hint)

    def refused(self, what: str, *keys: str | int, hint: str) -> UsageError:
        """Return an error for a feature of Ianvs that is not supported here."""
        return UsageError(f"{self.place(*keys)}: {what}", hint=hint)

    def remark(
        self, text: str, *keys: str | int, hint: str = "", theirs: bool = False, edit: LineEdit | None = None
    ) -> None:
        """Report a note on a key; `theirs`: it stops Ianvs, but not us."""
        self.report(JobRemark(self.place(*keys), text, hint, theirs=theirs, edit=edit))

    def edit(self, old: str, new: str, *keys: str | int) -> LineEdit:
        """Return a replacement of text in the line of a key."""
        return LineEdit(str(self.document.path), self.document.line(*self.keys, *keys), old, new)

    def take(self, key: str, kind: type, default: Any = None) -> Any:
        """Return the value of a key. Raises DataError if it is missing or of a wrong type."""
        value = self.data.get(key)
        if value is None:
            if default is not None:
                return default
            hint = f"add `{key}: {_VALUES.get(key, _EXAMPLES[kind])}`"
            if near := nearest(key, self.data):
                hint = f"did you mean `{key}` instead of `{near}`?"
            raise self.error(f"missing key `{key}`", hint=hint)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            what = escaped_name(repr(value), 40)
            raise self.error(
                f"must be {_KINDS[kind]}, not {what}", key, hint=f"write `{key}: {_EXAMPLES[kind]}`"
            )
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """Return the string under a key. Raises DataError if it is empty."""
        value: str = self.take(key, str, default)
        if not value and default is None:
            raise self.error("is empty", key, hint=f'write `{key}: "name"`')
        return value

    def folder_name(self, key: str) -> str:
        """Return the string under a key, which must be a valid folder name. Raises DataError."""
        name = self.text(key)
        reason = _no_folder_name(name)
        if reason:
            what = f"{escaped_name(name, 40)!r} must be valid as the name of a folder: {reason}"
            raise self.error(what, key, hint=f'write `{key}: "{_folder_name(name)}"`')
        return name

    def section(self, key: str, *, needed: bool = True) -> Section:
        """Return the mapping under a key; an empty one if it is optional and missing."""
        data = self.take(key, dict, None if needed else {})
        return self._replace(data=data, keys=(*self.keys, key))

    def sections(self, key: str, *, needed: bool = True) -> Iterator[Section]:
        """Return the mappings in the list under a key. Raises DataError for other entries."""
        for number, entry in enumerate(self.take(key, list, None if needed else [])):
            if not isinstance(entry, dict):
                raise self.error("must be a mapping", key, number, hint=f"write `{key}:` and `- name: …`")
            yield self._replace(data=entry, keys=(*self.keys, key, number))

    def file(self, key: str) -> Path:
        """Return the file under a key. Raises DataError if it does not exist."""
        text = self.text(key)
        path = self.paths.resolve(text)
        if not path.exists():
            message = (
                f"no file at {escaped_path(path)} (paths are relative to {escaped_path(self.paths.root)})"
            )
            hint, found = self._instead(text, key)
            if not self.tolerant:
                raise self.error(message, key, hint=hint)
            edit = None if found is None else self.edit(text, f"./{found.path}", key)
            self.report(JobRemark(self.place(key), message, hint, fatal=True, edit=edit))
        return path

    def _instead(self, text: str, key: str) -> tuple[str, NearestFile | None]:
        """Return a hint for a missing path, and the file that may be meant."""
        root, near = self.paths.root, Path(str(self.document.path))
        found = nearest_file(text, root=root, near=near)
        if found is not None:
            old, new = path_map(text, found)
            mapped = f"--path-map {quoted(f'{old}={new}')}"
            return (f'{key}: "./{found.path}"  (`ianvs run`: {mapped})' if self.tolerant else mapped), found
        if (above := root_above(text, near)) is not None:
            return f"--root {quoted(above)}", None
        place = self.paths.resolve(text)
        if place.parent.is_dir() and (like := nearest(place.name, os.listdir(place.parent))):
            return f"did you mean {quoted(like)}?", None
        name, below = escaped_name(Path(text).name, 60), escaped_path(root)
        other = "" if Path(text).is_absolute() else ", or set the base of relative paths: `--root DIR`"
        return f"no matching {name} below {below}; download it first{other}", None

    def dead(self, known: Iterable[str], *, why: str = "unknown key without effect") -> None:
        """Report unused keys, with the nearest used ones."""
        names = list(known)
        for key in self.data:
            if key not in names:
                unused = [name for name in names if name not in self.data]
                hint = nearest_hint(key, unused, otherwise=f"the keys here are {', '.join(names)}")
                self.remark(f"`{dotted((*self.keys, key))}`: {why}", key, hint=hint)


def open_section(path: Path, root_key: str, paths: PathRules, report: Callable[[JobRemark], None]) -> Section:
    """Open the mapping under the root key of a file."""
    document = read_yaml(path, purpose="reading an Ianvs job", extra="ianvs")
    if not isinstance(document.data, dict):
        raise document.error("not a mapping", hint=f"the first line must be `{root_key}:`")
    whole = Section(document, document.data, (), paths, report)
    whole.dead([root_key])
    return whole.section(root_key)


def _no_folder_name(name: str) -> str:
    """Return why a folder in a workspace cannot have this name; empty if it can."""
    if "/" in name:
        return "has a slash in it"
    if name.startswith("."):
        return "begins with a dot"
    if name == EDGE:
        return "a file has this name"
    if not name.isprintable():
        return "it has unprintable characters"
    size = len(name.encode("utf-8", "surrogatepass"))
    return f"it has {size} bytes; the limit is {_MAX_NAME}" if size > _MAX_NAME else ""


def _folder_name(name: str) -> str:
    """Return the nearest valid name of a folder."""
    valid_name = "".join(each if each.isprintable() and each != "/" else "_" for each in name[:40])
    return valid_name.strip("._") or "name"


MAX_FILES = 200_000
_SKIPPED = {".git", "node_modules", "__pycache__", ".venv", "workspace"}
# Names that many examples share: files that agree only in these may differ.
_COMMON = frozenset(
    [
        "data",
        "dataset",
        "train",
        "test",
        "train_data",
        "test_data",
        "data.json",
        "data.jsonl",
        "metadata.json",
        "index.txt",
        "train.txt",
        "test.txt",
        "testenv",
        "testalgorithms",
        "test_algorithms",
        "algorithm",
        "gen",
        "testenv.yaml",
        "algorithm.yaml",
        "basemodel.py",
        "acc.py",
    ]
)


class NearestFile(NamedTuple):
    """A file below the root that a path may mean, and the number of equal parts at the end."""

    path: PurePosixPath  # from the root
    shared: int


def nearest_file(text: str, *, root: Path, near: Path) -> NearestFile | None:
    """Return the file with the most similar end of the path; of equals, the one nearest to `near`.

    `near` is the file that contains the path. None if there is no such file, or several equal ones.
    """
    name = PurePosixPath(text).name
    parts = [part for part in PurePosixPath(text).parts if part not in ("/", ".", "~")]
    home = _below(near.parent, root)
    found = [NearestFile(path, _shared_end(parts, path.parts)) for path in _tree(root).get(name, ())]
    found = [each for each in found if _is_plausible(each, parts, home)]
    found.sort(key=lambda each: (each.shared, _shared_start(each.path.parts, home)), reverse=True)
    if len(found) > 1 and _rank(found[0], home) == _rank(found[1], home):
        return None
    return found[0] if found else None


def path_map(text: str, found: NearestFile) -> tuple[str, str]:
    """Return the prefix of a path to replace, and its replacement; common parts stay."""
    head = found.path.parts[: len(found.path.parts) - found.shared]
    old = text
    for _ in range(found.shared):
        old = old.rpartition("/")[0]
    if old in ("", ".", "~"):  # it would hold for every other path too
        return text, str(found.path)
    return old, str(PurePosixPath(*head)) if head else "."


def root_above(text: str, near: Path) -> Path | None:
    """Return the folder above a file from which a relative path exists."""
    if PurePosixPath(text).is_absolute():
        return None
    return next((folder for folder in near.absolute().parents if (folder / text).exists()), None)


def _is_plausible(found: NearestFile, parts: Sequence[str], home: Sequence[str]) -> bool:
    """Return whether more than common names are equal, or the file is in the same example."""
    example = home[:2]
    alike = parts[len(parts) - found.shared :]
    return list(found.path.parts[: len(example)]) == list(example) or not _COMMON.issuperset(alike)


def _rank(found: NearestFile, home: Sequence[str]) -> tuple[int, int]:
    return found.shared, _shared_start(found.path.parts, home)


def _shared_end(one: Sequence[str], other: Sequence[str]) -> int:
    return _shared_start(one[::-1], other[::-1])


def _shared_start(one: Sequence[str], other: Sequence[str]) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def _below(folder: Path, root: Path) -> Sequence[str]:
    folder, root = folder.absolute(), root.absolute()
    return folder.relative_to(root).parts if folder.is_relative_to(root) else ()


@lru_cache(maxsize=4)
def _tree(root: Path) -> dict[str, list[PurePosixPath]]:
    """Index all files and folders below a folder by name."""
    names: dict[str, list[PurePosixPath]] = {}
    count = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(each for each in folders if each not in _SKIPPED)
        below = PurePosixPath(Path(folder).relative_to(root).as_posix())
        for name in (*folders, *files):
            names.setdefault(name, []).append(below / name)
        count += len(folders) + len(files)
        if count > MAX_FILES:
            break
    return names
