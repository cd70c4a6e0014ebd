"""The card of a data set, README.md: its content, sources, method and drops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchwright.building.codecorrectness.naive_baselines import LEVEL, baseline_warnings, pattern_warnings
from benchwright.building.codecorrectness.options import UNKNOWN_LICENCE
from benchwright.building.engine.stages import FunnelLevel
from benchwright.display.escape import markdown_cell
from benchwright.tracks.correctness.layout_baseline import GUESSED, guessed_shares

BESIDE = (".dist-info", ".libs", "-stubs", "__mypyc")
SHOWN = 20  # patterns shown in the card; the manifest has all


def card(manifest: Mapping[str, Any], levels: Sequence[FunnelLevel]) -> str:
    """The card as Markdown, derived from the manifest and the funnel."""
    parts = (
        _head(manifest),
        _table_of_counts(manifest),
        _kinds(manifest),
        _shape(manifest["shape"]),
        _readers(manifest["readers"]),
        _patterns(manifest["patterns"]),
        _sources(manifest),
        _labels_section(manifest),
        _funnel(levels),
    )
    return "\n".join(parts)


_KINDS = {
    "original": "both files as the repository has them",
    "generated": "the test is a model's, the focal file the repository's",
    "mutated": "one change in the focal file, named in `meta.mutation`, which the test notices or not",
    "history": "both files are the repository's, of two commits that `meta.origin` names",
    "broken": "the focal file does not compile, does not parse or misses a name",
}


def _head(manifest: Mapping[str, Any]) -> str:
    rows = manifest["rows"]
    return f"""# {markdown_cell(manifest["name"])}

Will this test pass on this code? Each row has a focal file, a file with one test case, and the label
`success` or `failed`, which execution in a sandbox established.

{rows["test"]} rows in `test.json` (the same in `codecorrectness.jsonl`), {rows["shots"]} in `shots.json`. No
row shares a file, a test or a text with a shot.
Made by {manifest["made_by"]}.{_who_wrote(manifest)}
"""


def _who_wrote(manifest: Mapping[str, Any]) -> str:
    """The number of tests by each model."""
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


def _table_of_counts(manifest: Mapping[str, Any]) -> str:
    lines = ["## Rows", "", "| | rows |", "|---|---:|"]
    for name in ("labels", "languages"):
        lines += [f"| {markdown_cell(key)} | {count} |" for key, count in manifest[name].items()]
    return "\n".join([*lines, ""])


def _kinds(manifest: Mapping[str, Any]) -> str:
    """Kinds with both labels, kinds of failure, and dependencies among the rows."""
    facts = manifest["contents"]
    lines = ["## Kinds", "", "| `meta.subset` | success | failed | what it is |", "|---|---:|---:|---|"]
    for kind, labels in facts["kinds"].items():
        lines.append(f"| {kind} | {labels['success']} | {labels['failed']} | {_KINDS[kind]} |")
    mix = ", ".join(f"{kind} {most} %" for kind, most in manifest["options"]["mix"]["failures"].items())
    tests, most = facts["clusters"]["tests"], facts["clusters"]["most_rows"]
    notes = [
        f"Of the failures, at most: {mix}. In each kind labels are as even as the sources allow.",
        f"The rows are of {tests} tests, at most {most} of one. Rows of one test have one `meta.cluster` and",
        "are no independent tasks.",
        f"The largest repository has {100 * facts['largest_repository']:.1f} % of the rows.",
        f"How rows fail (`meta.kind`): {_listed(facts['failures'])}. Steadiness: {_listed(facts['steady'])}.",
        f"Does the row's project build: {_listed(facts['builds'])}.",
    ]
    if libraries := manifest.get("libraries"):
        notes.append(f"Tests may import {markdown_cell(_names(libraries))}; manifest.json has their hashes.")
    notes += [f"\n**Warning**: {markdown_cell(each)}." for each in facts["warnings"]]
    return "\n".join([*lines, "", *notes, ""])


def _listed(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {markdown_cell(name)}" for name, count in counted.items()) or "none"


def _names(libraries: Iterable[Mapping[str, str]]) -> str:
    """Library names by language, without the files that an installer adds: records, stubs, shared parts."""
    by_lang: dict[str, list[str]] = {}
    for each in libraries:
        name = each["name"].partition(".cpython-")[0]
        if not name.endswith(BESIDE):
            by_lang.setdefault(each["lang"], []).append(name)
    return "; ".join(f"in {lang} {', '.join(names)}" for lang, names in by_lang.items())


def _readers(found: Mapping[str, Any]) -> str:
    """How well labels are guessed without reading what the code does."""
    majority = found["majority"]
    lines = ["## Readers without understanding", ""]
    lines += ["| reader | right | 95 % interval | rows |", "|---|---:|---:|---:|"]
    lines.append(f"| always {majority['label']} | {100 * majority['share']:.1f} % | – | – |")
    for each in found["figures"]:
        if (figure := each.get("accuracy")) is None:
            lines.append(f"| {each['reader']} | – | {markdown_cell(each['absent'])} | – |")
            continue
        value, low, high = (f"{100 * figure[part]:.1f}" for part in ("value", "low", "high"))
        lines.append(f"| {each['reader']} | {value} % | {low}–{high} | {figure['n']} |")
    notes = [
        "The first three compare the versions of one focal file: the commonest text, the one nearest to all,",
        "and any that occurs twice are taken for sound. Marks (`not (…)`, `return None` and the like) and",
        f"groups of two to five characters are learnt from other repositories, in {found['folds']} folds.",
        "Rows: those of which a reader says something. Intervals take the rows of a file as one cluster.",
    ]
    notes += [f"\n**Warning**: {markdown_cell(each)}." for each in baseline_warnings(found)]
    return "\n".join([*lines, "", *notes, ""])


def _patterns(found: Sequence[Mapping[str, Any]]) -> str:
    """Tokens that occur with one label more often than by chance."""
    if not found:
        return f"No token and no two tokens in a row go with a label (exact tests, p < {LEVEL} after Holm).\n"
    lines = ["| tokens | failed | success | counted | p |", "|---|---:|---:|---|---:|"]
    for each in found[:SHOWN]:
        counted = "tests, between versions" if each["paired"] else "files"
        cells = (each["pattern"], each["failed"], each["success"], counted, f"{each['p']:.2g}")
        lines.append(f"| {' | '.join(map(markdown_cell, cells))} |")
    notes = [f"**Warning**: {each}." for each in pattern_warnings(found)]
    return "\n".join([*notes, "", *lines, ""])


def _shape(shape: Mapping[str, Any]) -> str:
    """The score of a model that cannot read."""
    lines = ["## Baselines", ""]
    if "absent" in shape:
        return "\n".join([*lines, f"{markdown_cell(shape['absent'][:1].upper() + shape['absent'][1:])}.", ""])
    lines += [f"| | {GUESSED.title} | 95 % interval |", "|---|---:|---:|"]
    for name, metric in guessed_shares(shape):
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
    notes = [f"{markdown_cell(note)}.  " for note in manifest.get("search", ())]
    notes.append("The code stays under the licence of its repository.")
    if any(each["licence"] == UNKNOWN_LICENCE for each in repositories):
        notes.append("Where that is unknown, nothing says that the rows may be passed on.")
    return "\n".join([*lines, "", *notes, ""])


def _labels_section(manifest: Mapping[str, Any]) -> str:
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


def _funnel(levels: Sequence[FunnelLevel]) -> str:
    lines = ["## What was left out", "", "| stage | considered | kept | dropped |", "|---|---:|---:|---|"]
    for each in levels:
        why = ", ".join(f"{count} {reason}" for reason, count in each.dropped.items())
        lines.append(f"| {each.stage} ({each.unit}) | {each.considered} | {each.kept} | {why or '–'} |")
    also = [(each.stage, reason, count) for each in levels for reason, count in each.also.items()]
    if also:
        lines += ["", "A drop counts by its first reason. Further reasons that drops had:", ""]
        lines += ["| stage | further reason | drops |", "|---|---|---:|"]
        lines += [f"| {stage} | {reason} | {count} |" for stage, reason, count in also]
    return "\n".join([*lines, ""])
