"""Where a server is and the key to it, from the call and the environment. The key stays in here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from benchwright.display.escape import escaped_name
from benchwright.errors import PrerequisiteError, UsageError

OPENAI = "https://api.openai.com/v1"
PATHS = {"chat": "/chat/completions", "completions": "/completions"}
MAX_SAID = 300  # characters of a server's own words in a message


class Endpoint:
    """The URL to ask at, and the headers to ask with. Neither its text nor its URL shows the key."""

    def __init__(self, base_url: str, *, api: str, key: str) -> None:
        self.base_url = base_url
        self.url = base_url + PATHS[api]
        self._key = key

    def headers(self) -> dict[str, str]:
        """The headers of every request.

        Replies are asked for unpacked: a few packed bytes could grow to gigabytes.
        """
        headers = {"content-type": "application/json", "accept": "application/json"}
        headers |= {"accept-encoding": "identity", "user-agent": "benchwright"}
        return headers | {"authorization": f"Bearer {self._key}"} if self._key else headers

    def quoted(self, text: str) -> str:
        """A server's words for a message: one short escaped line, without the key that some repeat."""
        if self._key:
            text = text.replace(self._key, "…")
        return escaped_name(" ".join(text[: 20 * MAX_SAID].split()), MAX_SAID)


def find_endpoint(
    base_url: str | None, *, api: str, environment: Mapping[str, str] | None = None
) -> Endpoint:
    """The endpoint that was named, or that OPENAI_BASE_URL names, or OpenAI's own.

    Raises UsageError for what is no base URL. OPENAI_API_KEY is taken as it is; whether it may be
    absent is for `require_key` to say, when something is about to be asked.
    """
    environment = os.environ if environment is None else environment
    source = "--base-url" if base_url is not None else "OPENAI_BASE_URL"
    given = base_url if base_url is not None else environment.get("OPENAI_BASE_URL") or OPENAI
    url = _checked(given.strip(), source)
    return Endpoint(url, api=api, key=environment.get("OPENAI_API_KEY", "").strip())


def require_key(endpoint: Endpoint) -> None:
    """Raise PrerequisiteError for a key that cannot be sent, and for none where OpenAI would be asked."""
    sent = endpoint.headers().get("authorization", "")
    if not (sent.isascii() and sent.isprintable()):
        hint = "export it again: a key has letters, digits, `-` and `_` only"
        raise PrerequisiteError("OPENAI_API_KEY holds characters that no header can carry", hint=hint)
    if not sent and urlsplit(endpoint.base_url).hostname == "api.openai.com":
        hint = "export OPENAI_API_KEY=…, or name another server with `--base-url http://localhost:8000/v1`"
        raise PrerequisiteError("OpenAI's server needs a key, and OPENAI_API_KEY is not set", hint=hint)


def _checked(url: str, source: str) -> str:
    example = "such as `http://localhost:8000/v1`"
    shown = escaped_name(url, 200)
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        whole = False
    if not (whole and url.isprintable() and " " not in url):
        raise UsageError(f"{source}: {shown!r} is not the URL of a server", hint=f"write it whole, {example}")
    if parts.username is not None or parts.password is not None:
        message = f"{source}: the URL holds a name or password, which the run folder would store"
        raise UsageError(message, hint="leave it out of the URL and set OPENAI_API_KEY to it")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        message = f"{source}: {shown!r} goes on after the path"
        raise UsageError(message, hint=f"end it where the interface begins, {example}")
    return _base(url)


def _base(url: str) -> str:
    """Without a slash at its end, nor the path of one interface, which people paste along."""
    url = url.rstrip("/")
    for path in PATHS.values():
        url = url.removesuffix(path)
    return url.rstrip("/")
