"""`./run release VERSION`: write the changelog and the version, build twice, check, commit and, last, tag.

All of it happens in a clone of this repository, so that a release which fails leaves nothing behind here.
Only at the end the commit and the tag are brought into this repository, and the built files into `dist/`.
Nothing is published.
"""

from __future__ import annotations

import argparse
import datetime
import filecmp
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools import changelog, release_checks
from tools.commands import ToolError, git

ROOT = Path(__file__).resolve().parents[1]
VERSION_FILE = "src/benchwright/version.py"
_VERSION = re.compile(r"\d+\.\d+\.\d+")
DISTRIBUTIONS = (
    "benchwright",
    "benchwright-build",
    "benchwright-ianvs",
    "benchwright-ray",
    "benchwright-station",
)
_ASSIGNED = re.compile(r'^VERSION = "([^"]*)"$', re.MULTILINE)
_PINNED = re.compile(
    r'"(benchwright(?:-\w+)?)==[^"]*"'
)  # one distribution requires another in its own version


class ReleaseError(ToolError):
    """The release cannot be made; the message says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the release; 0 if it was made (or could be made, with --dry-run), 1 if not."""
    options = _parser().parse_args(arguments)
    try:
        release(ROOT, options.version, is_dry=options.dry_run, checks=not options.dry_run or options.check)
    except (ToolError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./run release",
        description="Write the changelog and the version, build all wheels and sdists twice, compare them, "
        "run the check, commit and tag. Nothing is pushed or published.",
    )
    parser.add_argument("version", metavar="VERSION", help="the new version, such as 0.2.0")
    parser.add_argument("--dry-run", action="store_true", help="change nothing here; the check is left out")
    parser.add_argument("--check", action="store_true", help="run the check with --dry-run too")
    return parser


def release(root: Path, version: str, *, is_dry: bool, checks: bool) -> None:
    """Make a release of the commit that is checked out. Raises ReleaseError."""
    _require_releasable(root, version)
    with tempfile.TemporaryDirectory(prefix="benchwright-release-") as folder:
        clone = Path(folder, "clone")
        git(root, "clone", "--quiet", "--no-hardlinks", str(root), str(clone))
        section = write_version(clone, version, datetime.date.today().isoformat())
        print(section)
        write_examples(clone)
        _commit(root, clone, version)
        built = _build_twice(clone, Path(folder))
        beside = release_checks.verify(clone, Path(folder), built, uv=_uv(), version=version)
        if checks:
            _step("check", ["./run", "test"], clone)
        _tag(clone, version)
        if is_dry:
            print(f"dry run: nothing was changed; without --dry-run, v{version} is committed and tagged")
            return
        _adopt(root, clone, version, built, beside)


def _require_releasable(root: Path, version: str) -> None:
    """Raises ReleaseError where the version or the state of the repository does not allow a release."""
    current = current_version(root)
    if not _VERSION.fullmatch(version):
        raise ReleaseError(f"a version has three numbers, such as 0.2.0, not {version!r}")
    if _numbers(version) <= _numbers(current):
        raise ReleaseError(f"{version} is not newer than {current} ({VERSION_FILE})")
    if git(root, "status", "--porcelain"):
        raise ReleaseError("the work tree has changes that are not committed")
    if git(root, "tag", "--list", f"v{version}"):
        raise ReleaseError(f"the tag v{version} exists")
    if not changelog.upcoming(root):
        raise ReleaseError('there is nothing to release: no fragment in changelog.d, no section "Unreleased"')


def current_version(root: Path) -> str:
    """The version that the package says it is."""
    found = _ASSIGNED.search((root / VERSION_FILE).read_text(encoding="utf-8"))
    if found is None:
        raise ReleaseError(f"{VERSION_FILE} assigns no VERSION")
    return found.group(1)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def write_version(root: Path, version: str, day: str) -> str:
    """Write the version and its section of the changelog, remove the fragments; the section."""
    body = changelog.upcoming(root)
    page = root / "CHANGELOG.md"
    title = f"{version} · {day}"
    page.write_text(changelog.released(page.read_text(encoding="utf-8"), title, body), encoding="utf-8")
    for fragment in changelog.fragments(root):
        fragment.unlink()
    _replace(root / VERSION_FILE, _ASSIGNED, f'VERSION = "{version}"')
    for project in [root / "pyproject.toml", *sorted(root.glob("packages/*/pyproject.toml"))]:
        _replace(project, _PINNED, rf'"\1=={version}"')
    return f"## {title}\n\n{body}"


def write_examples(root: Path) -> None:
    """Export the shipped jobs for Ianvs again, since they name the version that judged their answers."""
    data = root / "src" / "benchwright" / "demo" / "smartcoding"
    for job in sorted(root.glob("examples/ianvs/*/benchmarkingjob.yaml")):
        kind = job.parent.name
        shutil.rmtree(job.parent)
        rows, answers = data / f"{kind}.jsonl", data / kind / "demo-strong.jsonl"
        command = ["./run", "benchwright", "ianvs", "export", str(job.parent), "--data", str(rows)]
        models = ["--model", f"replay:{answers}", "--judge", f"replay:{data / kind / 'judge'}"]
        _step(f"example {kind}", [*command, "--track", f"smartcoding-{kind}", *models], root)


def _replace(file: Path, pattern: re.Pattern[str], by: str) -> None:
    file.write_text(pattern.sub(by, file.read_text(encoding="utf-8")), encoding="utf-8")


def _commit(root: Path, clone: Path, version: str) -> None:
    """Commit in the clone, by the author that the repository is set up for."""
    for key in ("user.name", "user.email"):
        git(clone, "config", key, git(root, "config", key).strip())
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message", f"Release {version}")


def _tag(clone: Path, version: str) -> None:
    git(clone, "tag", "--annotate", f"v{version}", "--message", f"Benchwright {version}")


def _build_twice(clone: Path, folder: Path) -> list[Path]:
    """Build wheels and sdists in two clones at two places; raises ReleaseError where their bytes differ."""
    second = folder / "elsewhere" / "second"
    git(clone, "clone", "--quiet", "--no-hardlinks", str(clone), str(second))
    uv = _uv()
    for name, place in (("first", clone), ("second", second)):
        _step(
            f"{name} build",
            [uv, "build", "--quiet", "--out-dir", str(folder / name), "--all-packages"],
            place,
        )
    built = sorted(path for path in (folder / "first").iterdir() if path.suffix in {".whl", ".gz"})
    different = [path.name for path in built if not _is_equal(path, folder / "second" / path.name)]
    if different or len(built) != 2 * len(DISTRIBUTIONS):
        raise ReleaseError(f"two builds of one commit differ, or files are missing: {different or built}")
    for path in built:
        print(f"{path.name}: {path.stat().st_size} bytes, equal in both builds")
    return built


def _is_equal(one: Path, other: Path) -> bool:
    return other.exists() and filecmp.cmp(one, other, shallow=False)


def _adopt(root: Path, clone: Path, version: str, built: Sequence[Path], beside: Sequence[Path]) -> None:
    """Bring the commit, the tag and the built files into this repository."""
    git(root, "fetch", "--quiet", str(clone), f"refs/tags/v{version}:refs/tags/v{version}")
    git(root, "merge", "--quiet", "--ff-only", f"v{version}")
    dist = root / "dist"
    dist.mkdir(exist_ok=True)
    for path in [*built, *beside]:
        shutil.copy(path, dist)
    branch = git(root, "branch", "--show-current").strip()
    print(f"v{version} is committed and tagged; dist/ has the files, their bills of materials and checksums.")
    print("To publish it:")
    print(f"  git push origin {branch} v{version}")
    print(f"  uv publish {' '.join(f'dist/{path.name}' for path in built)}")


def _uv() -> str:
    """The uv of this clone, else the one on the search path."""
    found = find_uv()
    if found is None:
        raise ReleaseError("uv was not found; ./run python -c pass installs it")
    return found


def find_uv() -> str | None:
    """Return the path of uv; None without one."""
    own = ROOT / ".uv" / "bin" / "uv"
    return str(own) if own.exists() else shutil.which("uv")


def _step(name: str, command: list[str], folder: Path) -> None:
    print(f"{name}: {' '.join(command)}", flush=True)
    done = subprocess.run(command, cwd=folder, check=False)
    if done.returncode:
        raise ReleaseError(f"{name} failed with exit code {done.returncode}")


if __name__ == "__main__":
    sys.exit(main())
