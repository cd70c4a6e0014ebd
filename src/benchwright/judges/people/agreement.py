"""Agreement of people on each field: of all, of each two, and of each with themselves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from benchwright.judges.people.records import (
    ANNOTATION,
    ANSWERED,
    DECISION,
    DECISIONS,
    GRADES,
    LINK_LABELS,
    PREFERENCE,
    PREFERENCES,
    Vote,
)
from benchwright.judges.people.results import UNSURE
from benchwright.progress import Watcher, stage
from benchwright.records import Record
from benchwright.stats.agreement import (
    DRAWS,
    Agreement,
    Label,
    Table,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)

Figures = dict[str, Agreement]  # by the coefficient's name
COEFFICIENTS = {  # names for people
    "percent": "agree",
    "alpha_nominal": "Krippendorff's alpha, nominal",
    "alpha_ordinal": "Krippendorff's alpha, ordinal",
    "alpha_interval": "Krippendorff's alpha, interval",
    "cohen": "Cohen's kappa",
    "cohen_linear": "Cohen's kappa, linear weights",
    "cohen_quadratic": "Cohen's kappa, quadratic weights",
    "fleiss": "Fleiss' kappa",
    "ac1": "Gwet's AC1",
}


class PairAgreement(Record, frozen=True, kw_only=True):
    """Agreement of two judges on the items that both have judged; of one judge twice for a repeated round."""

    judges: tuple[str, str]
    items: int
    figures: Figures


class FieldAgreement(Record, frozen=True, kw_only=True):
    """Agreement of people on one field. `adjudicated` votes are in no figure: they were not given blind."""

    field: str
    judges: list[str]
    items: int
    judgements: int
    adjudicated: int
    figures: Figures
    pairs: list[PairAgreement] = []
    selves: list[PairAgreement] = []


class LabelScale(NamedTuple):
    """The labels of a field, and the ordered ones among them: the others are gaps."""

    labels: Sequence[Label]
    ordered: Sequence[Label]

    @classmethod
    def of(cls, field: str) -> LabelScale:
        """Return the scale of a field: grades, unless it is a decision or a preference."""
        if field == DECISION:
            return cls(DECISIONS, [label for label in DECISIONS if label != UNSURE])
        if field == ANSWERED:
            return cls(LINK_LABELS, ())
        return cls(PREFERENCES, ()) if field == PREFERENCE else cls(GRADES, GRADES)


def agreement_of(
    votes: Sequence[Vote], watch: Watcher, *, draws: int = DRAWS, most_pairs: int | None = None
) -> list[FieldAgreement]:
    """Return the agreement on each field of these votes, in the order in which fields first occur.

    With more than `most_pairs` pairs of judges, pairs have no intervals.

    Votes of the round "first" count, and for a judge against themselves those of "repeat". Annotations are
    free text and are omitted.
    """
    fields = dict.fromkeys(vote.field for vote in votes if vote.field != ANNOTATION)
    found = []
    for field in fields:
        own = [vote for vote in votes if vote.field == field]
        found.append(_of_field(field, own, watch, draws, most_pairs))
    return found


def reliability(votes: Sequence[Vote], *, draws: int = 0) -> dict[str, Agreement]:
    """Return Krippendorff's alpha of the blind votes on each field: ordinal for grades, nominal for labels.

    Without `draws` there is no interval. Raises PrerequisiteError without numpy.
    """
    blind = [vote for vote in votes if vote.round == "first" and vote.field != ANNOTATION]
    return {
        field: _alpha_of(field, [vote for vote in blind if vote.field == field], draws)
        for field in dict.fromkeys(vote.field for vote in blind)
    }


def _alpha_of(field: str, votes: Sequence[Vote], draws: int) -> Agreement:
    scale = LabelScale.of(field).labels
    voted = {(vote.item, vote.judge): vote.value for vote in votes}
    judges = sorted({judge for _, judge in voted})
    rows = [
        [voted.get((item, judge)) for judge in judges] for item in dict.fromkeys(item for item, _ in voted)
    ]
    return krippendorff_alpha(rows, "ordinal" if scale == GRADES else "nominal", scale=scale, draws=draws)


def _of_field(
    field: str, votes: Sequence[Vote], watch: Watcher, draws: int, most_pairs: int | None
) -> FieldAgreement:
    scale = LabelScale.of(field)
    voted = {(vote.judge, vote.item): vote.value for vote in votes if vote.round == "first"}
    again = {(vote.judge, vote.item): vote.value for vote in votes if vote.round == "repeat"}
    judges = sorted({judge for judge, _ in voted})
    items = list(dict.fromkeys(vote.item for vote in votes if vote.round == "first"))
    table: Table = [[voted.get((judge, item)) for judge in judges] for item in items]
    two = list(combinations(judges, 2))
    by_judge: dict[str, dict[str, int | str]] = {judge: {} for judge in judges}
    for (judge, item), value in voted.items():
        by_judge[judge][item] = value
    of_pairs = draws if most_pairs is None or len(two) <= most_pairs else 0
    themselves = [judge for judge in judges if any(judge == other for other, _ in again)]
    with stage(watch, f"agreement on {field}", total=1 + len(two) + len(themselves), done=0):
        figures = _of_all(table, scale, draws)
        watch.tick(None)
        pairs, selves = [], []
        for one, other in two:
            labels = by_judge[other]
            both = [(value, labels[item]) for item, value in by_judge[one].items() if item in labels]
            if joint := _pair((one, other), both, scale, of_pairs):
                pairs.append(joint)
            watch.tick(None)
        for judge in themselves:
            own = [(voted.get((judge, item)), again.get((judge, item))) for item in items]
            if joint := _pair((judge, judge), own, scale, draws):
                selves.append(joint)
            watch.tick(None)
    return FieldAgreement(
        field=field,
        judges=judges,
        items=len(items),
        judgements=len(voted),
        adjudicated=sum(vote.round == "adjudication" for vote in votes),
        figures=figures,
        pairs=pairs,
        selves=selves,
    )


def _of_all(table: Table, scale: LabelScale, draws: int) -> Figures:
    figures = [
        percent_agreement(table, scale=scale.labels, draws=draws),
        krippendorff_alpha(table, scale=scale.labels, draws=draws),
        *_in_order(table, scale, draws),
        fleiss_kappa(table, scale=scale.labels, draws=draws),
        gwet_ac1(table, scale=scale.labels, draws=draws),
    ]
    return {each.name: each for each in figures}


def _in_order(table: Table, scale: LabelScale, draws: int) -> list[Agreement]:
    if not scale.ordered:
        return []
    within = [[value if value in scale.ordered else None for value in row] for row in table]
    return [krippendorff_alpha(within, "ordinal", scale=scale.ordered, draws=draws)]


def _pair(judges: tuple[str, str], table: Table, scale: LabelScale, draws: int) -> PairAgreement | None:
    """Return the agreement of two judges; None if they share no item."""
    shared = [row for row in table if None not in row]
    if not shared:
        return None
    return PairAgreement(judges=judges, items=len(shared), figures=pair_figures(shared, scale, draws=draws))


def pair_figures(table: Table, scale: LabelScale, *, draws: int = DRAWS) -> Figures:
    """Compare two columns of judgements; weighted kappas omit labels without an order."""
    figures = [
        percent_agreement(table, scale=scale.labels, draws=draws),
        _without_constant_judge(cohen_kappa(table, scale=scale.labels, draws=draws), table),
    ]
    if scale.ordered:
        within = [row for row in table if all(value in scale.ordered for value in row)]
        weighted = [
            cohen_kappa(within, "linear", scale=scale.ordered, draws=draws),
            cohen_kappa(within, "quadratic", scale=scale.ordered, draws=draws),
        ]
        figures += [_without_constant_judge(each, within) for each in weighted]
    figures.append(gwet_ac1(table, scale=scale.labels, draws=draws))
    return {each.name: each for each in figures}


def _without_constant_judge(figure: Agreement, table: Table) -> Agreement:
    """Drop the value of a kappa of two judges if one gave one label throughout: it is then always 0."""
    labels_by_judge = [set(column) for column in zip(*table, strict=True)]
    constant = [labels for labels in labels_by_judge if len(labels) == 1]
    if figure.value is None or len(constant) != 1:
        return figure
    why = f"one judge gave only {next(iter(constant[0]))!r}: kappa is then 0 for any judgements of the other"
    return Agreement(name=figure.name, items=figure.items, judgements=figure.judgements, why=why)
