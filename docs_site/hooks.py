"""What mkdocs calls while it builds: links from `docs/` lead to the repository, reference pages are made."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs_site.reference import command_line, python_interface

GUIDES = "Guides"
ROOT = Path(__file__).resolve().parents[1]
PAGES = {"reference/command-line.md": command_line, "reference/python.md": python_interface}
_LINK = re.compile(r"\]\(((?:\.\./)+[^)\s]+)\)")


def on_config(config: Any) -> Any:
    """The navigation with every page in it."""
    config["nav"] = completed(config["nav"], ROOT / "docs")
    return config


def completed(nav: list[Any], folder: Path) -> list[Any]:
    """The navigation with the pages that it does not name: design notes by themselves, others as guides."""
    pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))
    absent = [page for page in pages if page not in set(_named(nav))]
    guides = [page for page in absent if not page.startswith("design/")]
    notes = [page for page in absent if page.startswith("design/")]
    parts = [{**part, GUIDES: part[GUIDES] + guides} if GUIDES in part else part for part in nav]
    return [*parts, {"Design notes": notes}]


def _named(nav: Any) -> Iterator[str]:
    """Every page of a navigation, however deep."""
    if isinstance(nav, str):
        yield nav
    for below in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _named(below)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The page as it is shown: a reference page is made, and links out of `docs/` become addresses."""
    make = PAGES.get(page.file.src_uri)
    return make() if make else linked(markdown, page.file.src_uri, config["repo_url"])


def linked(markdown: str, page: str, repository: str) -> str:
    """Links of a page that lead out of `docs/`, as addresses; all others stay."""

    def address(found: re.Match[str]) -> str:
        path, mark, anchor = found[1].partition("#")
        place = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), path))
        if place.startswith("docs/"):
            return found[0]
        kind = "tree" if (ROOT / place).is_dir() else "blob"
        return f"]({repository}/{kind}/main/{place}{mark}{anchor})"

    return _LINK.sub(address, markdown)
