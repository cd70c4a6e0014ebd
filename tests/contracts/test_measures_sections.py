"""What stands beside a score's figures, read from its stored details."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts.measures import Baseline, Grouping, Sections, read_sections
from benchwright.records import Metric

METRIC = Metric(value=0.5, low=0.25, high=0.75, n=4, samples=1)
FIGURES: dict[str, Any] = {"accuracy": msgspec.to_builtins(METRIC)}
names = st.text(st.characters(codec="utf-8"), max_size=8)


def test_everything_that_details_may_hold() -> None:
    """Baselines with figures or with a reason, groups of each kind; prompts are apart."""
    found = read_sections(
        {
            "findings": ["x"],
            "confusion": {"a": {"a": 1, "none": 2}},
            "baselines": {"constant": {"label": "a", **FIGURES}, "shape": {"absent": "too few", "less": {}}},
            "groups": {"language": {"Go": FIGURES}, "tag": {"t": FIGURES}, "prompt": {"en-01": FIGURES}},
            "small_tags": 3,
            "own": [1],
        }
    )

    assert (found.findings, found.confusion) == (["x"], {"a": {"a": 1, "none": 2}})
    assert found.baselines == [
        Baseline(kind="constant", name="constant", metrics={"accuracy": METRIC}),
        Baseline(kind="shape", name="shape", absent="too few"),
    ]
    assert found.groupings == [
        Grouping(kind="language", rows={"Go": {"accuracy": METRIC}}),
        Grouping(kind="tag", rows={"t": {"accuracy": METRIC}}, small=3),
    ]
    assert [each.is_open for each in found.groupings] == [False, True]
    assert (found.prompts, found.is_empty) == ({"en-01": {"accuracy": METRIC}}, False)


def test_a_field_that_is_like_a_figure_is_none() -> None:
    """A difference has an interval too, and is no metric of the baseline."""
    difference = {"value": 0.1, "low": 0.0, "high": 0.2, "se": 0.1}
    (baseline,) = read_sections({"baselines": {"shape": {"less": difference, **FIGURES}}}).baselines

    assert list(baseline.metrics) == ["accuracy"]


def test_nothing_is_empty() -> None:
    """A track without details has no section; prompts alone have their own."""
    assert read_sections({}) == Sections()
    assert read_sections({"groups": {"prompt": {"en-01": FIGURES}, "tag": {}}}).is_empty


@given(st.dictionaries(names, st.dictionaries(names, st.just(FIGURES), min_size=1)))
def test_every_group_is_kept(groups: dict[str, dict[str, Any]]) -> None:
    """Whatever kinds and groups are called."""
    found = read_sections({"groups": groups})
    kept = {each.kind: list(each.rows) for each in found.groupings}
    if found.prompts:
        kept["prompt"] = list(found.prompts)

    assert kept == {kind: list(rows) for kind, rows in groups.items()}
