"""Style sheets and scripts, each at an address made from its content."""

from __future__ import annotations

import hashlib
from importlib.resources import files

from benchwright.display.html import page_style

TYPES = {".css": "text/css", ".js": "text/javascript"}
OWN = "benchwright.web.core"


class AssetTable:
    """All files that may be served, by address. Built at start-up."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        texts = {"site.css": page_style() + _read(OWN, "site.css")}
        for package in packages:
            for entry in sorted((files(package) / "assets").iterdir(), key=lambda each: each.name):
                if entry.name.endswith(tuple(TYPES)):
                    texts[entry.name] = entry.read_text(encoding="utf-8")
        self._addresses = {name: f"/assets/{_digest(text)}-{name}" for name, text in texts.items()}
        self._bodies = {self._addresses[name]: text.encode() for name, text in texts.items()}

    def address(self, name: str) -> str:
        """The address of a file; it changes with the content. Raises KeyError for an unknown file."""
        return self._addresses[name]

    def body(self, address: str) -> bytes | None:
        """The file at this address; None if there is none."""
        return self._bodies.get(address)


def _read(package: str, name: str) -> str:
    return (files(package) / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
