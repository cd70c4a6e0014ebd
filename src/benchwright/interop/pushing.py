"""Push a run to a server of `benchwright serve`: an archive of its files, sent once, by its content.

The archive of equal files has equal bytes, so the server recognises a repeated push by its hash, and an
interrupted one is simply sent again.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urlsplit

import msgspec

from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import DataError, PrerequisiteError, RunError, UsageError, command_name
from benchwright.http_client import backoff, client_options, connection_error_text, is_local, retry_after
from benchwright.store.runfolder import RunFolder
from benchwright.store.secret_files import read_secret

TOKEN = "BENCHWRIGHT_TOKEN"  # the environment variable with the token
MAX_UPLOAD = 256 << 20  # bytes that a server takes
CLAIMED = "claimed"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # a zip has no earlier time
_CHUNK = 1 << 18
_TRIES = 4
_WAIT_S = 2.0  # between questions for the state
_ANSWERS, _VERDICTS = ("run.json", "answers.jsonl"), ("verdicts.jsonl", "scores.json")


class PushTarget(NamedTuple):
    """The space that receives a push: its address, as its page shows it, and the token."""

    url: str
    token: str

    @property
    def runs(self) -> str:
        """The address of the space's submissions."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}/api{parts.path.rstrip('/')}/runs"


class PushOptions(NamedTuple):
    """How a run is pushed. `data` and `model` describe a file, which does not name them itself."""

    data: str = ""
    model: str = ""
    answers_only: bool = False


class PushReply(NamedTuple):
    """The reply of a server to a push."""

    status: int
    document: dict[str, Any]


def check_target(url: str) -> None:
    """Raise UsageError for an address that is not a space, or that would send the token unencrypted."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or not parts.path.startswith("/spaces/"):
        raise UsageError(
            f"--to {escaped_name(url)}: not the address of a space",
            hint="--to https://bench.example.org/spaces/SPACE",
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError(
            "--to: the address must not contain a name, a query or a fragment",
            hint=f"set {TOKEN}, or use --token-file FILE",
        )
    if parts.scheme == "http" and not is_local(url):
        raise UsageError(
            f"--to {escaped_name(url)}: without TLS the token would be sent unencrypted",
            hint=f"--to https://{parts.netloc}{parts.path}",
        )


def read_token(file: Path | None) -> str:
    """The token, from a file or from the environment. Raises UsageError or PrerequisiteError.

    Messages never contain it.
    """
    if file is None:
        value = os.environ.get(TOKEN, "")
        if not value.strip():
            raise PrerequisiteError(
                "no token to push with",
                hint=f"export {TOKEN}=…, or --token-file FILE; a space's page makes one",
            )
        return _checked_token(value, TOKEN)
    return _checked_token(read_secret(file, owner_only=True), escaped_path(file))


def _checked_token(value: str, where: str) -> str:
    token = value.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(f"{where} has no token", hint="make a new token on the space's page")
    return token


def pack(source: Path, out: BinaryIO, *, answers_only: bool) -> None:
    """Write what is pushed of a run folder, or the file itself. Raises RunError or DataError."""
    if source.is_dir():
        _pack_run(source, out, answers_only=answers_only)
        return
    try:
        with source.open("rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise DataError(f"{escaped_path(source)} is not an ordinary file")
            while chunk := stream.read(_CHUNK):
                out.write(chunk)
                _check_size(out, source)
    except OSError as error:
        raise RunError(
            f"{escaped_path(source)} cannot be read: {error.strerror}", hint=f"ls -l {quoted(source)}"
        ) from None


def _pack_run(source: Path, out: BinaryIO, *, answers_only: bool) -> None:
    folder = RunFolder.read(source)
    names = _ANSWERS if answers_only else (*_ANSWERS, *_VERDICTS)
    missing = [name for name in names if not (folder.path / name).is_file()]
    if missing:
        hint = "--answers-only, for hidden tests" if "answers.jsonl" not in missing else "finish the run"
        raise RunError(f"{escaped_path(source)} has no {', '.join(missing)}", hint=hint)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in names:
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            with (folder.path / name).open("rb") as stream, packed.open(entry, "w") as member:
                while chunk := stream.read(_CHUNK):
                    member.write(chunk)
    _check_size(out, source)


def _check_size(out: BinaryIO, source: Path) -> None:
    if (size := out.tell()) > MAX_UPLOAD:
        raise DataError(
            f"{escaped_path(source)}: {size:,} bytes are more than the {MAX_UPLOAD:,} of a push",
            hint="--answers-only leaves verdicts out",
        )


class PushClient:
    """Sends one archive to one space, and asks for its state."""

    def __init__(self, target: PushTarget, *, sleep: Callable[[float], None] = time.sleep) -> None:
        import httpx  # noqa: PLC0415 (0.3 s, only needed here)

        self._target, self._sleep, self._httpx = target, sleep, httpx
        self._client = httpx.Client(
            timeout=120.0,
            headers={"authorization": f"Bearer {target.token}"},
            **client_options(target.url),
        )

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def push(self, body: BinaryIO, options: PushOptions, sent: Callable[[int, int], None]) -> PushReply:
        """Send an archive, again after a broken connection; a server that has it replies with its state.

        `sent` receives the number of bytes sent and their total. Raises RunError if it is refused.
        """
        size, digest = _measure(body)
        headers = {"content-type": "application/octet-stream", "content-length": str(size)}
        headers |= {"x-content-sha256": digest}
        parameters = {
            name: value for name, value in (("data", options.data), ("model", options.model)) if value
        }

        def chunks() -> Iterator[bytes]:
            body.seek(0)
            bytes_sent = 0
            while chunk := body.read(_CHUNK):
                yield chunk
                bytes_sent += len(chunk)
                sent(bytes_sent, size)

        return self._again(
            digest,
            lambda: self._client.post(
                self._target.runs, params=parameters, headers=headers, content=chunks()
            ),
        )

    def state(self, submission: str) -> PushReply:
        """The state of a submission."""
        return self._again(submission, lambda: self._client.get(f"{self._target.runs}/{submission}"))

    def wait(self, submission: str, on_reply: Callable[[PushReply], None]) -> PushReply:
        """Ask until the submission is judged or given up; `on_reply` receives each reply."""
        while True:
            reply = self.state(submission)
            on_reply(reply)
            if reply.document.get("state") != CLAIMED or reply.document.get("given_up") is True:
                return reply
            self._sleep(_WAIT_S)

    def _again(self, key: str, ask: Callable[[], Any]) -> PushReply:
        for attempt in range(_TRIES):
            try:
                response = ask()
            except self._httpx.HTTPError as error:
                if attempt == _TRIES - 1:
                    raise RunError(
                        f"{escaped_name(self._target.url)} cannot be reached: {connection_error_text(error)}",
                        hint="the same command sends it again",
                    ) from None
                self._sleep(backoff(key, attempt))
                continue
            if response.status_code == 503 and attempt < _TRIES - 1:
                self._sleep(retry_after(response.headers, date=time.time()) or backoff(key, attempt))
                continue
            return _checked_reply(response.status_code, response.content, self._target)
        raise AssertionError("the loop returns or raises")


def _measure(body: BinaryIO) -> tuple[int, str]:
    digest = hashlib.sha256()
    body.seek(0)
    while chunk := body.read(_CHUNK):
        digest.update(chunk)
    return body.tell(), digest.hexdigest()


def _checked_reply(status: int, content: bytes, target: PushTarget) -> PushReply:
    """The document of a reply. Raises RunError with the server's reason."""
    try:
        document = msgspec.json.decode(content[: 16 << 20], type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        document = {}
    is_known = status < 300 or (status == 409 and document.get("reason") == "duplicate")
    if is_known and isinstance(document.get("state"), str) and isinstance(document.get("submission"), str):
        if status == 409:  # pushed before: its state, without the refusal
            document["reason"] = document.pop("state_reason", "")
        return PushReply(status, document)
    place = escaped_name(target.url)
    if status in (401, 403, 404):
        raise RunError(
            f"{place} did not accept the token ({status})",
            hint="the space's page makes tokens; they expire and belong to one space",
        )
    reason, error = document.get("reason"), document.get("error")
    if not isinstance(error, str):
        raise RunError(f"{place} answered {status} without a reason", hint=f"is it `{command_name()} serve`?")
    reason_text = f" ({escaped_name(str(reason), 40)})" if reason else ""
    why = document.get("why")
    hint = escaped_name(why, 300) if isinstance(why, str) and why else None
    raise RunError(f"refused{reason_text}: {escaped_name(error, 400)}", hint=hint)
