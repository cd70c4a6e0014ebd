"""How far people agree, from their votes: rounds, scales, pairs of judges, and judges against themselves."""

from __future__ import annotations

import pytest

from benchwright.judges.people.agreement import LabelScale, agreement_of
from benchwright.judges.people.records import Vote
from benchwright.progress import Silent
from kit.calibrated import decided, peoples_votes
from kit.peoples_votes import vote


def graded(item: int, value: int, judge: str, field: str = "logic") -> Vote:
    """A grade."""
    return vote(value, judge, item=f"i{item}", task_id=item, kind="rate", field=field, answers=[f"{item}-0"])


def test_blind_votes_are_compared_by_all_by_two_and_by_oneself() -> None:
    """Of 60 items anna and boris differ on six; adjudicated votes and repeats are no second opinion."""
    (found,) = agreement_of(peoples_votes(range(1, 61)), Silent(), draws=100)

    assert (found.field, found.judges, found.items, found.judgements) == (
        "decision",
        ["anna", "boris"],
        60,
        120,
    )
    assert found.adjudicated == 6
    assert found.figures["percent"].value == pytest.approx(0.9)
    (pair,) = found.pairs
    assert (pair.judges, pair.items, pair.figures["percent"].value) == (
        ("anna", "boris"),
        60,
        pytest.approx(0.9),
    )
    (again,) = found.selves
    assert (again.judges, again.items, again.figures["cohen"].value) == (("anna", "anna"), 12, 1)


def test_cannot_tell_is_a_label_but_no_grade() -> None:
    """Between "correct" and "wrong" stands "partly"; who cannot tell stands nowhere between."""
    pairs = [("correct", "correct"), ("wrong", "wrong"), ("partly", "wrong"), ("cannot_tell", "wrong")]
    votes = [
        decided(n, value, who) for n, row in enumerate(pairs) for who, value in zip("ab", row, strict=True)
    ]
    (found,) = agreement_of(votes, Silent(), draws=0)

    assert found.figures["alpha_nominal"].items == 4
    assert found.figures["alpha_ordinal"].items == 3
    assert found.pairs[0].figures["cohen"].items == 4
    assert found.pairs[0].figures["cohen_quadratic"].items == 3


def test_a_judge_with_one_label_leaves_no_kappa() -> None:
    """Anna gives 5 throughout: kappa is 0 whatever the other does, so the reason stands in its place."""
    votes = [graded(n, 5, "anna") for n in range(10)] + [graded(n, 5 - n // 8, "boris") for n in range(10)]
    (found,) = agreement_of(votes, Silent(), draws=50)
    figures = found.pairs[0].figures

    assert figures["percent"].value == pytest.approx(0.8)
    for name in ("cohen", "cohen_linear", "cohen_quadratic"):
        assert (figures[name].value, figures[name].low, figures[name].items) == (None, None, 10)
        assert "one judge gave only 5" in figures[name].why
    assert (figures["ac1"].value or 0) > 0.5


def test_each_field_stands_for_itself() -> None:
    """Grades agree on logic and not on format; annotations are texts, and no scale is made of them."""
    votes = [graded(n, 1 + n % 5, who) for n in range(10) for who in ("a", "b")]
    votes += [graded(n, 1 + (n + (who == "b")) % 5, who, "format") for n in range(10) for who in ("a", "b")]
    votes += [vote("{}", who, field="annotation", kind="annotate", item="x") for who in ("a", "b")]
    logic, form = agreement_of(votes, Silent(), draws=0)

    assert (logic.field, logic.figures["alpha_ordinal"].value) == ("logic", 1)
    assert form.field == "format"
    assert form.figures["percent"].value == 0
    assert (form.figures["alpha_nominal"].value or 0) < 0


def test_who_shares_no_item_is_no_pair() -> None:
    """Three judges, two of whom never met."""
    votes = [
        decided(1, "correct", "a"),
        decided(1, "wrong", "b"),
        decided(2, "correct", "b"),
        decided(2, "correct", "c"),
    ]
    (found,) = agreement_of(votes, Silent(), draws=0)

    assert [each.judges for each in found.pairs] == [("a", "b"), ("b", "c")]


@pytest.mark.parametrize(("most", "has_intervals"), [(None, True), (3, True), (2, False)])
def test_many_pairs_have_no_intervals(most: int | None, has_intervals: bool) -> None:
    """Their values are the same; all judges together keep theirs."""
    votes = [decided(item, ("correct", "wrong")[(item * each) % 3 % 2], judge)
             for item in range(1, 13) for each, judge in enumerate("abc", 1)]  # fmt: skip
    (whole,), (found,) = (agreement_of(votes, Silent(), draws=50, most_pairs=n) for n in (None, most))

    assert [pair.figures["percent"].value for pair in found.pairs] == [
        pair.figures["percent"].value for pair in whole.pairs
    ]
    assert [pair.figures["percent"].low is not None for pair in found.pairs] == [has_intervals] * 3
    assert found.figures == whole.figures


def test_one_judge_has_no_agreement_and_that_is_said() -> None:
    """No figure, no NaN."""
    (found,) = agreement_of([decided(1, "correct", "a")], Silent())

    assert {each.why for each in found.figures.values()} == {"only one judge"}
    assert (found.pairs, found.selves) == ([], [])


@pytest.mark.parametrize(
    ("field", "labels", "ordered"),
    [
        ("decision", ["correct", "partly", "wrong", "cannot_tell"], ["correct", "partly", "wrong"]),
        ("preference", ["a", "b", "tie", "both_bad"], []),
        ("logic", [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]),
    ],
)
def test_scales(field: str, labels: list[object], ordered: list[object]) -> None:
    """By field: what may be said, and what of it has an order."""
    found = LabelScale.of(field)

    assert (list(found.labels), list(found.ordered)) == (labels, ordered)


def test_long_work_is_told() -> None:
    """A tick for all judges, for each two and for each with themselves."""

    class Counting(Silent):
        ticks = 0

        def begin(self, stage: str, total: int, done: int) -> None:
            self.total = total

        def tick(self, outcome: object) -> None:
            self.ticks += 1

    watch = Counting()
    agreement_of(peoples_votes(range(1, 11)), watch, draws=0)

    assert (watch.total, watch.ticks) == (3, 3)
