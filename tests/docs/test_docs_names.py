"""The documentation cannot drift: the files it names exist, its layers are those that are checked, its changes
belong to versions."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from functools import cache
from importlib import import_module
from itertools import pairwise, product
from pathlib import Path

import pytest

from benchmarks.structure import read_layers
from benchwright.version import VERSION
from tools import changelog

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
PAGES.remove(ROOT / "CHANGELOG.md")  # names what there was at the time
FOLDERS = ("action", "benchmarks", "demo_source", "docs", "docs_site", "examples", "src", "tests", "tools")
PACKAGE = ROOT / "src" / "benchwright"
CHANGELOG = ROOT / "CHANGELOG.md"
TWO_SCREENS = 110  # lines
NAMED = re.compile(r"[\w./{},*-]+\.(?:py|sh|toml|md|java|go|js|css)")
# Files that a page rightly names and that are not in the repository: whose they are.
OF_OTHERS = {
    "data.toml": "the reader's data sets for `serve --accept`",
    "benchwright_command.py": "written by the reader, from the page's own example",
    "scripts/log_to_submission.py": "MERA's",
    "suite.toml": "the reader's own",
    "tasks.toml": "the reader's own tasks",
    "test_languages.py": "written by `benchwright new track languages`",
    "mine.toml": "the reader's own tasks",
}


@cache
def files() -> frozenset[str]:
    """All files of the repository, from its root, each with a slash before it."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    return frozenset(f"/{path.relative_to(ROOT).as_posix()}" for path in [*found, *ROOT.glob("*")])


def alternatives(name: str) -> list[str]:
    """`{a,b}.py` names `a.py` and `b.py`."""
    parts = [part.split(",") for part in re.split(r"\{([^}]*)\}", name)]
    chosen = [part if number % 2 else [",".join(part)] for number, part in enumerate(parts)]
    return ["".join(each) for each in product(*chosen)]


@cache
def ends() -> frozenset[str]:
    """Every end of a path of the repository that begins with a slash."""
    return frozenset(path[at:] for path in files() for at, sign in enumerate(path) if sign == "/")


@cache
def exists(name: str) -> bool:
    """Whether a file of the repository has a path that ends so; `*` stands for anything."""
    return all(
        any(fnmatch(path, f"*/{each}") for path in files()) if {*"*?["} & {*each} else f"/{each}" in ends()
        for each in alternatives(name)
    )


def words(page: Path) -> list[str]:
    """The words between backticks, and those of drawings: of blocks that are in no language."""
    text = page.read_text(encoding="utf-8")
    drawings = re.findall(r"^```(?:text)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    quoted = " ".join(re.findall(r"`([^`\n]+)`", prose))
    return [word.strip("(),;:│║") for word in f"{quoted} {' '.join(drawings)}".split()]


def missing_files(page: Path) -> list[str]:
    """Names of files that the repository does not have; those in capitals stand for any name."""
    named = [word.removeprefix("./") for word in words(page) if NAMED.fullmatch(word)]
    return [
        name
        for name in named
        if not re.search(r"[A-Z]{3}", name) and name not in OF_OTHERS and not exists(name)
    ]


def missing_folders(page: Path) -> list[str]:
    """Paths below a folder of the repository or of the package that lead nowhere."""
    tops = {*FOLDERS, *(path.name for path in PACKAGE.iterdir() if path.is_dir())}
    named = [
        word
        for word in words(page)
        if re.fullmatch(r"\w+(/\w+)+/?|\w+/", word) and word.split("/")[0] in tops
    ]
    return [
        name
        for name in named
        if not re.search(r"[A-Z]{3}", name) and not any(f"/{name.rstrip('/')}/" in path for path in files())
    ]


def missing_modules(page: Path) -> list[str]:
    """Dotted names that begin with a package of ours, such as `text.extract`, and are neither module nor member."""
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    dotted = [word.split(".") for word in words(page) if re.fullmatch(r"[a-z_]+(\.\w+)+", word)]
    return [
        ".".join(parts)
        for parts in dotted
        if parts[0] in packages and not _is_ours(parts) and not NAMED.fullmatch(".".join(parts))
    ]


def _is_ours(parts: list[str]) -> bool:
    path = PACKAGE.joinpath(*parts[:2])
    return (
        path.is_dir()
        or path.with_suffix(".py").is_file()
        or hasattr(import_module(f"benchwright.{parts[0]}"), parts[1])
    )


@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in PAGES])
def test_files_that_a_page_names_exist(page: str) -> None:
    """A reader who looks for a file, a folder or a module that is named finds it."""
    assert missing_files(ROOT / page) == []
    assert missing_folders(ROOT / page) == []
    assert missing_modules(ROOT / page) == []


def test_a_name_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    """Files, folders and modules that are gone are named, in prose and in drawings; placeholders and words are not."""
    page = tmp_path / "page.md"
    page.write_text(
        "`run/gone.py` and `stats/{passk,gone}.py` beside `stats/{passk,paired}.py`, `tests/gone/`, `runs/mine`,\n"
        "`text.gone` beside `text.extract`, `contracts.Track`, `NAME-answers/1.js`.\n\n"
        "```\ncli ─▶ cli/gone.py ─▶ running/plan.py\n```\n\n```sh\npython3 my_own.py\n```\n"
    )

    assert missing_files(page) == ["run/gone.py", "stats/{passk,gone}.py", "cli/gone.py"]
    assert missing_folders(page) == ["tests/gone/"]
    assert missing_modules(page) == ["text.gone"]


def layers_of_the_table() -> list[set[str]]:
    """The first column of CONTRIBUTING's table of layers, from its top."""
    table = (
        (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("| layer |")[2].partition("\n\n")[0]
    )
    cells = [row.split("|")[1] for row in table.splitlines()[2:]]
    return [set(re.findall(r"`([\w.]+)`", cell)) for cell in cells]


def test_the_table_of_layers_is_what_is_checked() -> None:
    """CONTRIBUTING shows import-linter's layers, all of them, the lowest first."""
    checked = reversed(read_layers(ROOT / "pyproject.toml"))

    assert layers_of_the_table() == [
        {part.removeprefix("benchwright.") for part in layer} for layer in checked
    ]


def test_every_part_of_the_package_is_in_a_layer() -> None:
    """No folder or file at the top of the package is left out of the check; `__main__` only calls the top layer."""
    parts = {
        path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    layers = read_layers(ROOT / "pyproject.toml")
    checked = {part.removeprefix("benchwright.").partition(".")[0] for layer in layers for part in layer}

    assert parts - checked == {"__init__", "__main__"}


def versions() -> list[str]:
    """The titles of the changelog's released versions; "Unreleased" may stand before them."""
    titles = list(changelog.sections(CHANGELOG.read_text(encoding="utf-8")))
    return titles[1:] if titles[0] == changelog.UNRELEASED else titles


def test_every_change_belongs_to_a_version() -> None:
    """Nothing stands before the first heading; each version has its day."""
    assert "\n- " not in CHANGELOG.read_text(encoding="utf-8").partition("\n## ")[0]
    assert [each for each in versions() if not re.fullmatch(r"\d+\.\d+\.\d+ · \d{4}-\d\d-\d\d", each)] == []


def test_versions_come_newest_first() -> None:
    """The package's own version is the newest that is written about, and each is older than the one before it."""
    numbers = [tuple(map(int, each.split()[0].split("."))) for each in versions()]

    assert [pair for pair in pairwise(numbers) if pair[0] <= pair[1]] == []
    assert numbers[0] == tuple(map(int, VERSION.split(".")))


def test_a_version_is_read_on_two_screens() -> None:
    """No section of the changelog is longer, the coming one with its fragments included."""
    bodies = changelog.sections(CHANGELOG.read_text(encoding="utf-8"))
    bodies[changelog.UNRELEASED] = changelog.upcoming(ROOT)

    lengths = {title: len(body.strip().splitlines()) for title, body in bodies.items()}
    assert {title: length for title, length in lengths.items() if length > TWO_SCREENS} == {}


def test_fragments_are_of_a_known_kind() -> None:
    """Towncrier ignores a file of another name without a word."""
    kinds = "|".join(kind.lower() for kind in changelog.KINDS)
    names = [path.name for path in changelog.fragments(ROOT)]

    assert [name for name in names if not re.fullmatch(rf"(\+[\w-]+|\d+)\.({kinds})\.md", name)] == []
