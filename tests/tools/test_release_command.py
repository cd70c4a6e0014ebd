"""Releases: changelog section, version, two equal builds, commit and tag."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kit.needs import need
from kit.small_project import commit, git
from tools import changelog, release, release_checks
from tools.commands import ToolError

ROOT = Path(__file__).parents[2]
CHANGELOG = """# Changelog

<!-- towncrier release notes start -->

## Unreleased

### Added

- Old entry.

### Fixed

- Old repair.

## 0.1.0 · 2026-11-22

- First.
"""
# Replaces `uv build`, which needs the package index: writes wheels and sdists with the text of the version
# file.
BUILDER = """#!/bin/sh
out=$4
mkdir -p "$out"
for name in benchwright benchwright_build benchwright_ianvs benchwright_ray benchwright_station; do
    cat src/benchwright/version.py {more} > "$out/$name-1.whl"
    cat src/benchwright/version.py > "$out/$name-1.tar.gz"
done
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with a changelog, a version and two fragments."""
    root = tmp_path / "project"
    (root / "src" / "benchwright").mkdir(parents=True)
    (root / "changelog.d").mkdir()
    (root / "CHANGELOG.md").write_text(CHANGELOG)
    (root / release.VERSION_FILE).write_text('VERSION = "0.1.0"\n')
    (root / "changelog.d" / "README.md").write_text("How to.\n")
    (root / "changelog.d" / "+suites.added.md").write_text("New entry.\n")
    (root / "changelog.d" / "12.removed.md").write_text("Removed entry.\n")
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "packages/benchwright-build").mkdir(parents=True)
    shutil.copy(ROOT / "packages/benchwright-build/pyproject.toml", root / "packages/benchwright-build")
    git(root, "init", "--quiet", "--initial-branch", "main")
    git(root, "config", "user.name", "t")
    git(root, "config", "user.email", "t@example.org")
    commit(root, "Begin")
    build_with(root.parent, monkeypatch)
    # The script writes no real wheels; tests/tools/test_release_checks.py tests their checks.
    monkeypatch.setattr(release_checks, "verify", lambda *_given, **_named: [])
    return root


def build_with(folder: Path, monkeypatch: pytest.MonkeyPatch, more: str = "") -> None:
    """Build with a script; `more` are files whose bytes are included in the wheel."""
    script = folder / "uv"
    script.write_text(BUILDER.format(more=more))
    script.chmod(0o755)
    monkeypatch.setattr(release, "_uv", lambda: str(script))


def test_fragments_join_what_is_unreleased(project: Path) -> None:
    """They are grouped in the order of kinds; the number of an issue is kept."""
    assert changelog.upcoming(project).split("\n") == [
        "### Added",
        "",
        "- Old entry.",
        "- New entry.",
        "",
        "### Fixed",
        "",
        "- Old repair.",
        "",
        "### Removed",
        "",
        "- Removed entry. (#12)",
        "",
    ]


@pytest.mark.parametrize("unreleased", [True, False])
def test_a_section_is_put_on_top(unreleased: bool) -> None:
    """It replaces "Unreleased", or precedes the newest version."""
    begin, _, rest = CHANGELOG.partition("## Unreleased")
    text = CHANGELOG if unreleased else begin + rest[rest.index("## 0.1.0") :]

    after = changelog.released(text, "0.2.0 · 2026-12-01", "- All.\n")

    assert list(changelog.sections(after)) == ["0.2.0 · 2026-12-01", "0.1.0 · 2026-11-22"]
    assert "<!-- towncrier release notes start -->\n\n## 0.2.0 · 2026-12-01\n\n- All.\n\n## 0.1.0" in after


def test_a_release_is_committed_and_tagged(project: Path) -> None:
    """The version is set, no fragment is left, and `dist` has the built files."""
    release.release(project, "0.2.0", is_dry=False, checks=False)

    assert git(project, "log", "-1", "--format=%s %D").strip() == "Release 0.2.0 HEAD -> main, tag: v0.2.0"
    assert release.current_version(project) == "0.2.0"
    assert changelog.fragments(project) == []
    assert next(iter(changelog.sections((project / "CHANGELOG.md").read_text()))).startswith("0.2.0 · ")
    assert sorted(path.name for path in (project / "dist").iterdir()) == sorted(
        f"{name.replace('-', '_')}-1.{kind}" for name in release.DISTRIBUTIONS for kind in ("tar.gz", "whl")
    )


def test_distributions_require_each_other_in_one_version(project: Path) -> None:
    """The extras of the first distribution, and the requirements of the others."""
    release.release(project, "0.2.0", is_dry=False, checks=False)

    core = (project / "pyproject.toml").read_text()
    added = (project / "packages/benchwright-build/pyproject.toml").read_text()
    assert core.count("==0.2.0") == len(release.DISTRIBUTIONS) - 1
    assert '"benchwright==0.2.0"' in added
    assert "==0.1.0" not in core + added


def test_a_dry_run_changes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It prints the section and the result of comparing the builds."""
    before = git(project, "log", "--all", "--format=%H")

    release.release(project, "0.2.0", is_dry=True, checks=False)

    printed = capsys.readouterr().out
    assert git(project, "log", "--all", "--format=%H") == before
    assert git(project, "status", "--porcelain") == ""
    assert "- New entry." in printed
    assert "benchwright-1.whl: 18 bytes, equal in both builds" in printed


def test_builds_that_differ_end_the_release(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Example: the wheel contains the folder of the build."""
    build_with(project.parent, monkeypatch, more="; pwd")

    with pytest.raises(release.ReleaseError, match=r"differ.*benchwright-1.whl"):
        release.release(project, "0.2.0", is_dry=False, checks=False)
    assert git(project, "tag", "--list") == ""


@pytest.mark.parametrize(
    ("version", "reason"),
    [("0.1.0", "not newer"), ("1.0", "three numbers"), ("0.0.9", "not newer"), ("v0.2.0", "three numbers")],
)
def test_a_wrong_version_is_refused(project: Path, version: str, reason: str) -> None:
    """It must be a valid version, newer than the last."""
    with pytest.raises(release.ReleaseError, match=reason):
        release.release(project, version, is_dry=True, checks=False)


def test_a_state_that_cannot_be_released_is_refused(project: Path) -> None:
    """A tag that exists, uncommitted changes, no fragments."""
    git(project, "tag", "v0.2.0")
    with pytest.raises(release.ReleaseError, match=r"tag v0\.2\.0 exists"):
        release.release(project, "0.2.0", is_dry=True, checks=False)

    (project / "new.txt").write_text("new\n")
    with pytest.raises(release.ReleaseError, match="not committed"):
        release.release(project, "0.3.0", is_dry=True, checks=False)

    for fragment in changelog.fragments(project):
        fragment.unlink()
    text = CHANGELOG.replace("- Old entry.\n", "").replace("- Old repair.\n", "")
    (project / "CHANGELOG.md").write_text(text.replace("### Added\n", "").replace("### Fixed\n", ""))
    commit(project, "Remove entries")
    with pytest.raises(release.ReleaseError, match="nothing to release"):
        release.release(project, "0.3.0", is_dry=True, checks=False)


def test_a_failed_check_leaves_no_commit_and_no_tag(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tag is the last step, after all checks of the built files."""

    def refuse(*_given: object, **_named: object) -> list[Path]:
        raise ToolError("twine check: bad description")

    monkeypatch.setattr(release_checks, "verify", refuse)
    with pytest.raises(ToolError, match="bad description"):
        release.release(project, "0.2.0", is_dry=False, checks=False)

    assert git(project, "tag", "--list") == ""
    assert git(project, "log", "-1", "--format=%s").strip() == "Begin"


def test_the_lock_holds_after_the_version_changes(tmp_path: Path) -> None:
    """In a clone of this repository, the next version needs no new lock file."""
    uv = need(release.find_uv() or "uv", "the lock is checked by it")
    clone = tmp_path / "clone"
    git(ROOT, "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone))
    before = (clone / "uv.lock").read_bytes()
    release.write_version(clone, "99.0.0", "2026-12-01")
    exported = subprocess.run(
        [uv, "lock", "--check", "--offline"], cwd=clone, capture_output=True, text=True, check=False
    )

    assert exported.returncode == 0, exported.stderr
    assert (clone / "uv.lock").read_bytes() == before
    assert release.current_version(clone) == "99.0.0"
