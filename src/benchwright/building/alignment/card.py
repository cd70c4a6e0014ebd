"""The card of a release, README.md: funnel, rungs, indicators, licences, time range, projects, limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from benchwright.building.alignment.indicators import DataIndicator, DataIndicators
from benchwright.building.alignment.project_sheets import ProjectSheet
from benchwright.building.alignment.records import RUNGS, EvidenceLink
from benchwright.building.engine.stages import FunnelLevel
from benchwright.display.escape import markdown_cell
from benchwright.records import Record
from benchwright.stats.intervals import Interval

STATES = ("unknown", "self_revision")  # links without a rung
UNKNOWN = "unknown"


class CardFacts(Record, frozen=True, kw_only=True):
    """The content of the card of a release. Equal facts give equal bytes."""

    name: str
    made_by: str
    tables: dict[str, int]  # rows by table
    levels: list[FunnelLevel]
    links: dict[str, int]  # answered links by rung; other links by state
    indicators: DataIndicators
    licences: dict[str, int]  # repositories by licence
    first_at: str = ""  # time of the earliest and of the latest event
    last_at: str = ""
    projects: list[ProjectSheet] = []
    notes: list[str] = []  # remarks of sources
    contact: str = ""  # address for requests to remove data


def tally_of_links(links: Iterable[EvidenceLink]) -> dict[str, int]:
    """Count links for the card: by rung if they have one, else by state."""
    found = Counter(str(link.rung) if link.rung is not None else link.state for link in links)
    return dict(sorted(found.items()))


def card(facts: CardFacts) -> str:
    """Return the card as Markdown."""
    parts = (
        _head(facts),
        _rungs(facts),
        _indicators(facts.indicators),
        _licences(facts.licences),
        _projects(facts.projects),
        _funnel(facts.levels),
        _limits(facts),
        _removal(facts.contact),
    )
    return "\n".join(parts)


def _head(facts: CardFacts) -> str:
    span = f"{facts.first_at[:10]} to {facts.last_at[:10]}" if facts.first_at else "no event has a time"
    lines = [
        f"# {markdown_cell(facts.name)}",
        "",
        "Commits, reviews, issues and merges of software projects as trajectories. Every link from feedback",
        "to the change that answered it names its evidence.",
        "",
        f"Made by {markdown_cell(facts.made_by)}. Time range: {span}.",
        "",
        "| table | rows |",
        "|---|---:|",
        *(f"| {markdown_cell(name)} | {rows:,} |" for name, rows in facts.tables.items()),
    ]
    return "\n".join([*lines, ""])


def _rungs(facts: CardFacts) -> str:
    precision = {each.name: each for each in facts.indicators.reliability}
    lines = ["## Links", "", "| rung | evidence | links | precision, 95 % interval | labelled |"]
    lines.append("|---|---|---:|---|---:|")
    for rung, method in RUNGS.items():
        each = precision.get(str(rung))
        cells = (
            str(rung),
            method.replace("_", " "),
            f"{facts.links.get(str(rung), 0):,}",
            interval_text(each) if rung else "–",
            (str(each.n) if each else "0") if rung else "–",
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        f"| – | {state.replace('_', ' ')} | {facts.links.get(state, 0):,} | – | – |" for state in STATES
    ]
    remarks = [
        "Rung 7 is weak evidence. Rung 0: the lines were followed to the merge, and nothing changed them.",
        "`unknown`: no rung holds, which is not the same. Time alone is never evidence.",
    ]
    return "\n".join([*lines, "", *remarks, ""])


def interval_text(indicator: DataIndicator | None) -> str:
    """A share with its interval, or "not measured" with the reason."""
    if indicator is None or indicator.share is None:
        why = indicator.why if indicator else ""
        return "not measured" + (f": {markdown_cell(why)}" if why else "")
    return share_text(indicator.share)


def share_text(share: Interval) -> str:
    """A share with its interval as text."""
    return f"{share.value:.3f} ({share.low:.3f} to {share.high:.3f})"


_GROUPS = ("functionality", "reliability", "interpretability")


def _indicators(found: DataIndicators) -> str:
    lines = ["## Indicators", "", "| indicator | counted | share, 95 % interval | of |", "|---|---|---|---:|"]
    for group in _GROUPS:
        for each in getattr(found, group):
            if group == "reliability" and each.name.isdigit():
                continue  # in the table of rungs
            name = f"{group}: {each.name}"
            about = markdown_cell(each.about) + (f" ({each.unsure} undecided)" if each.unsure else "")
            lines.append(f"| {name} | {about} | {interval_text(each)} | {each.n:,} |")
    return "\n".join([*lines, "", *_agreement(found), ""])


def _agreement(found: DataIndicators) -> list[str]:
    if found.agreement is None:
        return ["Agreement of people on links: not measured, because nobody has labelled them."]
    agreed = found.agreement
    figures = (f"{name} {agreed.text(name)}" for name in agreed.figures)
    return [f"{agreed.people} people labelled {agreed.links} links: {', '.join(figures)}."]


def _licences(licences: Mapping[str, int]) -> str:
    lines = ["## Licences", "", "| licence | repositories |", "|---|---:|"]
    lines += [f"| {markdown_cell(name or UNKNOWN)} | {count:,} |" for name, count in licences.items()]
    remarks = ["Every row has the licence of its repository; texts and code stay under it."]
    if licences.get("") or licences.get(UNKNOWN):
        remarks.append("If a licence is unknown, there is no permission to pass on the rows.")
    return "\n".join([*lines, "", *remarks, ""])


def _projects(projects: Sequence[ProjectSheet]) -> str:
    lines = ["## Projects", ""]
    for each in projects:
        facts = {
            "head": each.head,
            "languages": ", ".join(each.languages),
            "build": ", ".join(each.build),
            "test": ", ".join(each.test),
            "commands": "; ".join(each.commands),
            "issues": f"{each.issues:,}",
            "pull requests": f"{each.pulls:,} ({_listed(each.outcomes)})" if each.pulls else "0",
            "feedback": f"{each.feedback:,}",
            "not read": _listed(each.gaps),
        }
        lines += [f"### {markdown_cell(each.name)}", "", "| | |", "|---|---|"]
        lines += [f"| {name} | {markdown_cell(value) or '–'} |" for name, value in facts.items()]
        lines.append("")
    return "\n".join(lines)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in sorted(counts.items()))


def _funnel(levels: Sequence[FunnelLevel]) -> str:
    lines = ["## What was left out", "", "| stage | considered | kept | dropped |", "|---|---:|---:|---|"]
    for each in levels:
        why = ", ".join(f"{count:,} {reason}" for reason, count in each.dropped.items())
        name = f"{each.stage} ({each.unit})"
        lines.append(f"| {markdown_cell(name)} | {each.considered:,} | {each.kept:,} | {why or '–'} |")
    return "\n".join([*lines, ""])


def _limits(facts: CardFacts) -> str:
    lines = [
        "## Limits",
        "",
        "- A link shows that a change answered feedback, not that the change is correct.",
        "- Heads that were replaced by a force-push are often gone from a clone: their commits are gaps, and",
        "  feedback on them has no link by line tracking.",
        "- Categories of feedback and refactorings are found by rules; they are marked as heuristic.",
        "- Secrets and people are replaced by rules and keyed pseudonyms; a rule can miss an unknown form.",
        *(f"- {markdown_cell(note)}" for note in facts.notes),
    ]
    return "\n".join([*lines, ""])


def _removal(contact: str) -> str:
    ask = (
        f"To have a person, a repository or an address removed, write to {markdown_cell(contact)}."
        if contact
        else "No removal contact was given (`--contact`). Name one before you publish the release."
    )
    return "\n".join(["## Removal", "", ask, "The next release is built without it (`forget`).", ""])
