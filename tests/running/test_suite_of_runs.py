"""Cells, their plans and folders, their expected cost, and thresholds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import RequestOptions
from benchwright.errors import DataError, PrerequisiteError, RunError, UsageError
from benchwright.records import Metric
from benchwright.running.options import RunOptions
from benchwright.running.run_folders import default_folder
from benchwright.running.suite import (
    CellResult,
    SuiteCell,
    Threshold,
    ThresholdResult,
    check_models_ready,
    check_thresholds,
    checks,
    forecast_run,
    plan_cells,
    run_cells,
)
from kit.run_stages import Listener
from kit.small_data import humaneval


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return three tasks."""
    return str(humaneval(tmp_path_factory.mktemp("data")))


def cell(
    data: str, model: str = "gold:", *, name: str = "gold", track: str = "en", **options: Any
) -> SuiteCell:
    """Return a cell of these tasks."""
    return SuiteCell(
        model=name,
        track=track,
        options=RunOptions(track="humaneval", data=data, model=model, **options),
        workers=1,
    )


def test_a_folder_is_named_by_track_model_and_what_is_run(data: str, tmp_path: Path) -> None:
    first, second = plan_cells([cell(data), cell(data, limit=1, name="short")], tmp_path)

    assert first.folder.parent == second.folder.parent == tmp_path
    assert first.folder.name.startswith("en-gold-") and second.folder.name.startswith("en-short-")
    assert plan_cells([cell(data)], tmp_path)[0].folder == first.folder
    assert plan_cells([cell(data, limit=1)], tmp_path)[0].folder != first.folder


def test_without_a_folder_it_is_where_run_would_put_it(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (planned,) = plan_cells([cell(data)], None)

    assert planned.folder == default_folder(planned.plan)


def test_an_error_in_a_plan_names_its_cell(tmp_path: Path, data: str) -> None:
    with pytest.raises(UsageError, match=r"^en/gold: .*profile"):
        plan_cells([cell(data, profiles=("none",))], tmp_path)
    (tmp_path / "rows.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match=r"^en/gold: "):
        plan_cells([cell(str(tmp_path / "rows.jsonl"))], tmp_path)


def test_two_cells_never_share_a_folder(data: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="share a folder"):
        plan_cells([cell(data, name="a/x"), cell(data, name="b/x")], tmp_path)


def test_stored_answers_ask_nothing(data: str, tmp_path: Path) -> None:
    (planned,) = plan_cells([cell(data)], tmp_path)

    assert forecast_run(planned) == (3, 0, 0, None)


def test_a_live_model_is_asked_each_question_and_costs_at_most_so_much(data: str, tmp_path: Path) -> None:
    asking = RequestOptions(base_url="http://localhost:1/v1", max_tokens=10, price_in=1e6, price_out=1e6)
    (planned,) = plan_cells([cell(data, "openai:m", n=2, asking=asking)], tmp_path)

    found = forecast_run(planned)

    assert (found.answers, found.requests) == (6, 6)
    assert found.most == found.tokens_in + 6 * 10


def test_a_model_without_a_key_is_told_before_anything_is_run(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    planned = plan_cells([cell(data), cell(data, "openai:m", name="live")], tmp_path)

    with pytest.raises(PrerequisiteError):
        check_models_ready(planned)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("jail")
def test_one_that_fails_keeps_no_other_from_being_run(data: str, tmp_path: Path) -> None:
    planned = plan_cells([cell(data, name="first"), cell(data, name="second")], tmp_path)
    planned[0].folder.write_text("no folder")
    ended: list[CellResult] = []

    results = run_cells(planned, lambda _: Listener(), ended=ended.append)

    assert [each.name for each in ended] == ["en/first", "en/second"] and ended == results
    assert isinstance(results[0].error, RunError) and results[0].score is None
    assert results[1].score is not None and results[1].score.metrics["pass@1"].value == 1.0


# Thresholds.


@pytest.mark.parametrize(
    ("side", "figure", "holds"),
    [
        ("fail-under", 0.5, True),
        ("fail-under", 0.4999, False),
        ("fail-over", 0.5, True),
        ("fail-over", 0.5001, False),
    ],
)
def test_a_bound_is_reached_by_what_is_equal(side: Any, figure: float, holds: bool) -> None:
    assert Threshold(measure="x", bound=0.5, side=side).holds(figure) is holds


def test_patterns_say_which_cells_are_meant(data: str) -> None:
    threshold = Threshold(measure="pass@1", bound=0.5, track="e*", model="g?ld")

    assert threshold.meets(cell(data)) and not threshold.meets(cell(data, track="ru"))
    assert not threshold.meets(cell(data, name="golden"))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"track": "none"}, "no cell is track 'none'"),
        ({"measure": "pass@7"}, "will have no figure 'pass@7'"),
        ({"measure": "accuracy"}, "will have no figure 'accuracy'"),
        ({"measure": "pass@k"}, "will have no figure 'pass@k'"),
        ({"side": "fail-over"}, "of pass@1 more is better"),
    ],
)
def test_a_threshold_that_means_nothing_is_refused(
    data: str, tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    planned = plan_cells([cell(data)], tmp_path)
    check_thresholds([Threshold(measure="pass@1", bound=0.5)], planned)

    with pytest.raises(UsageError, match=said):
        check_thresholds([Threshold(**{"measure": "pass@1", "bound": 0.5, **changed})], planned)


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(("by", "holds"), [("value", True), ("low", False), ("high", True)])
def test_either_end_of_the_interval_may_be_asked_for(data: str, tmp_path: Path, by: Any, holds: bool) -> None:
    results = run_cells(plan_cells([cell(data)], tmp_path), lambda _: Listener(), ended=lambda _: None)
    score = results[0].score
    assert score is not None
    metric: Metric = score.metrics["pass@1"]

    (found,) = checks([Threshold(measure="pass@1", bound=0.9, by=by)], results)

    assert found.figure == getattr(metric, by) and found.holds is holds


def test_a_cell_without_a_score_holds_nothing(data: str, tmp_path: Path) -> None:
    (planned,) = plan_cells([cell(data)], tmp_path)
    failed = CellResult(planned, None, RunError("no"))

    assert list(checks([Threshold(measure="pass@1", bound=0.0)], [failed])) == [
        ThresholdResult(planned.cell, Threshold(measure="pass@1", bound=0.0), None)
    ]
    assert not next(checks([Threshold(measure="pass@1", bound=0.0)], [failed])).holds
