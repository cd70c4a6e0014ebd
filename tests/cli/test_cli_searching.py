"""`benchwright build codecorrectness --github`: search, limit, resume, and options that mean nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from benchwright.cli.build_codecorrectness import search_of
from benchwright.errors import UsageError
from benchwright.sources.github.client import RateLimitError
from benchwright.sources.github.search_pages import GITHUB, RepositorySearch
from benchwright.sources.repositories import RepositoryAddress, folder_name
from kit.command_line import build as command
from kit.fake_suites import FakeSuites, use_fakes
from kit.made_github import GitHub, entry, limited, serving
from kit.made_repositories import MIT, cases_of, function, repository

_NOTHING = {
    "languages": (),
    "stars": None,
    "pushed_since": None,
    "max_repositories": None,
    "github_api": None,
}
SECRET = "ghp_a-secret"


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    """A server with a good repository, a fork and one whose licence rows may not have."""
    use_fakes(monkeypatch, FakeSuites)
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    entries = [
        entry("acme/sums", language="Python", stars=70),
        entry("acme/fork", language="Python", fork=True),
        entry("acme/gpl", language="Python", licence="GPL-3.0"),
    ]
    with serving(entries) as served:
        yield served


def _build(github: GitHub, out: Path, *options: str) -> Result:
    """The command; the good repository lies where it would be cloned to."""
    place = RepositoryAddress(f"https://{github.api.partition('//')[2]}/acme/sums.git")
    files = {
        "LICENSE": MIT,
        "alpha.py": function("alpha"),
        "test_alpha.py": cases_of("alpha", "alpha", "small"),
    }
    clone = out / "clones" / folder_name(place)
    if not clone.exists():
        repository(clone, files, bare=True)
    given = ["codecorrectness", "--github", "python", "--github-api", github.api, "--out", str(out), "--json"]
    return CliRunner().invoke(command, [*given, *options])


def test_a_build_from_a_search(tmp_path: Path, github: GitHub) -> None:
    """Rows of the good one with its stars in manifest and card; the others are named drops."""
    document = json.loads(_build(github, tmp_path / "out", "--stars", "10..").stdout)
    source, card = document["manifest"]["repositories"][0], (tmp_path / "out/README.md").read_text()

    assert document["funnel"][0]["dropped"] == {"fork": 1, "licence": 1}
    assert (source["stars"], source["pushed_at"], source["licence"]) == (70, "2026-02-03T04:05:06Z", "MIT")
    assert ("| stars | last push |" in card, "| 70 | 2026-02-03 |" in card) == (True, True)
    assert document["manifest"]["search"] == [
        "GitHub: repositories in Python that match: 3; taken, those with most stars: 1"
    ]


def test_a_limit_and_the_same_command_again(tmp_path: Path, github: GitHub) -> None:
    """The first ends with a time to come back at, the second has all rows; a third asks nothing."""
    github.script.append(limited(reset_s=3000))
    first = _build(github, tmp_path / "out")
    second = _build(github, tmp_path / "out")
    asked = len(github.asked)
    third = _build(github, tmp_path / "out")

    assert (type(first.exception), "accepts no requests before" in str(first.exception)) == (
        RateLimitError,
        True,
    )
    assert (second.exit_code, third.exit_code, asked, len(github.asked)) == (0, 0, 2, 2)
    assert json.loads(second.stdout) == json.loads(third.stdout)


def test_the_token_is_nowhere(tmp_path: Path, github: GitHub) -> None:
    """It was sent, and no file and no line has it."""
    said = _build(github, tmp_path / "out")
    files = [path for path in tmp_path.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]

    assert github.asked[0].headers["authorization"] == f"Bearer {SECRET}"
    assert (said.exit_code, files, SECRET in said.output) == (0, [], False)


def _of(**changed: Any) -> RepositorySearch | None:
    return search_of({**_NOTHING, **changed}, {"GITHUB_API_URL": ""})


def test_no_search() -> None:
    """Without --github there is none."""
    assert _of() is None


def test_what_is_left_out_has_a_default() -> None:
    """Languages are taken once, at GitHub, the hundred with most stars."""
    assert _of(languages=("Go", "Go")) == RepositorySearch(
        languages=("Go",), stars="10..", most=100, api=GITHUB
    )


@pytest.mark.parametrize(
    ("given", "api"), [(None, "https://git.example.org/api/v3"), ("https://x.org/", "https://x.org")]
)
def test_where_the_interface_is(given: str | None, api: str) -> None:
    """The option before the environment."""
    environment = {"GITHUB_API_URL": "https://git.example.org/api/v3"}
    found = search_of({**_NOTHING, "languages": ("Go",), "github_api": given}, environment)

    assert found is not None and found.api == api


@pytest.mark.parametrize("option", ["stars", "pushed_since", "max_repositories", "github_api"])
def test_options_without_a_search(option: str) -> None:
    """They would do nothing, so they are refused with a command that does something."""
    with pytest.raises(UsageError, match="needs --github") as caught:
        _of(**{option: 5})

    assert (caught.value.hint or "").startswith("--github Python --")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--github", "Cobol"], "Cobol"),
        (["--github", "Go", "--stars", "100"], "invalid range of stars"),
        (["--github", "Go", "--pushed-since", "yesterday"], "invalid date"),
        (["--github", "Go", "--github-api", "http://git.example.org"], "not encrypted"),
    ],
)
def test_what_cannot_be_meant(tmp_path: Path, options: list[str], said: str) -> None:
    """It is refused before anything is asked or written."""
    out = tmp_path / "out"
    done = CliRunner().invoke(command, ["codecorrectness", *options, "--out", str(out)])

    assert (said in f"{done.output}{done.exception}", done.exit_code != 0, out.exists()) == (
        True,
        True,
        False,
    )
