"""The key to the interface: read when it is needed, sent to one host, and never written or shown."""

from __future__ import annotations

import os
from collections.abc import Mapping

from benchwright.display.escape import escaped_name
from benchwright.errors import PrerequisiteError

NAMES = ("GITHUB_TOKEN", "GH_TOKEN")
MAX_SAID = 300  # characters of a server's own words in a message


class Token:
    """A token, or none. Its text form does not show it."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        given = os.environ if environment is None else environment
        self.name = next((name for name in NAMES if given.get(name, "").strip()), "")
        self._text = given[self.name].strip() if self.name else ""
        if not (self._text.isascii() and self._text.isprintable() and " " not in self._text):
            hint = f"export {self.name}=… again, without line breaks"
            raise PrerequisiteError(f"{self.name} holds characters that no token has", hint=hint)

    def headers(self) -> dict[str, str]:
        """What to send it as; nothing where there is none."""
        return {"authorization": f"Bearer {self._text}"} if self._text else {}

    def quoted(self, text: str) -> str:
        """A server's words for a message: one short escaped line, without the token that some repeat."""
        if self._text:
            text = text.replace(self._text, "…")
        return escaped_name(" ".join(text[: 20 * MAX_SAID].split()), MAX_SAID)
