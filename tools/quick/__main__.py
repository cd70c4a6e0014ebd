"""The command `./run quick`: print what is checked and why, check it, and print what is left out."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tools.commands import ToolError
from tools.quick import changes
from tools.quick.imports import Graph
from tools.quick.selection import AffectedFile, Selection, estimated_seconds, select

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 60.0
# Of the limit: style, types, layers, the selection itself, and the start of pytest and its workers.
BESIDE_TESTS_S = 20.0
# Each worker reads conftest and imports the package; for a few seconds of tests one process is faster.
WORTH_WORKERS_S = 8.0
SHOWN = 12
MEASURED = ".pytest_cache/v/benchwright/seconds_by_file"
RUFF_OPTIONS = ("--quiet", "--force-exclude")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the quick check; return 0 if all passed, 1 if something failed, 2 if the base is unknown."""
    options = _parser().parse_args(arguments)
    try:
        changed = _changes(options)
    except ToolError as error:
        print(f"error: {error}\nhint: ./run quick --base COMMIT", file=sys.stderr)
        return 2
    print(f"{len(changed.paths)} files differ between {changed.since}")
    graph = Graph(ROOT)
    limit = None if options.all else max(options.seconds - BESIDE_TESTS_S, 0.0) * (os.cpu_count() or 1)
    selection = select(graph, changed.paths, estimated_seconds(_measured(), graph), limit)
    _print_selection(selection)
    if options.list:
        return 0
    failed = [name for name, command in _checks(changed.paths, selection) if not _passes(name, command)]
    _print_left_out(selection)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./run quick",
        description="Check style, types, layers and the tests that a change reaches, within a minute. "
        "./run test checks everything.",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--base", metavar="COMMIT", help="compare with COMMIT (origin/main, else HEAD~1)")
    which.add_argument(
        "--commit", metavar="COMMIT", help="take the files that COMMIT changed, as they are now"
    )
    parser.add_argument("--seconds", type=float, default=LIMIT_S, help="time to fill on an idle machine (60)")
    parser.add_argument(
        "--all", action="store_true", help="run every test that is reached, whatever it takes"
    )
    parser.add_argument("--list", action="store_true", help="print the selection and run nothing")
    return parser


def _changes(options: argparse.Namespace) -> changes.Changes:
    if options.commit:
        return changes.of_commit(ROOT, options.commit)
    return changes.since(ROOT, options.base or changes.default_base(ROOT))


def _measured() -> dict[str, float]:
    """Return processor seconds of test files from pytest's cache; empty before the first run."""
    path = ROOT / MEASURED
    return {name: row[0] for name, row in json.loads(path.read_text()).items()} if path.exists() else {}


def _checks(paths: Sequence[str], selection: Selection) -> list[tuple[str, list[str]]]:
    """Return name and command of each check that the change needs."""
    styled = [path for path in paths if path.endswith(".py") and (ROOT / path).exists()]
    is_source = any(path.startswith("src/") and path.endswith(".py") for path in paths)
    has_types = is_source or any(path.startswith("tools/") for path in paths)
    commands = [
        ("ruff check", ["ruff", "check", *RUFF_OPTIONS, *styled] if styled else []),
        ("ruff format", ["ruff", "format", "--check", *RUFF_OPTIONS, *styled] if styled else []),
        ("mypy", ["mypy", "--no-error-summary"] if has_types else []),
        ("layers", ["lint-imports", "--no-logo"] if is_source else []),
        ("tests", _pytest(selection)),
    ]
    return [(name, command) for name, command in commands if command]


def _pytest(selection: Selection) -> list[str]:
    files = [each.path for each in selection.chosen]
    if not files:
        return []
    processes = (os.cpu_count() or 1) if _sum(selection.chosen) > WORTH_WORKERS_S and len(files) > 1 else 0
    shared = ["--processes", str(processes)] if processes else []
    return ["pytest", "-q", "--no-header", *shared, *files]


def _passes(name: str, command: Sequence[str]) -> bool:
    """Run a check and print its duration. Output that only repeats success is not shown."""
    began = time.monotonic()
    shows = name == "tests"
    done = subprocess.run(
        [str(Path(sys.executable).parent / command[0]), *command[1:]],
        cwd=ROOT,
        capture_output=not shows,
        text=True,
        check=False,
    )
    if done.returncode and not shows:
        print(done.stdout + done.stderr)
    print(
        f"{name}: {'FAILED' if done.returncode else 'passed'} in {time.monotonic() - began:.1f} s", flush=True
    )
    return done.returncode == 0


def _print_selection(selection: Selection) -> None:
    chosen = selection.chosen
    print(f"{len(chosen)} test files selected, about {_sum(chosen):.0f} processor seconds:")
    for each in chosen:
        print(f"  {each.cpu_s:6.1f}  {each.path}: {each.reason}")
    if not chosen:
        print("  none: no test file uses, names or lies beside what changed")


def _print_left_out(selection: Selection) -> None:
    left_out = selection.left_out
    if left_out:
        print(
            f"reached but not run: {len(left_out)} test files, about {_sum(left_out):.0f} processor seconds, "
            "too far or too expensive (./run quick --all runs them); the closest:"
        )
        for each in left_out[:SHOWN]:
            print(f"  {each.cpu_s:6.1f}  {each.path}: {each.reason}")
        if len(left_out) > SHOWN:
            print(f"  and {len(left_out) - SHOWN} more (./run quick --list --all)")
    run = {path.split("/")[1] for path in (each.path for each in selection.chosen)}
    whole = [name for name in ("attacks", "browser", "e2e", "docs") if name not in run]
    print(f"not reached by the change: {len(selection.unreached)} test files")
    if whole:
        print(f"no test ran of: {', '.join(f'tests/{name}' for name in whole)}; ./run test runs all of them")


def _sum(files: Sequence[AffectedFile]) -> float:
    return sum(each.cpu_s for each in files)


if __name__ == "__main__":
    sys.exit(main())
