"""Data sets by name: where they are published, their hashes, and their download into the user's cache."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import DataError, RunError, UsageError, command_name, nearest
from benchwright.records import Record
from benchwright.store.files import GZIP, READ_ERRORS
from benchwright.store.user_cache import VARIABLES, put_cached, user_cache

READ_S, WHOLE_S = 30.0, 300.0
REDIRECTS = 5


class DownloadError(Exception):
    """No complete file could be fetched from an address; the message gives the reason."""


def download(url: str, most: int) -> bytes:
    """The file at an address, of at most `most` bytes. Raises Unreached.

    The time limit is for the whole download: with a limit on each read, a server that sends single bytes
    could continue for ever. Redirects are followed, because the request contains no key and the caller
    checks the content.
    """
    import asyncio  # noqa: PLC0415 (most commands fetch nothing)

    import httpx  # noqa: PLC0415

    from benchwright.http_client import connection_error_text  # noqa: PLC0415

    try:
        return asyncio.run(_fetched(url, most))
    except TimeoutError:
        raise DownloadError(f"no whole file within {WHOLE_S:g} s") from None
    except (httpx.HTTPError, httpx.InvalidURL, OSError, OverflowError, UnicodeError) as error:
        raise DownloadError(connection_error_text(error)) from None


async def _fetched(url: str, most: int) -> bytes:
    import asyncio  # noqa: PLC0415

    import httpx  # noqa: PLC0415

    from benchwright.http_client import client_options  # noqa: PLC0415

    options = {**client_options(url), "follow_redirects": True, "max_redirects": REDIRECTS, "timeout": READ_S}
    body = bytearray()
    # As it is stored, and not packed for the way: `most` bounds what is held.
    headers = {"accept-encoding": "identity"}
    async with (
        asyncio.timeout(WHOLE_S),
        httpx.AsyncClient(**options) as client,
        client.stream("GET", url, headers=headers) as response,
    ):
        if response.status_code != httpx.codes.OK:
            raise DownloadError(
                f"the server answered {response.status_code} {response.reason_phrase}".strip()
            )
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > most:
                raise DownloadError(f"the file has more than {most:,} bytes")
    return bytes(body)


TABLE = Path(__file__).with_name("named_data.toml")
_ADDRESSES = ("https://", "http://")
Fetch = Callable[[str, int], bytes]  # an address and the most bytes to take; raises Unreached


class NamedData(Record, frozen=True, kw_only=True):
    """Facts of a data set: `bytes` and `sha256` describe its decompressed content."""

    name: str
    title: str
    track: str
    rows: int
    licence: str
    homepage: str
    urls: list[str]  # of the same content; the second is tried if the first fails
    bytes: int
    sha256: str
    packed_sha256: str = ""  # of the gzip file that is published, where it is one

    @property
    def place(self) -> Path:
        """The path of the cached copy."""
        return data_folder() / f"{self.name}-{self.sha256[:12]}.jsonl"


def data_folder() -> Path:
    """The folder of the copies."""
    return user_cache() / "data"


@cache
def known_data() -> dict[str, NamedData]:
    """All named data sets, in the order of `data list`."""
    import tomllib  # noqa: PLC0415 (2 ms, and most commands name files)

    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {name: msgspec.convert({"name": name, **facts}, NamedData) for name, facts in table.items()}


def find_data(name: str) -> NamedData:
    """The data set of a name. Raises UsageError with the nearest one."""
    known = known_data()
    if name in known:
        return known[name]
    hint = nearest_name(name) or f"{command_name()} data list"
    raise UsageError(f"unknown data set: {escaped_name(name)!r}", hint=hint)


def nearest_name(name: str) -> str:
    """A hint with the nearest name; empty if none is near."""
    near = nearest(name.lower(), known_data())
    return f"did you mean `{near}`?" if near else ""


def is_name(source: object) -> bool:
    """Whether a source is the name of a data set. An existing path is always a path."""
    return isinstance(source, str) and not os.path.lexists(source) and source in known_data()


def is_here(data: NamedData) -> bool:
    """Whether a complete copy is in the cache."""
    return _cached_copy(data) is not None


def get_data(data: NamedData, *, mirror: str | None = None, fetch: Fetch = download) -> Path:
    """The path of the cached copy; a missing or damaged copy is fetched first.

    `mirror` is a file or an address to read instead of the published addresses. Only content with the
    published SHA-256 is stored. Raises DataError for other content, UsageError for a missing file, and
    RunError if the data set cannot be fetched or stored.
    """
    if _cached_copy(data) is not None:
        return data.place
    body = _from(data, mirror, fetch) if mirror is not None else _published(data, fetch)
    try:
        put_cached(data.place, body)
    except OSError as error:
        hint = f"{VARIABLES[0]}=FOLDER sets another folder for stored data"
        why = f"{data.name} cannot be stored in {escaped_path(data.place.parent)}: {error.strerror or error}"
        raise RunError(why, hint=hint) from None
    return data.place


def _cached_copy(data: NamedData) -> Path | None:
    """The cached copy, if it exists and has the right hash."""
    try:
        with data.place.open("rb") as file:
            body = file.read(data.bytes + 1)
    except OSError:  # missing or unreadable: it is fetched, which reports the reason if it fails
        return None
    return data.place if hashlib.sha256(body).hexdigest() == data.sha256 else None


def _published(data: NamedData, fetch: Fetch) -> bytes:
    """The content from the first address that answers."""
    failed: list[str] = []
    for url in data.urls:
        try:
            return _checked(data, fetch(url, _max_download(data)), url)
        except DownloadError as error:
            failed.append(f"{url}: {error}")
    hint = f"{command_name()} data get {data.name} --from FILE, with a file from {data.homepage}"
    raise RunError(f"{data.name} cannot be downloaded: {'; '.join(failed)}", hint=hint)


def _from(data: NamedData, mirror: str, fetch: Fetch) -> bytes:
    """The content of the file or address that the user named."""
    if mirror.startswith(_ADDRESSES):
        try:
            return _checked(data, fetch(mirror, _max_download(data)), mirror)
        except DownloadError as error:
            hint = f"download it by other means: {command_name()} data get {data.name} --from FILE"
            raise RunError(f"{escaped_name(mirror, 200)} cannot be downloaded: {error}", hint=hint) from None
    path = Path(mirror)
    try:
        with path.open("rb") as file:
            return _checked(data, file.read(_max_download(data) + 1), mirror)
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the name
        hint = f"ls -l {quoted(path)}"
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{escaped_path(path)} cannot be read: {why}", hint=hint) from None


def _max_download(data: NamedData) -> int:
    """The largest download to accept: gzip hardly makes a file larger."""
    return data.bytes + (1 << 16)


def _checked(data: NamedData, body: bytes, origin: str) -> bytes:
    """The decompressed content of a download. Raises DataError if its hash differs."""
    content = _unpacked(body, data.bytes) if body.startswith(GZIP) else body
    if content is None or hashlib.sha256(content).hexdigest() != data.sha256:
        raise _other_content(data, body, content, origin)
    if (rows := sum(1 for line in content.splitlines() if line.strip())) != data.rows:
        raise DataError(f"{data.name} has {rows:,} rows, not {data.rows:,}: the entry is wrong")
    return content


def _unpacked(body: bytes, most: int) -> bytes | None:
    """The decompressed bytes, at most one more than expected, to limit memory; None if damaged."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
            return file.read(most + 1)
    except READ_ERRORS:
        return None


def _other_content(data: NamedData, body: bytes, content: bytes | None, origin: str) -> DataError:
    published = f"{data.packed_sha256}, unpacked {data.sha256}" if data.packed_sha256 else data.sha256
    found = hashlib.sha256(body).hexdigest()
    if content is None:
        found += ", a damaged gzip file"
    elif content is not body:
        found += f", unpacked {hashlib.sha256(content).hexdigest()}"
    hint = f"use the published file from {data.homepage}"
    where = escaped_name(origin, 200)
    message = f"{where} is not {data.name}: its SHA-256 is {found}; that of {data.name} is {published}"
    return DataError(message, hint=hint)


def drop_data(data: NamedData) -> None:
    """Remove the cached copy, if there is one."""
    with suppress(FileNotFoundError):
        data.place.unlink()
