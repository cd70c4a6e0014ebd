"""Files that other programs read: the workflow, the templates, the hooks. Each refers to existing names only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kit.needs import need_module

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
FILES = [*sorted(GITHUB.rglob("*.yml")), ROOT / ".pre-commit-config.yaml"]
VERBS = set(re.findall(r"^    ([\w| -]+)\) ", (ROOT / "run").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_files_can_be_read(path: Path) -> None:
    """As YAML with a mapping at the top."""
    assert isinstance(need_module("yaml").safe_load(path.read_text(encoding="utf-8")), dict)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_commands_exist(path: Path) -> None:
    """Every `./run VERB` is a verb, and the check is the script that other machines run."""
    text = path.read_text(encoding="utf-8")

    assert set(re.findall(r"\./run (\w+)", text)) <= VERBS
    assert [each for each in re.findall(r"bash (\S+)", text) if not (ROOT / each).is_file()] == []


def test_owners_own_what_exists() -> None:
    """Each line of CODEOWNERS after the first names an existing file or folder."""
    lines = (GITHUB / "CODEOWNERS").read_text(encoding="utf-8").splitlines()
    places = [line.split()[0] for line in lines if line and not line.startswith("#")]

    assert places[0] == "*"
    assert [place for place in places[1:] if not (ROOT / place.lstrip("/")).exists()] == []


@pytest.mark.parametrize(
    "path", sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.stem
)
def test_templates_have_what_github_needs(path: Path) -> None:
    """They have name, description and fields with unique ids; the file with links has no fields."""
    template = need_module("yaml").safe_load(path.read_text(encoding="utf-8"))
    if path.stem == "config":
        assert [set(link) for link in template["contact_links"]] == [{"name", "url", "about"}] * 2
        return
    ids = [field["id"] for field in template["body"] if field["type"] != "markdown"]

    assert {"name", "description", "body"} <= set(template)
    assert len(ids) == len(set(ids)) > 0
