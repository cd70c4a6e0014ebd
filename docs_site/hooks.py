"""Hooks of mkdocs: complete the navigation, hide design notes, generate reference pages, rewrite links.

Design notes are pages of the site, so links to them work. They are in neither the navigation (`not_in_nav` in
`mkdocs.yml`) nor the search index.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs_site.reference import command_line, python_interface

GUIDES = "Guides"
NOTES = "design/"  # folder of the design notes
ROOT = Path(__file__).resolve().parents[1]
PAGES = {"reference/command-line.md": command_line, "reference/python.md": python_interface}
_LINK = re.compile(r"\]\(((?:\.\./)+[^)\s]+)\)")


def on_config(config: Any) -> Any:
    """Add the pages that `nav` does not list."""
    config["nav"] = completed(config["nav"], ROOT / "docs")
    return config


def completed(nav: list[Any], folder: Path) -> list[Any]:
    """The navigation with unlisted pages appended to the guides. Design notes are left out."""
    pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))
    listed = set(_named(nav))
    unlisted = [page for page in pages if page not in listed and not page.startswith(NOTES)]
    return [{**part, GUIDES: part[GUIDES] + unlisted} if GUIDES in part else part for part in nav]


def _named(nav: Any) -> Iterator[str]:
    """All pages of a navigation at any depth."""
    if isinstance(nav, str):
        yield nav
    for below in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _named(below)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Generate a reference page, or rewrite links out of `docs/`. Exclude design notes from the search."""
    name = page.file.src_uri
    if name.startswith(NOTES):
        page.meta["search"] = {"exclude": True}
    make = PAGES.get(name)
    return make() if make else linked(markdown, name, config["repo_url"])


def linked(markdown: str, page: str, repository: str) -> str:
    """The page with links out of `docs/` replaced by addresses in the repository; other links stay."""

    def address(link: re.Match[str]) -> str:
        path, mark, anchor = link[1].partition("#")
        place = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), path))
        if place.startswith("docs/"):
            return link[0]
        kind = "tree" if (ROOT / place).is_dir() else "blob"
        return f"]({repository}/{kind}/main/{place}{mark}{anchor})"

    return _LINK.sub(address, markdown)
