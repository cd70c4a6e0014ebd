"""The command `./run prose`: list hard phrases with better wordings, or compare their number."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tools.prose.rules import Finding, findings_in

ROOT = Path(__file__).resolve().parents[2]
COUNTS = Path(__file__).with_name("counts.json")
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "changelog.d/*.md", "docs/*.md")
SOURCE = "src/benchwright"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print findings; with --count, return 1 if a folder has more than its limit."""
    options = _parser().parse_args(arguments)
    chosen = [Path(path).resolve() for path in options.paths]
    findings = [each for path in files() if _is_chosen(path, chosen) for each in findings_of(path)]
    if options.count or options.write:
        return _compare(findings, writes=options.write)
    for each in findings:
        print(f"{each.path}:{each.line}: {each.rule}: {each.found!r}; write: {each.write}")
    by_rule = Counter(each.rule for each in findings)
    print(f"{len(findings)} phrases: {', '.join(f'{rule} {count}' for rule, count in by_rule.most_common())}")
    return 0


def files() -> list[Path]:
    """Return the pages and the source. Design notes and the changelog describe earlier states and are left
    out."""
    pages = [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]
    return [*pages, *sorted((ROOT / SOURCE).rglob("*.py"))]


def findings_of(path: Path) -> list[Finding]:
    """Return the findings of the rules in one file."""
    return list(findings_in(path, path.relative_to(ROOT).as_posix()))


def folder_of(path: str) -> str:
    """Return the folder that counts a file's findings: a package of the source, `docs`, or the root."""
    parts = path.split("/")[:-1]
    return "/".join(parts[:3]) if parts[:2] == SOURCE.split("/") else "/".join(parts[:1]) or "."


def counts(findings: Iterable[Finding]) -> dict[str, int]:
    """Return the number of findings by folder; a folder without any has 0."""
    found = Counter(folder_of(each.path) for each in findings)
    folders = {folder_of(path.relative_to(ROOT).as_posix()) for path in files()}
    return {folder: found[folder] for folder in sorted(folders)}


def committed() -> dict[str, int]:
    """Return the limit of each folder; a folder that is not listed has 0."""
    allowed: dict[str, int] = json.loads(COUNTS.read_text(encoding="utf-8"))
    return allowed


def _is_chosen(path: Path, chosen: Sequence[Path]) -> bool:
    return not chosen or any(path == each or each in path.parents for each in chosen)


def _compare(findings: Sequence[Finding], *, writes: bool) -> int:
    now, allowed = counts(findings), committed() if COUNTS.exists() else {}
    grown = {folder: count for folder, count in now.items() if count > allowed.get(folder, 0)}
    print(f"prose: {sum(now.values())} phrases to rewrite, {sum(allowed.values())} allowed (./run prose)")
    if writes:
        lower = {folder: min(count, allowed.get(folder, count)) for folder, count in now.items()}
        COUNTS.write_text(json.dumps(lower, indent=1) + "\n", encoding="utf-8")
        return 0
    for folder, count in grown.items():
        print(f"prose: {folder} has {count}, {allowed.get(folder, 0)} allowed: ./run prose {folder}")
    return 1 if grown else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./run prose", description="List phrases that are hard to read, with the wording to use instead."
    )
    parser.add_argument("paths", nargs="*", help="files and folders (all pages and the source)")
    parser.add_argument(
        "--count", action="store_true", help="fail where a folder has more than tools/prose/counts.json"
    )
    parser.add_argument(
        "--write", action="store_true", help="lower the committed numbers to what there is now"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
