"""The documentation as a site: a strict build, and reference pages that hold all that the code offers."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import benchwright
from benchwright.cli.main import cli
from docs_site.hooks import COMMANDS, PAGES, completed, linked, search_weight, with_commands
from docs_site.reference import command_index, command_pages, commands, page_of, python_interface
from kit.needs import need, need_module
from kit.processes import HANG_S

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://host/owner/name"
SEARCH = Path(__file__).with_name("search_site.mjs")  # asks the site's own search


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site that `./run docs` has built (BENCHWRIGHT_SITE), else one built in the same way: a warning is an
    error."""
    if built := os.environ.get("BENCHWRIGHT_SITE"):
        return Path(built)
    need_module("mkdocs", reason="mkdocs is not installed, which builds the site: ./run docs")
    need_module("material", reason="mkdocs-material is not installed: ./run docs")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={
            **os.environ,
            "NO_MKDOCS_2_WARNING": "1",
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
        },
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def test_every_page_is_on_the_site(site: Path) -> None:
    """Each file of docs/ has a page."""
    pages = [path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")]
    places = [site / (page.parent if page.name == "index" else page) for page in pages]

    assert [str(place) for place in places if not (place / "index.html").is_file()] == []


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    """No script, style, font or picture comes from another host."""
    text = (site / "index.html").read_text(encoding="utf-8")
    loaded = re.findall(r'<(?:script|img|link)[^>]*?(?:src|href)="(https?://[^"]+)"', text)

    assert [address for address in loaded if "benchwright.github.io" not in address] == []


def test_the_reference_on_the_site_is_made(site: Path) -> None:
    """The reader sees the options, and no word of how the page came to be."""
    text = html.unescape((site / "reference/commands/run/index.html").read_text(encoding="utf-8"))
    index = html.unescape((site / "reference/command-line/index.html").read_text(encoding="utf-8"))

    assert ("--price-in" in text, "Generated from the code" in text) == (True, False)
    assert ("benchwright judge export" in index, "Generated from the code" in index) == (True, False)


FOUND_FIRST = {
    "timeout": "timeouts/",
    "install": "install/",
    "csv": "csv/",
    "DataFrame": "python/",
    "notebook": "notebooks/",
    "benchwright judge export": "reference/commands/judge-export/",
}


def test_a_search_finds_the_page_that_readers_mean(site: Path) -> None:
    """The site's own search, with its weights: the first page for each of these words."""
    node = need("node", "the search of the site runs in it")
    done = subprocess.run(
        [node, str(SEARCH), str(site), *FOUND_FIRST],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    first = {query: pages[0].partition("#")[0] for query, pages in json.loads(done.stdout).items()}

    assert first == FOUND_FIRST


def test_guides_outweigh_the_reference_in_the_search() -> None:
    """And design notes are not searched."""
    assert search_weight("design/01-run.md") == {"exclude": True}
    assert search_weight("timeouts.md")["boost"] > search_weight("reference/commands/run.md")["boost"]


def test_commands_are_a_section_of_the_navigation() -> None:
    """The index first, at any depth."""
    nav = with_commands(
        [{"Home": "index.md"}, {"Reference": [COMMANDS, "x.md"]}], ["reference/commands/run.md"]
    )

    assert nav[1] == {"Reference": [{"Commands": [COMMANDS, "reference/commands/run.md"]}, "x.md"]}


def every_command() -> list[tuple[str, click.Command]]:
    """All commands with the words that call them."""
    return list(commands(cli, "benchwright"))


def test_every_command_has_a_page() -> None:
    """With its usage line and every option that is not hidden, and a line in the index."""
    pages, index = command_pages(), command_index()
    absent = {
        f"{name} {option.opts[0]}"
        for name, command in every_command()
        for option in command.params
        if isinstance(option, click.Option)
        and not option.hidden
        and not re.search(rf"`[^`]*{re.escape(option.opts[0])}\b", pages[page_of(name)])
    }

    assert [name for name, _ in every_command() if f"\n    {name}" not in pages[page_of(name)]] == []
    assert [name for name, _ in every_command() if f"[{name}](commands/" not in index] == []
    assert absent == set()
    assert len(pages) == len(every_command()) > 35


def test_help_is_no_markup_in_the_reference() -> None:
    """Brackets, stars and bars of a help text do nothing; a table has two cells a row."""
    lines = [line for page in (*command_pages().values(), command_index()) for line in page.splitlines()]
    rows = [
        line for line in lines if line.startswith("| ") and not line.startswith(("| option", "| command"))
    ]

    assert [row for row in rows if len(re.findall(r"(?<!\\)\|", row)) != 3] == []


def test_every_public_name_is_in_the_reference() -> None:
    """With its signature."""
    text = python_interface()
    public = [name for name in benchwright.__all__ if not name.startswith("_")]

    assert [name for name in public if f"\n## {name}\n" not in text] == []
    assert "benchwright.pass_at_k(" in text


@pytest.mark.parametrize(
    ("link", "page", "shown"),
    [
        ("../CONTRIBUTING.md", "architecture.md", f"{REPOSITORY}/blob/main/CONTRIBUTING.md"),
        ("../examples", "providers.md", f"{REPOSITORY}/tree/main/examples"),
        ("../../README.md#install", "design/01-run.md", f"{REPOSITORY}/blob/main/README.md#install"),
        ("../sandbox.md#limits", "design/01-run.md", "../sandbox.md#limits"),
        ("sandbox.md", "index.md", "sandbox.md"),
        ("https://elsewhere/../x", "index.md", "https://elsewhere/../x"),
    ],
)
def test_links_out_of_the_docs_lead_to_the_repository(link: str, page: str, shown: str) -> None:
    """And no other link is touched."""
    assert linked(f"see [it]({link}).", page, REPOSITORY) == f"see [it]({shown})."


def test_an_unlisted_page_is_appended_to_the_guides(tmp_path: Path) -> None:
    """The author of a page need not edit the navigation; design notes are left out."""
    for name in ("index.md", "new.md", "old.md", "design/02-b.md", "design/01-a.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    nav = completed([{"Home": "index.md"}, {"Guides": ["old.md"]}], tmp_path)

    assert nav == [{"Home": "index.md"}, {"Guides": ["old.md", "new.md"]}]


def test_design_notes_are_in_neither_the_navigation_nor_the_search(site: Path) -> None:
    """Readers reach them through links of other pages and of the repository."""
    home = (site / "index.html").read_text(encoding="utf-8")
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}

    navigation = re.findall(r'<a href="([^"]+)" class="md-nav__link', home)

    assert [place for place in navigation if place.startswith("design/")] == []
    assert [place for place in found if place.startswith("design/")] == []
    assert {"glossary/", "architecture/"} <= found & set(navigation)


def test_the_made_pages_say_so_where_they_are_read_as_files() -> None:
    """In the repository a reader finds what to type instead."""
    for name in PAGES:
        assert "./run docs" in (ROOT / "docs" / name).read_text(encoding="utf-8")
