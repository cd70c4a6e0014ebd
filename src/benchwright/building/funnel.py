"""The funnel: how many went into each stage, how many came out, and why the rest did not. It must add up."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from benchwright.records import Drop, Record


class Level(Record, frozen=True, kw_only=True):
    """One stage. `given` records came from the stages `after`; each became one or more of `considered`."""

    stage: str
    unit: str  # what is counted: "repositories", "test files"
    after: list[str] = []
    given: int = 0
    considered: int = 0
    kept: int = 0
    dropped: dict[str, int] = {}


def level(
    stage: str, *, unit: str, after: Sequence[str], given: int, kept: int, drops: Iterable[Drop]
) -> Level:
    """The count of one finished stage."""
    dropped: dict[str, int] = {}
    for drop in drops:
        dropped[drop.reason] = dropped.get(drop.reason, 0) + 1
    return Level(
        stage=stage,
        unit=unit,
        after=list(after),
        given=given,
        considered=kept + sum(dropped.values()),
        kept=kept,
        dropped=dict(sorted(dropped.items(), key=lambda item: (-item[1], item[0]))),
    )


def reasons(levels: Sequence[Level]) -> str:
    """Everything that was dropped in one sentence: "2 empty (collect), 1 no tests (pair)"."""
    said = [
        f"{count} {reason.replace('_', ' ')} ({each.stage})"
        for each in levels
        for reason, count in each.dropped.items()
    ]
    return ", ".join(said) or "nothing, as nothing came in"


def faults(levels: Sequence[Level], *, spreading: Collection[str]) -> list[str]:
    """What does not add up, as sentences; none for a sound funnel. `spreading` stages make several of one."""
    kept = {each.stage: each.kept for each in levels}
    found = []
    for each in levels:
        given = sum(kept[stage] for stage in each.after) if each.after else each.given
        if each.given != given:
            found.append(f"{each.stage}: given {each.given}, but the stages before kept {given}")
        if each.considered != each.kept + sum(each.dropped.values()):
            found.append(f"{each.stage}: {each.considered} considered are not kept and dropped together")
        if each.considered < each.given:
            found.append(f"{each.stage}: {each.given - each.considered} were lost without a reason")
        if each.stage not in spreading and each.considered > each.given:
            found.append(f"{each.stage}: {each.considered - each.given} came from nowhere")
    return found
