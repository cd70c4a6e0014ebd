"""`./run python -m benchmarks.plain_labels DATA --rows 200`: do plain tools say what the labels say?

Rows are drawn by a hash of their text. Each one's two files are executed alone by pytest, `go test` or
JUnit's console, in a jail that has nothing of Benchwright: a check of labels by other means than those that
made them. DATA is the folder of a build, or a file of rows.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks.plain_layouts import Pair, problem
from benchmarks.plain_tools import Tools
from benchwright.building.codecorrectness.row_records import LabelledRow, load_rows
from benchwright.display.escape import escaped
from benchwright.errors import BenchwrightError, PrerequisiteError, UsageError
from benchwright.judges.suites.libraries import check_libraries
from benchwright.lang.paths import is_plain_path
from benchwright.sources.clones import Clone

MAX_FILE = 1 << 20  # of a project: larger ones are no source
TOLD_EVERY = 10
BROKEN = "broken"  # the subset of files that do not compile or miss a name
PATHS = {"Python": ("pair.py", "test_pair.py"), "Go": ("pair.go", "pair_test.go"), "Java": ("", "")}


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What a plain tool said of a row. `said`: "success", "failed", or "" where it was not executed; `lines`:
    the tool's last ones, or why it was not."""

    id: str
    lang: str
    subset: str
    label: str
    said: str
    lines: list[str]

    @property
    def state(self) -> str:
        """ "agrees", "differs" or "not executed"; a broken row must fail whatever its label is."""
        if not self.said:
            return "not executed"
        fits = self.said == self.label and not (self.subset == BROKEN and self.said != "failed")
        return "agrees" if fits else "differs"


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """All rows that were drawn, in the order of their draw."""

    data: str
    seed: int
    offered: int
    rows: list[Checked]

    def counts(self, lang: str = "") -> dict[str, int]:
        """How many rows ended how, of one language or of all."""
        return dict(Counter(each.state for each in self.rows if lang in ("", each.lang)))


def check(
    source: Path, *, most: int, seed: int, libraries: Path | None = None, projects: Path | None = None
) -> Report:
    """Execute rows of a data set by plain tools. Raises DataError for a row that is none.

    `libraries`: the folder of packages and jars that the set was built with. `projects`: the folder of the
    clones that it was made from; then each row is executed among the files of its commit, and only rows into
    which nothing was brought are drawn: the project has it in another file.
    """
    path = source / "codecorrectness.jsonl" if source.is_dir() else source
    rows = [(row, task) for row, task in load_rows(path) if row.label]
    if projects is not None:
        rows = [(row, task) for row, task in rows if not task["meta"].get("tags", {}).get("inlined")]
    rows.sort(key=lambda pair: drawn(pair[0], seed))
    found = []
    with Tools(libraries=libraries) as tools:
        for row, task in rows[:most]:
            found.append(_checked(tools, row, task.get("meta", {}), projects))
            if len(found) % TOLD_EVERY == 0:
                print(f"{len(found)} of {min(most, len(rows))}", file=sys.stderr, flush=True)
    return Report(data=str(source), seed=seed, offered=len(rows), rows=found)


def drawn(row: LabelledRow, seed: int) -> str:
    """The key that rows are drawn by: of their text alone, so neither their order nor their label counts."""
    return hashlib.sha256(f"{seed}\0{row.revision}".encode()).hexdigest()


def _checked(tools: Tools, row: LabelledRow, meta: dict[str, object], projects: Path | None) -> Checked:
    pair = pair_of(row) if projects is None else pair_in_project(row, meta, projects)
    said, lines = "", [problem(pair)]
    if not lines[0]:
        try:
            said, lines = tools.execute(pair)
        except PrerequisiteError as error:
            lines = [str(error)]
    subset = str(meta.get("subset", ""))
    return Checked(id=str(row.task_id), lang=row.lang, subset=subset, label=row.label, said=said, lines=lines)


def pair_of(row: LabelledRow) -> Pair:
    """A row's files as they lay when its label was made; under the paths that it names, or usual ones, where
    it does not say."""
    if isinstance(row.layout, dict):
        beside = {path: text.encode() for path, text in row.layout["files"].items()}
        focal, test = row.layout["focal"], row.layout["test"]
        return Pair(row.lang, focal, row.focal_code, test, row.test_code, beside)
    focal, test = PATHS[row.lang]
    return Pair(row.lang, row.focal_path or focal, row.focal_code, row.test_path or test, row.test_code)


def pair_in_project(row: LabelledRow, meta: dict[str, object], projects: Path) -> Pair:
    """A row's files at their paths among all files of its commit. Raises DataError for no such clone."""
    clone = Clone(projects / str(meta["repository"]), commit=str(meta["commit"]))
    beside = {
        file.path: clone.content(file, limit=MAX_FILE)
        for file in clone.files()
        if file.size <= MAX_FILE and is_plain_path(file.path)
    }
    return pair_of(row)._replace(
        focal_path=row.focal_path or "", test_path=row.test_path or "", beside=beside
    )


def page(report: Report) -> str:
    """The report for people: counts, then every row that differs, with the tool's last words."""
    lines = [f"{len(report.rows)} of {report.offered} rows of {report.data} (seed {report.seed})"]
    lines += [
        f"{name}: {_counted(report.counts(lang))}"
        for name, lang in [("all", ""), *((each, each) for each in sorted({row.lang for row in report.rows}))]
    ]
    broken = [row for row in report.rows if row.subset == BROKEN]
    lines.append(f"broken: {sum(row.said == 'failed' for row in broken)} of {len(broken)} fail")
    for row in report.rows:
        if row.state != "agrees":
            what = f"label {row.label}, the tool says {row.said}" if row.said else "not executed"
            lines += ["", f"row {row.id} ({row.lang}, {row.subset or 'no subset'}): {what}"]
            lines += [f"    {escaped(line[:300])}" for line in row.lines]
    return "\n".join(lines)


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{counts.get(state, 0)} {state}" for state in ("agrees", "differs", "not executed"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Check and tell: 0 when all rows agree, 1 when one differs, 3 when one could not be executed."""
    chosen = _parser().parse_args(arguments)
    try:
        if chosen.rows < 1:
            raise UsageError("--rows must be at least 1")
        if chosen.libraries is not None:
            check_libraries(chosen.libraries)
        report = check(
            chosen.data,
            most=chosen.rows,
            seed=chosen.seed,
            libraries=chosen.libraries,
            projects=chosen.projects,
        )
    except BenchwrightError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    if chosen.json:
        told = {**msgspec.to_builtins(report), "counts": report.counts()}
        print(msgspec.json.encode(told).decode())
    else:
        print(page(report))
    counts = report.counts()
    return 1 if counts.get("differs") else 3 if counts.get("not executed") else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./run python -m benchmarks.plain_labels",
        description="Check labels of CodeCorrectness by plain tools.",
    )
    parser.add_argument("data", type=Path, metavar="DATA", help="a build's folder, or a file of rows")
    parser.add_argument("--rows", type=int, default=200, metavar="N", help="how many are drawn (200)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which are drawn (1)")
    parser.add_argument(
        "--libraries", type=Path, metavar="FOLDER", help="packages and jars that the set was built with"
    )
    parser.add_argument(
        "--projects",
        type=Path,
        metavar="FOLDER",
        help="the clones that the set was made from: execute each row among the files of its commit",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
