"""Hooks of mkdocs: complete the navigation, generate reference pages, weigh search results, rewrite links.

Design notes are pages of the site, so links to them work. They are in neither the navigation (`not_in_nav` in
`mkdocs.yml`) nor the search index. Guides precede reference pages in the results of a search.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs_site.reference import FOLDER, command_index, command_pages, python_interface

try:
    from mkdocs.structure.files import File
except ModuleNotFoundError:  # the tests use the other functions without it
    File = Any

GUIDES = "Guides"
NOTES = "design/"  # folder of the design notes
ROOT = Path(__file__).resolve().parents[1]
REFERENCE = "reference/"
COMMANDS = "reference/command-line.md"  # the index of commands; their pages follow it in the navigation
PAGES = {COMMANDS: command_index, "reference/python.md": python_interface}
BOOSTS = {FOLDER: 1.5, REFERENCE: 0.5, "schemas.md": 0.5, "releasing.md": 0.5}  # by the beginning of a path
GUIDE_BOOST = 2.0  # every other page
_LINK = re.compile(r"\]\(((?:\.\./)+[^)\s]+)\)")


def on_config(config: Any) -> Any:
    """Add the pages that `nav` does not list, and those of the commands."""
    config["nav"] = with_commands(completed(config["nav"], ROOT / "docs"), list(command_pages()))
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the generated pages of the commands."""
    for path, text in command_pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def with_commands(nav: Any, pages: list[str]) -> Any:
    """The navigation with the index of commands as a section that contains their pages."""
    if isinstance(nav, dict):
        return {title: with_commands(below, pages) for title, below in nav.items()}
    if isinstance(nav, list):
        return [
            {"Commands": [COMMANDS, *pages]} if each == COMMANDS else with_commands(each, pages)
            for each in nav
        ]
    return nav


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
    """Generate a reference page, or rewrite links out of `docs/`. Set the page's weight in the search."""
    name = page.file.src_uri
    page.meta["search"] = search_weight(name)
    make = PAGES.get(name)
    return make() if make else linked(markdown, name, config["repo_url"])


def search_weight(page: str) -> dict[str, Any]:
    """The settings of the search plugin for a page."""
    if page.startswith(NOTES):
        return {"exclude": True}
    return {"boost": next((boost for start, boost in BOOSTS.items() if page.startswith(start)), GUIDE_BOOST)}


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
