"""The card of a data set, README.md: what it holds, where from, how it was made, what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.building.funnel import Level
from benchwright.display.escape import markdown_cell


def card(manifest: Mapping[str, Any], levels: Sequence[Level]) -> str:
    """The card as Markdown, all of it from the manifest and the funnel."""
    parts = (
        _head(manifest),
        _counts(manifest),
        _shape(manifest["shape"]),
        _sources(manifest),
        _made(manifest),
        _funnel(levels),
    )
    return "\n".join(parts)


def _head(manifest: Mapping[str, Any]) -> str:
    rows = manifest["rows"]
    return f"""# {markdown_cell(manifest["name"])}

Will this test pass on this code? Each row has a focal file, a file with one test case, and the label
`success` or `failed`, which execution in a sandbox established.

{rows["test"]} rows in `test.json` (the same in `codecorrectness.jsonl`), {rows["shots"]} in `shots.json`.
Made by {manifest["made_by"]}. Rows of the subset `original` are as their repository has them; a row of the
subset `mutated` has one change in its focal file, named in `meta.mutation`.{_writers(manifest)}
"""


def _writers(manifest: Mapping[str, Any]) -> str:
    """Which model wrote how many of the tests."""
    if "generated" not in manifest:
        return ""
    rows = manifest["generated"]["rows"].items()
    who = (
        ", ".join(f"{markdown_cell(model)} ({count} rows)" for model, count in rows)
        or "no model that is left"
    )
    return f"""

A model wrote the tests of the subset `generated`, and those of mutated rows that have a `meta.test_model`:
{who}. `meta.test_prompt` names the question and `meta.test_reply` the reply. In each language, as many of
a model's tests pass as fail, and as many of the repositories' own, so that the style of a test does not tell
its label."""


def _counts(manifest: Mapping[str, Any]) -> str:
    lines = ["## Rows", "", "| | rows |", "|---|---:|"]
    for name in ("labels", "languages", "subsets"):
        lines += [f"| {markdown_cell(key)} | {count} |" for key, count in manifest[name].items()]
    return "\n".join([*lines, ""])


def _shape(shape: Mapping[str, Any]) -> str:
    """What a model that cannot read would get."""
    lines = ["## Baselines", ""]
    if "absent" in shape:
        return "\n".join([*lines, f"{markdown_cell(shape['absent'][:1].upper() + shape['absent'][1:])}.", ""])
    majority = shape["majority"]
    lines += ["| | exact match | 95 % interval |", "|---|---:|---:|"]
    for name, metric in (
        (f"always {majority['label']}", majority["exact_match"]),
        ("shape of the files alone", shape["exact_match"]),
    ):
        value, low, high = (f"{100 * metric[part]:.1f}" for part in ("value", "low", "high"))
        lines.append(f"| {markdown_cell(name)} | {value} % | {low}–{high} |")
    lines += ["", f"Shape: line counts, lengths, blank runs; {shape['folds']} fixed folds by repository."]
    if "warning" in shape:
        lines.append(f"**Warning**: {markdown_cell(shape['warning'])}.")
    return "\n".join([*lines, ""])


def _sources(manifest: Mapping[str, Any]) -> str:
    repositories = manifest["repositories"]
    heads = ["repository", "commit", "date", "licence"]
    if searched := any("stars" in each for each in repositories):
        heads += ["stars", "last push"]
    lines = ["## Sources", "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for each in repositories:
        name = f"{each['name']} ({each['remote']})" if each["remote"] else each["name"]
        cells = [name, each["commit"], each["committed_at"][:10], each["licence"]]
        if searched:
            cells += [each.get("stars", "–"), each.get("pushed_at", "")[:10] or "–"]
        lines.append(f"| {' | '.join(map(markdown_cell, cells))} |")
    said = [f"{markdown_cell(note)}.  " for note in manifest.get("search", ())]
    return "\n".join([*lines, "", *said, "The code stays under the licence of its repository.", ""])


def _made(manifest: Mapping[str, Any]) -> str:
    repeat = manifest["options"]["repeat"]
    tools = "; ".join(
        f"{lang}: {', '.join(f'{part} {version}' for part, version in parts.items())}"
        for lang, parts in manifest["toolchains"].items()
    )
    gates = ", ".join(f"{name} (version {version})" for name, version in manifest.get("gates", {}).items())
    further = f"Rows had to pass further gates: {markdown_cell(gates)}.\n" if gates else ""
    return f"""## Labels

Each row was executed {repeat} times, with other hash seeds, orders, clocks and time zones. A row whose
executions disagree is not here. Toolchains: {markdown_cell(tools)}.
`meta.pass_rate` is over these executions, `meta.kind` says how a test failed.
{further}Check the labels again: `benchwright verify test.json`.
"""


def _funnel(levels: Sequence[Level]) -> str:
    lines = ["## What was left out", "", "| stage | considered | kept | dropped |", "|---|---:|---:|---|"]
    for each in levels:
        why = ", ".join(f"{count} {reason}" for reason, count in each.dropped.items())
        lines.append(f"| {each.stage} ({each.unit}) | {each.considered} | {each.kept} | {why or '–'} |")
    return "\n".join([*lines, ""])
