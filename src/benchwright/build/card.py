"""The card of a data set, README.md: what it holds, where from, how it was made, what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.build.funnel import Level


def card(manifest: Mapping[str, Any], levels: Sequence[Level]) -> str:
    """The card as Markdown, all of it from the manifest and the funnel."""
    parts = (_head(manifest), _counts(manifest), _sources(manifest), _made(manifest), _funnel(levels))
    return "\n".join(parts)


def _head(manifest: Mapping[str, Any]) -> str:
    rows = manifest["rows"]
    return f"""# {_cell(manifest["name"])}

Will this test pass on this code? Each row has a focal file, a file with one test case, and the label
`success` or `failed`, which execution in a sandbox established.

{rows["test"]} rows in `test.json` (the same in `codecorrectness.jsonl`), {rows["shots"]} in `shots.json`.
Made by {manifest["made_by"]}. Rows of the subset `original` are as their repository has them; a row of the
subset `mutated` has one change in its focal file, named in `meta.mutation`.
"""


def _counts(manifest: Mapping[str, Any]) -> str:
    lines = ["## Rows", "", "| | rows |", "|---|---:|"]
    for name in ("labels", "languages", "subsets"):
        lines += [f"| {_cell(key)} | {count} |" for key, count in manifest[name].items()]
    return "\n".join([*lines, ""])


def _sources(manifest: Mapping[str, Any]) -> str:
    lines = ["## Sources", "", "| repository | commit | date | licence |", "|---|---|---|---|"]
    for each in manifest["repositories"]:
        name = f"{each['name']} ({each['remote']})" if each["remote"] else each["name"]
        cells = (name, each["commit"], each["committed_at"][:10], each["licence"])
        lines.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join([*lines, "", "The code stays under the licence of its repository.", ""])


def _made(manifest: Mapping[str, Any]) -> str:
    repeat = manifest["options"]["repeat"]
    tools = "; ".join(
        f"{lang}: {', '.join(f'{part} {version}' for part, version in parts.items())}"
        for lang, parts in manifest["toolchains"].items()
    )
    return f"""## Labels

Each row was executed {repeat} times, with other hash seeds, orders, clocks and time zones. A row whose
executions disagree is not here. Toolchains: {_cell(tools)}.
`meta.pass_rate` is over these executions, `meta.kind` says how a test failed.
Check the labels again: `benchwright verify test.json`.
"""


def _funnel(levels: Sequence[Level]) -> str:
    lines = ["## What was left out", "", "| stage | considered | kept | dropped |", "|---|---:|---:|---|"]
    for each in levels:
        why = ", ".join(f"{count} {reason}" for reason, count in each.dropped.items())
        lines.append(f"| {each.stage} ({each.unit}) | {each.considered} | {each.kept} | {why or '–'} |")
    return "\n".join([*lines, ""])


def _cell(text: object) -> str:
    """Text from outside, on one line and without what Markdown or HTML would act on."""
    plain = " ".join("".join(char if char.isprintable() else "�" for char in str(text)).split())
    return "".join(f"\\{char}" if char in "\\|`*_[]<>" else char for char in plain)
