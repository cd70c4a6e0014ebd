"""One door to the rows of a data set, whatever it is stored as: JSON, JSON Lines, TOML, gzip, Parquet, hub.

A name of `store.named_data` is fetched when it is first used; a path that exists comes before it.

A data set on the Hugging Face hub is `hf://owner/name[@revision][/config][#split]` (extra `hub`). Only data
files are downloaded, never a loading script: a script is somebody's program, and `datasets` would run it. The
revision is pinned to a commit before the first download, so that all files of a data set belong together.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError, PrerequisiteError, RunError, UsageError, install_command
from benchwright.store.files import BUFFER, READ_ERRORS, broken_off, is_parquet, locate, open_binary
from benchwright.store.lines import Row, read_rows
from benchwright.store.named_data import find_data, get_data, is_name, nearest_name
from benchwright.store.parquet import read_parquet
from benchwright.store.strict_json import Numbers
from benchwright.store.toml_rows import is_toml, read_toml

SCHEMES = ("hf://", "hub:")
_FORM = "hub:owner/name[@revision][/config][#split]"
_SOURCE = re.compile(
    r"(?:hf://(?:datasets/)?|hub:)(?P<repo>[\w.-]+/[\w.-]+)"
    r"(?:@(?P<revision>[^/#]+))?(?:/(?P<config>[^#]+))?(?:#(?P<split>[\w.-]+))?",
    re.ASCII,
)
_DATA = re.compile(r"\.(parquet|jsonl|json)(\.gz)?$")
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
    files = sorted(name for name in names if _DATA.search(name) and ".." not in name.split("/"))
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

    `refuse` is told of rows that are no JSON objects, which are errors without it: see `read_rows`. `numbers`
    "any" lets infinities and NaN through: see `strict_json`.
    """
    for path in files(source):
        yield from _rows_of(path, refuse, numbers)


def _rows_of(path: Path, refuse: Callable[[DataError], None] | None, numbers: Numbers) -> Iterator[Row]:
    if is_parquet(path):
        return read_parquet(path)
    if is_toml(path):
        return read_toml(path, refuse=refuse)
    if path.suffix.lower() in (".csv", ".tsv"):
        hint = "write one JSON object a row: JSON Lines"
        raise DataError("a data set is not read from CSV", path=escaped_path(path), hint=hint)
    return read_rows(path, refuse=refuse, numbers=numbers)


def data_hash(source: str | Path) -> str:
    """SHA-256 of a source's content, decompressed: a file and its gzip have one hash.

    For a plain file it is what `sha256sum` prints; for several files, the hash of their hashes.
    """
    digests = [_digest(path) for path in files(source)]
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
