"""Data sets as users name them: files of any supported format, folders, names, and hub addresses."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import starmap
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import msgspec

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, PrerequisiteError, RunError, UsageError, install_command
from benchwright.store.field_map import MappedData, mapped_rows
from benchwright.store.files import BUFFER, READ_ERRORS, broken_off, is_parquet, locate, open_binary
from benchwright.store.keys import content_key
from benchwright.store.lines import BOM, Row, read_rows
from benchwright.store.named_data import find_data, get_data, is_name, nearest_name
from benchwright.store.strict_json import Numbers
from benchwright.store.tables import read_csv, read_yaml_rows, table_format

SCHEMES = ("hf://", "hub:")
_FORM = "hub:owner/name[@revision][/config][#split]"
_SOURCE = re.compile(
    r"(?:hf://(?:datasets/)?|hub:)(?P<repo>[\w.-]+/[\w.-]+)"
    r"(?:@(?P<revision>[^/#]+))?(?:/(?P<config>[^#]+))?(?:#(?P<split>[\w.-]+))?",
    re.ASCII,
)
_DATA = re.compile(r"\.(parquet|jsonl|json)(\.gz)?$")
_TABLES = re.compile(r"\.(csv|tsv)(\.gz)?$")  # where a repository has no other data files
_SHARD = re.compile(r"-\d{5}-of-\d{5}(?=\.)")


class HubSource(NamedTuple):
    """A data set on the hub; `config` may also be the path of one file."""

    repo: str
    revision: str | None = None
    config: str | None = None
    split: str | None = None


def is_hub(source: object) -> bool:
    """Whether a source names the hub rather than a file."""
    return isinstance(source, str) and source.startswith(SCHEMES)


def parse_source(source: str) -> HubSource:
    """The parts of a hub source. Raises UsageError with the right form."""
    match = _SOURCE.fullmatch(source)
    if match is None:
        raise UsageError(f"{source!r} is not a data set on the hub", hint=f"the form is {_FORM}")
    repo, revision, config, split = match.groups()
    return HubSource(repo, unquote(revision) if revision else None, config, split)


def download(source: str) -> list[Path]:
    """The data files of a hub source, in the hub client's cache, in order."""
    wanted = parse_source(source)
    hub = _client()
    try:
        info = hub.HfApi().dataset_info(wanted.repo, revision=wanted.revision)
        names = choose([file.rfilename for file in info.siblings], wanted, source)
        return [
            Path(hub.hf_hub_download(wanted.repo, name, repo_type="dataset", revision=info.sha))
            for name in names
        ]
    except (DataError, UsageError):
        raise
    except Exception as error:  # the client's errors differ by version: requests', httpx's and its own
        hint = "check the name and the network; for a private data set, log in with `hf auth login`"
        raise RunError(f"{source} cannot be downloaded: {error}", hint=hint) from error


def choose(names: list[str], wanted: HubSource, source: str) -> list[str]:
    """The files of one split: exactly one file, or the shards of one. Never a guess between two."""
    safe = sorted(name for name in names if ".." not in name.split("/"))
    files = [*filter(_DATA.search, safe)] or [*filter(_TABLES.search, safe)]
    if wanted.config in files:
        return [wanted.config]
    if wanted.config:
        files = [name for name in files if _has(name, wanted.config)]
    splits = [wanted.split] if wanted.split else ["test"]
    chosen = [name for name in files if any(_has(name, split) for split in splits)]
    if not chosen and wanted.split is None:
        chosen = files
    families = sorted({_SHARD.sub("", name) for name in chosen})
    if len(families) == 1:
        return chosen
    what = ", ".join(families or files) or "none"
    problem = "more than one data file fits" if families else "no data file fits"
    raise DataError(f"{problem}: {what}", path=source, hint=f"name one of them: {_FORM}, or a file's path")


def _has(name: str, part: str) -> bool:
    """Whether a config or split is one of the words of a file's path, such as `data/test-00000-of-00001`."""
    return re.search(rf"(^|[/._-]){re.escape(part)}([/._-]|$)", name) is not None


def _client() -> Any:
    try:
        import huggingface_hub  # noqa: PLC0415 (an optional dependency)
    except ImportError:
        hint = install_command("hub")
        raise PrerequisiteError("data sets on the hub need huggingface_hub", hint=hint) from None
    return huggingface_hub


def files(source: str | Path) -> list[Path]:
    """The files that hold the rows of a source, in order. Those of the hub or of a name are fetched first."""
    if is_hub(source):
        return download(str(source))
    return [get_data(find_data(str(source)))] if is_name(source) else [_located(source)]


def _located(source: str | Path) -> Path:
    """The file of a source. Raises UsageError, with the name of a data set that may have been meant."""
    try:
        return locate(source)
    except UsageError as error:
        if isinstance(source, str) and "/" not in source and (hint := nearest_name(source)):
            raise UsageError(error.message, hint=hint) from None
        raise


def no_rows(path: str) -> DataError:
    """The error for a data set without rows."""
    return DataError("the data set has no rows", path=path, hint="write one JSON object per line")


def place(source: str | Path) -> str:
    """How messages name a source: the file inside a folder, the hub's name, or that of a data set."""
    return str(source) if is_hub(source) or is_name(source) else escaped_path(_located(source))


def open_rows(
    source: str | Path,
    *,
    refuse: Callable[[DataError], None] | None = None,
    numbers: Numbers = "finite",
) -> Iterator[Row]:
    """The rows of a data set, one at a time. The content of a file decides how it is read, not its name.

    `refuse` receives rows that are not JSON objects, which are errors without it: see `read_rows`. `numbers`
    "any" lets infinities and NaN through: see `strict_json`.
    """
    rows = (row for path in files(source) for row in _rows_of(path, refuse, numbers))
    if isinstance(source, MappedData):
        yield from starmap(Row, mapped_rows(rows, source, place(source), refuse))
    else:
        yield from rows


def _rows_of(path: Path, refuse: Callable[[DataError], None] | None, numbers: Numbers) -> Iterator[Row]:
    if is_parquet(path):
        from benchwright.store.parquet import read_parquet  # noqa: PLC0415 (few files are Parquet)

        return read_parquet(path)
    if is_toml(path):
        return read_toml(path, refuse=refuse)
    table = table_format(path)
    if table is not None:
        return starmap(Row, read_csv(path) if table == "csv" else read_yaml_rows(path, refuse))
    return read_rows(path, refuse=refuse, numbers=numbers)


def is_csv(source: str | Path) -> bool:
    """Return whether the files of a source are CSV, so that all their values are texts."""
    return any(table_format(path) == "csv" for path in files(source))


def data_hash(source: str | Path) -> str:
    """SHA-256 of a source's content, decompressed: a file and its gzip have one hash.

    For a plain file it is what `sha256sum` prints; for several files, the hash of their hashes. A field map
    is a part of the content.
    """
    digests = [_digest(path) for path in files(source)]
    if isinstance(source, MappedData) and not source.field_map.is_empty:
        digests.append(content_key(msgspec.to_builtins(source.field_map)))
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def folder_hash(folder: Path, paths: Iterable[Path]) -> str:
    """SHA-256 of files in a folder: of their places in it and their contents."""
    whole = hashlib.sha256()
    for path in sorted(paths):
        whole.update(f"{path.relative_to(folder)}\0{_digest(path)}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open_binary(path) as stream:
        try:
            while chunk := stream.read(BUFFER):
                digest.update(chunk)
        except READ_ERRORS as error:
            raise broken_off(error, escaped_path(path), 1) from None
    return digest.hexdigest()


MAX_TOML = 4 << 20
# A comment or a blank line, then a header of tables; JSON rows begin with a brace, or a bracket and a brace.
# A single table is not a data set; an error of the JSON reader would not explain that.
_START = re.compile(
    rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*\[(?:\[[ \t]*[A-Za-z_][\w-]*[ \t]*\]\]"
    rb"|[ \t]*(?!(?:true|false|null)\b)[A-Za-z_][\w-]*[ \t]*\][ \t]*(?:#[^\n]*)?\r?\n)"
)
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*([A-Za-z_][\w-]*)[ \t]*\]\][ \t]*(?:#.*)?$", re.MULTILINE)
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""|'
    r"'''.*?'''"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'|#[^\n]*",
    re.DOTALL,
)  # a text or a comment
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)|\(at end of document\)")
_HINT = "write each task as a separate table: a line [[task]], then its fields"


def is_toml(path: Path) -> bool:
    """Whether the file begins, after comments, with a header such as `[[task]]` or, by mistake, `[task]`."""
    with open_binary(path) as file:
        try:
            return _START.match(file.peek(BUFFER).removeprefix(BOM)) is not None
        except READ_ERRORS as error:
            raise broken_off(error, escaped_path(path), 1) from None


def read_toml(path: Path, *, refuse: Callable[[DataError], None] | None = None) -> Iterator[Row]:
    """The tables of the file's one array, in order, each with the line of its header.

    Raises DataError (file, line, hint) for invalid TOML, for a second array and for a plain key outside the
    array. An error of a table that cannot be a row goes to `refuse` if given, and is raised otherwise.
    """
    place = escaped_path(path)
    text = _text(path, place)
    name, tables = _array(_parsed(text, place), place)
    lines = _lines(text, name, len(tables))
    for line, table in zip(lines, tables, strict=True):
        if what := _not_json(table):
            message = f"{what} is not allowed in a row"
            error = DataError(message, path=place, line=line, hint="write it as a text, in quotes")
            if refuse is None:
                raise error
            refuse(error)
            continue
        yield Row(line, table)


def _text(path: Path, place: str) -> str:
    with open_binary(path) as file:
        try:
            data = file.read(MAX_TOML + 1)
        except READ_ERRORS as error:
            raise broken_off(error, place, 1) from None
    if len(data) > MAX_TOML:
        message = f"the file is larger than {MAX_TOML:,} bytes"
        raise DataError(message, path=place, hint="write it as JSON Lines: one {…} a line")
    try:
        return data.removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError("is not UTF-8", path=place, line=line, hint="save the file as UTF-8") from None


def _parsed(text: str, place: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 (2 ms, and most data sets are JSON Lines)

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _AT_LINE.search(str(error))
        line = int(found[1]) if found and found[1] else text.rstrip().count("\n") + 1
        message = _AT_LINE.sub("", str(error)).strip()
        hint = "put a text of several lines between triple quotes: '''…'''"
        raise DataError(f"invalid TOML: {message}", path=place, line=line, hint=hint) from None


def _array(read: dict[str, Any], place: str) -> tuple[str, list[dict[str, Any]]]:
    """The name and the tables of the file's one array of tables."""
    name, *others = read
    if isinstance(read[name], dict):
        message = f"`[{escaped_name(name, 30)}]` is a single table, and a data set needs an array of tables"
        raise DataError(message, path=place, hint=f"write [[{escaped_name(name, 30)}]]")
    if others:
        listing = ", ".join(f"`{escaped_name(each, 30)}`" for each in others[:8])
        raise DataError(f"beside `[[{name}]]` stands {listing}", path=place, hint=_HINT)
    return name, read[name]


def _lines(text: str, name: str, count: int) -> list[int]:
    """The line of each table's header. What looks like one inside a text or a comment is none."""
    bare = _TOKEN.sub(lambda found: "\n" * found[0].count("\n"), text.replace("\r\n", "\n"))
    places = [found.start() for found in _HEADER.finditer(bare) if found[1] == name]
    lines = [bare.count("\n", 0, place) + 1 for place in places]
    return lines if len(lines) == count else [1] * count


def _not_json(value: Any) -> str:
    """Name a value that JSON cannot represent: a date, an infinite number; empty if there is none."""
    if isinstance(value, dict):
        return next(filter(None, map(_not_json, value.values())), "")
    if isinstance(value, list):
        return next(filter(None, map(_not_json, value)), "")
    if isinstance(value, float):
        return "" if isfinite(value) else f"the number {value}"
    return "" if isinstance(value, str | int) else f"the date or time {value}"  # a boolean is an int
