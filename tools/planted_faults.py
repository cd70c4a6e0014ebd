"""Plant faults in the source, one at a time, and record which the tests find; no part of the check.

    export PYTHONPATH=.:tests
    python -m tools.planted_faults --count 200 --out before.jsonl
    python -m tools.planted_faults --count 200 --out after.jsonl --compare before.jsonl
    python -m tools.planted_faults --count 100 --out changed.jsonl --changed-since HEAD~5

A fault is one small change of a function (`benchmarks.mutants`), drawn by seed, equally from all packages.
For each, a scratch clone of HEAD runs the test files that `./run quick` would select first, until one fails
or the limit of seconds is filled. Some faults are equal programs: compare records of the same faults.
With `--compare`, a fault is planted again only if the test file that found it has changed since.
With `--changed-since COMMIT`, faults are planted only in modules that a test file changed since then imports,
and only these test files are run; if they miss a fault, their versions at COMMIT are run too.
`--part 1/2` takes every second fault, so that two processes can share the work; `cat` joins their records.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from benchmarks.mutants import changed_copy, edits_of
from tools.commands import git
from tools.quick.__main__ import MEASURED, ROOT
from tools.quick.imports import Graph, module_of
from tools.quick.selection import CLOSEST_IMPORT, FARTHEST, ITSELF, estimated_seconds, select

SOURCE = "src/benchwright"
TIMEOUT_S = 900  # a fault may make a test endless; this counts as found

NOT_FOUND = ("missed", "no tests")


class Fault(NamedTuple):
    """A changed file: its path, the line and operator of the change, and the whole text with the change."""

    path: str
    line: int
    operator: str
    text: str


def faults(root: Path, under: Sequence[str], seed: int) -> Iterator[Fault]:
    """Draw faults: from one package after the other, and there from one file after the other."""
    packages: dict[str, list[str]] = {}
    for path in sorted((root / SOURCE).rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if name.startswith(tuple(under)):
            packages.setdefault("/".join(name.split("/")[2:-1][:1]), []).append(name)
    drawn = []
    for package, names in packages.items():
        Random(f"{seed}:{package}").shuffle(names)
        drawn.append(
            chain.from_iterable(zip_longest(*(islice(_faults_of(root, name, seed), 20) for name in names)))
        )
    return (fault for fault in chain.from_iterable(zip_longest(*drawn)) if fault)


def _faults_of(root: Path, name: str, seed: int) -> Iterator[Fault]:
    tree = ast.parse((root / name).read_text(encoding="utf-8"))
    places = [
        (place, words, edit)
        for place, node in enumerate(ast.walk(tree))
        if not isinstance(node, ast.Module | ast.ClassDef)
        for words, edit in edits_of(node)
        if not words.partition(": ")[2].startswith(("remove `'", 'remove `"'))  # docstrings
    ]
    Random(f"{seed}:{name}").shuffle(places)
    for place, words, edit in places:
        text = ast.unparse(ast.fix_missing_locations(changed_copy(tree, place, edit)))
        line, _, operator = words.removeprefix("line ").partition(": ")
        if _compiles(text):
            yield Fault(name, int(line), operator, text + "\n")


def _compiles(text: str) -> bool:
    try:
        compile(text, "changed", "exec")
    except SyntaxError:
        return False
    return True


def tests_for(graph: Graph, path: str, limit_s: float, *, farthest: int = FARTHEST) -> list[str]:
    """Return the closest test files that fit the limit by their measured seconds, without attack programs."""
    measured = ROOT / MEASURED
    rows = json.loads(measured.read_text()) if measured.exists() else {}
    seconds = estimated_seconds({name: row[0] for name, row in rows.items()}, graph)
    files: list[str] = []
    for each in select(graph, [path], seconds, None).chosen:
        if ITSELF < each.closeness <= farthest and each.cpu_s <= limit_s and "/attacks/" not in each.path:
            files.append(each.path)
            limit_s -= each.cpu_s
    return files


class ChangedTests:
    """The test files that differ between a commit and HEAD of a scratch clone."""

    def __init__(self, root: Path, commit: str) -> None:
        self._root, self._commit = root, commit
        self.paths = set(git(root, "diff", "--name-only", commit, "HEAD", "--", "tests").split())

    def closest(self, graph: Graph, path: str, limit_s: float) -> list[str]:
        """Return those of the tests that import a source file, or what imports it, within the limit."""
        close = tests_for(graph, path, limit_s, farthest=CLOSEST_IMPORT + 1)
        return [each for each in close if each in self.paths]

    def modules(self, graph: Graph, limit_s: float) -> list[str]:
        """Return the source files that these tests import."""
        names = {name for test in graph.tests if test.path in self.paths for name in test.modules}
        paths = (path.relative_to(self._root).as_posix() for path in (self._root / SOURCE).rglob("*.py"))
        found = sorted(path for path in paths if module_of(path) in names)
        return [path for path in found if self.closest(graph, path, limit_s)]

    def earlier(self, fault: Fault, tests: Sequence[str]) -> str:
        """Run the versions of these tests at the commit, with its `tests` folder."""
        git(self._root, "checkout", "--quiet", self._commit, "--", "tests")
        try:
            return outcome(self._root, fault, tests)
        finally:
            git(self._root, "checkout", "--quiet", "HEAD", "--", "tests")


def _still_found(root: Path, row: dict[str, Any]) -> bool:
    """Whether the test file that found the fault earlier has not changed since."""
    finder = row["result"].partition("::")[0].rpartition(" ")[2]
    return finder in row["tests"] and not git(root, "diff", "--name-only", row["commit"], "--", finder)


def outcome(root: Path, fault: Fault, tests: Sequence[str]) -> str:
    """Run tests on the changed source. Return "missed", "no tests", or what found the fault."""
    if not tests:
        return "no tests"
    path = root / fault.path
    before = path.read_text(encoding="utf-8")
    path.write_text(fault.text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", *tests]
    env = {**os.environ, "PYTHONPATH": str(root / "src")}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # else every run compiles everything it imports
    try:
        done = subprocess.run(
            command, cwd=root, env=env, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    finally:
        path.write_text(before, encoding="utf-8")
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return "missed" if done.returncode == 0 else (failed or [f"exit code {done.returncode}"])[0][:200]


def tried(
    root: Path,
    fault: Fault,
    graph: Graph,
    limit_s: float,
    *,
    before: dict[str, Any] | None,
    changed: ChangedTests | None,
) -> dict[str, Any]:
    """Plant a fault, or take over the result of an earlier record. Return the row of the new one."""
    row = {"path": fault.path, "line": fault.line, "operator": fault.operator}
    if changed:
        tests = changed.closest(graph, fault.path, limit_s)
        result = outcome(root, fault, tests)
        more = {"earlier": changed.earlier(fault, tests)} if result == "missed" else {}
        return {**row, "result": result, "tests": tests, **more}
    tests = before["tests"] if before else tests_for(graph, fault.path, limit_s)
    keeps = before and (before["result"] in NOT_FOUND or _still_found(root, before))
    return {
        **row,
        "result": before["result"] if before and keeps else outcome(root, fault, tests),
        "tests": tests,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant the faults that are not in the record yet, and print how many were found."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.planted_faults", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--under", action="append", metavar="PATH", help=f"only files that begin so ({SOURCE}/)"
    )
    parser.add_argument(
        "--limit", type=float, default=20.0, help="processor seconds of tests for each fault (20)"
    )
    parser.add_argument("--changed-since", metavar="COMMIT", help="only tests that changed since then")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="every Nth fault from the Kth on")
    parser.add_argument("--out", type=Path, required=True, help="record, one JSON object per line; resumed")
    parser.add_argument(
        "--compare", type=Path, metavar="RECORD", help="list what that record found and this did not"
    )
    options = parser.parse_args(arguments)
    graph = Graph(ROOT)
    done = _rows(options.out)
    earlier = _rows(options.compare) if options.compare else {}
    part, parts = map(int, options.part.split("/"))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "main"
        git(ROOT, "clone", "--quiet", "--shared", str(ROOT), str(root))
        commit = git(root, "rev-parse", "HEAD").strip()
        (root / ".venv").symlink_to(ROOT / ".venv")
        changed = ChangedTests(root, options.changed_since) if options.changed_since else None
        under = options.under or (changed.modules(graph, options.limit) if changed else [SOURCE])
        for fault in islice(faults(root, under, options.seed), part - 1, options.count, parts):
            key = (fault.path, fault.line, fault.operator)
            if key not in done:
                row = tried(root, fault, graph, options.limit, before=earlier.get(key), changed=changed)
                done[key] = {**row, "commit": commit}
                with options.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(done[key]) + "\n")
    found = {key for key, row in done.items() if row["result"] not in NOT_FOUND}
    print(f"found: {len(found)} of {len(done)}")
    lost = [key for key, row in earlier.items() if row["result"] not in NOT_FOUND and key not in found]
    lost += [key for key, row in done.items() if row.get("earlier", "missed") != "missed"]
    for path, line, operator in lost:
        print(f"no longer found: {path}:{line}: {operator}")
    return 1 if lost else 0


def _rows(path: Path) -> dict[tuple[str, int, str], dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {(row["path"], row["line"], row["operator"]): row for row in map(json.loads, lines)}


if __name__ == "__main__":
    sys.exit(main())
