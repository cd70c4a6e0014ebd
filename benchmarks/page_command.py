"""`./run bench page`: measure the sections of docs/benchmarks.md that are missing, and write the whole page.

Each section is measured in a process of its own, by an interpreter of the build that it is about, and stored
at once, so an interrupted command resumes with the next section.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import msgspec

from benchmarks import dataset, environment, stored
from benchmarks.dataset import REPOSITORY
from benchmarks.sections import SECTIONS, Effort, Section
from benchmarks.stored import StoredResult
from benchmarks.tables import surroundings
from benchwright.errors import BenchwrightError, PrerequisiteError, UsageError
from benchwright.version import VERSION

DOCS = REPOSITORY / "docs" / "benchmarks.md"
RESULTS = Path(__file__).resolve().parent / "results"
INTRODUCTION = """# Benchmarks

{contents}

`./run bench page` measures the sections and writes this page from the results in `benchmarks/results/`.
A section during which other processes used more than a tenth of the cores is marked.
"""


def parser() -> argparse.ArgumentParser:
    """The options of `./run bench page`."""
    made = argparse.ArgumentParser(
        prog="./run bench page",
        description="Measure the sections of docs/benchmarks.md that were not measured at this revision, "
        "store each result in benchmarks/results, and write the page. The same command resumes an "
        "interrupted one.",
    )
    names = ", ".join(each.name for each in SECTIONS)
    made.add_argument("--only", nargs="+", default=[], metavar="NAME", help=f"measure these again: {names}")
    made.add_argument("--again", action="store_true", help="measure all sections again")
    made.add_argument("--quick", action="store_true", help="few rounds and small sizes: about 12 minutes")
    made.add_argument(
        "--busy", action="store_true", help="accept a busy machine: print ratios, marked, of what is measured"
    )
    made.add_argument(
        "--release", default=VERSION, metavar="VERSION", help=f"the release the figures are for ({VERSION})"
    )
    made.add_argument("--write", action="store_true", help="measure nothing, only write the page")
    made.add_argument("--data", type=Path, default=dataset.DEFAULT_DATA, help="HumanEval.jsonl[.gz]")
    made.add_argument("--measure", metavar="NAME", help=argparse.SUPPRESS)  # the process of one section
    return made


def command(words: Sequence[str]) -> int:
    """Measure and write; 1 if a section failed. Prints what is not measured or old."""
    chosen = parser().parse_args(words)
    if chosen.measure:
        print(stored.document(_measured(choose([chosen.measure])[0], chosen)).decode())
        return 0
    failed = False
    for section in [] if chosen.write else choose(chosen.only):
        if chosen.only or chosen.again or not _is_done(section, chosen):
            failed |= not _measure_and_store(section, chosen)
            write_docs()
    write_docs()
    for line in lacking():
        print(line, file=sys.stderr)
    return int(failed)


def choose(names: Sequence[str]) -> list[Section]:
    """The sections of these names in the page's order; all without a name. Raises UsageError."""
    known = [each.name for each in SECTIONS]
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean `{near[0]}`?" if near else f"one of: {', '.join(known)}"
            raise UsageError(f"unknown section: {name!r}", hint=hint)
    return [each for each in SECTIONS if not names or each.name in names]


def _is_done(section: Section, chosen: argparse.Namespace) -> bool:
    """Whether a stored result is as good as what would be measured now."""
    found, revision = stored.read(_file(section)), stored.revision()
    if found is None or found.absent or found.revision != revision or not revision.isalnum():
        return False
    return found.rounds >= _rounds(section, chosen) and (not found.busy or chosen.busy)


def _rounds(section: Section, chosen: argparse.Namespace) -> int:
    return section.quick if chosen.quick else section.rounds


def _file(section: Section) -> Path:
    return RESULTS / f"{section.name}.json"


def _measure_and_store(section: Section, chosen: argparse.Namespace) -> bool:
    """Measure in another process; False if it failed, which leaves the earlier result as it is."""
    try:
        python = sys.executable
        if section.optimized is not None:
            python = str(environment.ensure_build(optimized=section.optimized))
        found = _other_process(python, section, chosen)
    except PrerequisiteError as error:
        found = stored.not_measured(error.message, version=chosen.release)
    except BenchwrightError as error:
        print(f"error: {section.name}: {error}", file=sys.stderr)
        return False
    earlier = stored.read(_file(section))
    if found.absent and earlier is not None and not (earlier.absent or earlier.old):
        print(f"{section.name}: {found.absent}; the stored figures were kept", file=sys.stderr)
        return True
    stored.write(_file(section), found)
    print(f"{section.name}: {found.absent or found.stamp}", file=sys.stderr)
    return True


def _other_process(python: str, section: Section, chosen: argparse.Namespace) -> StoredResult:
    words = ["page", "--measure", section.name, "--data", str(chosen.data), "--release", chosen.release]
    words += [name for name in ("--quick", "--busy") if getattr(chosen, name.removeprefix("--"))]
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [python, "-m", "benchmarks", *words],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env=environ,
        check=False,
    )
    if done.returncode:
        raise BenchwrightError(f"measuring ended with exit code {done.returncode}")
    return msgspec.json.decode(done.stdout, type=StoredResult)


def _measured(section: Section, chosen: argparse.Namespace) -> StoredResult:
    """Measure here. A missing prerequisite is a result: why there is none."""
    effort = Effort(_rounds(section, chosen), chosen.quick, chosen.data)
    try:
        found = stored.measured(lambda: section.measure(effort), rounds=effort.rounds, version=chosen.release)
    except PrerequisiteError as error:
        return stored.not_measured(error.message, version=chosen.release)
    return msgspec.structs.replace(found, accepted=chosen.busy)


def write_docs() -> None:
    """Write docs/benchmarks.md from all stored results."""
    DOCS.write_text(text(RESULTS), encoding="utf-8")


def text(results: Path) -> str:
    """The whole page, from the results in a folder."""
    contents = "\n".join(f"- [{each.title}](#{_anchor(each.title)}): {each.contents}" for each in SECTIONS)
    found = [(each, stored.read(results / f"{each.name}.json")) for each in SECTIONS]
    parts = [INTRODUCTION.format(contents=contents), *(section_text(*each) for each in found)]
    return "\n".join(parts)


def section_text(section: Section, found: StoredResult | None) -> str:
    """A section: how it is measured, where and when it was, and the figures; or why there are none."""
    head = f"## {section.title}\n\n{section.method}\n`{section.command}`"
    if found is None or found.absent or found.old:
        return f"{head}\n\nnot measured: {_why_not(section, found)}\n"
    lines = [found.stamp]
    if found.rounds < section.rounds:
        lines.append(f"A quick look: fewer rounds than the usual {section.rounds}.")
    if found.busy:
        withheld = section.has_ratios and not found.accepted
        lines.append(f"**Busy machine: figures are rough{', ratios withheld' if withheld else ''}.**")
    report = msgspec.json.decode(found.result, type=section.kind)
    parts = [head, " ".join(lines), section.page(report, found.accepted or not found.busy)]
    if not hasattr(report, "machine"):
        parts.append(surroundings(found.machine, {"benchwright": found.version}))
    return "\n\n".join(parts) + "\n"


def _why_not(section: Section, found: StoredResult | None) -> str:
    if found is None:
        return "no result is stored"
    return found.absent if not found.old else f"the stored result is of {found.version}, not of {VERSION}"


def lacking() -> list[str]:
    """The sections without figures of this release, and why, each with the command that measures it."""
    found = [(each, stored.read(_file(each))) for each in SECTIONS]
    return [
        f"{section.name}: not measured: {_why_not(section, result)}\nhint: {section.command}"
        for section, result in found
        if result is None or result.absent or result.old
    ]


def _anchor(title: str) -> str:
    """As Markdown's renderers name a heading."""
    return title.lower().replace(" ", "-")
