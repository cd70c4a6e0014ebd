"""Rank files cell for cell as Ianvs writes them: what pandas makes of the rows of an earlier run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.interop.ianvs.case_results import (
    CaseResult,
    MetricResult,
    cell_of,
    stored_results,
    write_result,
)
from benchwright.interop.ianvs.job_records import RankSettings
from benchwright.interop.ianvs.rank_files import append_results, rank_results, write_standings

ALL = RankSettings([("acc", False)], True, None, None, None, None, True)


def result(
    name: str, value: Any = 0.5, hyperparameters: dict[str, str] | None = None, **changed: Any
) -> CaseResult:
    """A case that was measured by `acc`."""
    number = float(value) if isinstance(value, int | float) else None
    fields: dict[str, Any] = {
        "algorithm": name,
        "paradigm": "singletasklearning",
        "modules": {"basemodel": "gen"},
        "hyperparameters": hyperparameters or {},
        "metrics": {"acc": MetricResult(number, cell_of(value))},
        "time": "2026-01-31 12:00:00",
        "url": f"./workspace/job/{name}/0",
        "items": 4,
        "data": "d",
        "measuring": "m",
        "version": "0",
        "compat": "default",
        "remarks": [],
        "seconds": 0.0,
        "cpu_s": 0.0,
        "peak_mb": 0.0,
    }
    return CaseResult(**{**fields, **changed})


def lines(folder: Path, name: str = "all_rank.csv") -> list[str]:
    """A rank file without its last two columns, which no two runs share."""
    return [line.rsplit(",", 2)[0] for line in (folder / name).read_text().splitlines()]


def test_rows_are_added_and_put_in_order(tmp_path: Path) -> None:
    """The best first; a row that was there keeps its place before an equal new one; doubles are selected once."""
    append_results(tmp_path, [result("a", 0.5), result("b", 1)], ["acc"], ALL)
    append_results(tmp_path, [result("c", 0.75), result("a", 0.5)], ["acc"], ALL)

    assert lines(tmp_path) == [
        "rank,algorithm,acc,paradigm,basemodel",
        "1,b,1.0,singletasklearning,gen",
        "2,c,0.75,singletasklearning,gen",
        "3,a,0.5,singletasklearning,gen",
        "4,a,0.5,singletasklearning,gen",
    ]
    assert [line.split(",")[:2] for line in lines(tmp_path, "selected_rank.csv")[1:]] == [
        ["1", "b"],
        ["2", "c"],
        ["3", "a"],
    ]


def test_cells_that_pandas_reads_anew(tmp_path: Path) -> None:
    """Integers of a full column stay; next to an empty cell they become 16.0; None and NA are missing."""
    odd = {"basemodel-lr": "0.10", "basemodel-n": "16", "basemodel-note": "None", "basemodel-on": "True"}
    append_results(tmp_path, [result("a", 1, odd), result("b", 0, {"basemodel-lr": "1e-05"})], ["acc"], ALL)
    first = lines(tmp_path)
    append_results(tmp_path, [result("c", -1, odd)], ["acc"], ALL)

    assert first[1:] == [
        "1,a,1,singletasklearning,gen,0.10,16,None,True",
        "2,b,0,singletasklearning,gen,1e-05,,,",
    ]
    assert lines(tmp_path)[1:] == [
        "1,a,1,singletasklearning,gen,0.1,16.0,,True",
        "2,b,0,singletasklearning,gen,1e-05,,,",
        "3,c,-1,singletasklearning,gen,0.10,16,None,True",
    ]


def test_a_new_text_is_no_double_of_an_old_number(tmp_path: Path) -> None:
    """`16` was read as a number and comes as text: both rows are selected, as in Ianvs."""
    for _ in range(2):
        append_results(tmp_path, [result("a", 1, {"basemodel-n": "16"})], ["acc"], ALL)

    assert len(lines(tmp_path, "selected_rank.csv")) == 3


def test_columns_of_the_file_come_first(tmp_path: Path) -> None:
    """New metrics follow them."""
    append_results(tmp_path, [result("a")], ["acc"], ALL)
    other = result("b", metrics={"f1": MetricResult(1.0, "1.0")})
    append_results(tmp_path, [other], ["f1"], ALL)

    header, *rows = (tmp_path / "all_rank.csv").read_text().splitlines()
    assert header == "rank,algorithm,acc,paradigm,basemodel,time,url,f1"
    assert [row.split(",")[2] for row in rows] == ["0.5", ""]


def test_what_a_job_selects(tmp_path: Path) -> None:
    """Paradigms, modules, hyperparameters and metrics, also those that are not there; one file where it asks."""
    chosen = RankSettings([], True, ["jointinference"], ["edgemodel"], ["edgemodel-x"], ["acc", "f1"], False)
    append_results(tmp_path, [result("a"), result("b", paradigm="jointinference")], ["acc"], chosen)

    assert lines(tmp_path, "selected_rank.csv") == [
        "rank,algorithm,acc,f1,paradigm,edgemodel,edgemodel-x",
        "1,b,0.5,,jointinference,,",
    ]
    assert not (tmp_path / "all_rank.csv").exists()


# The default.


def test_equal_results_stay_as_they_came(tmp_path: Path) -> None:
    """Also with two metrics, one of which counts upwards; what has no value has no rank."""
    settings = ALL._replace(sort_by=[("acc", False), ("cost", True)])

    def each(name: str, acc: float | None, cost: float) -> CaseResult:
        return result(
            name, metrics={"acc": MetricResult(acc, cell_of(acc)), "cost": MetricResult(cost, cell_of(cost))}
        )

    found = [
        each("a", 0.5, 2.0),
        each("b", 0.5, 1.0),
        each("c", 0.5, 2.0),
        each("d", 0.9, 9.0),
        each("e", None, 0.0),
    ]
    standings = rank_results(found, settings)

    assert [one.algorithm for one in standings.ranked] == ["d", "b", "a", "c"]
    assert [(one.algorithm, why) for one, why in standings.unranked] == [("e", "acc: no value")]


def test_rank_files_of_the_default(tmp_path: Path) -> None:
    """Ianvs's columns, then those for comparison; no row is dropped as a duplicate."""
    partial = result("b", metrics={"acc": MetricResult(0.9, "0.9", "", 4, 5)})
    standings = rank_results([result("a"), partial, result("a")], ALL)
    files = write_standings(tmp_path, standings, ["acc"], ALL)

    assert [path.name for path in files] == ["all_rank.csv", "selected_rank.csv"]
    header, *rows = (tmp_path / "selected_rank.csv").read_text().splitlines()
    assert (
        header
        == "rank,algorithm,acc,paradigm,basemodel,time,url,scored,isolation,data,measuring,version,calls"
    )
    assert [row.split(",")[:3] for row in rows] == [["1", "a", "0.5"], ["2", "a", "0.5"], ["", "b", "0.9"]]
    assert rows[-1].endswith(",acc 4/5,none,d,m,0,")


def test_a_result_is_kept_and_read(tmp_path: Path) -> None:
    """An invalid file of a result is named."""
    kept = result("a", remarks=["odd"])
    folder = tmp_path / "a" / "0"
    folder.mkdir(parents=True)
    write_result(folder, kept)
    assert list(stored_results(tmp_path)) == [kept]

    (file,) = folder.glob("result.*.json")
    older = {name: value for name, value in json.loads(file.read_text()).items() if name != "figures"}
    file.write_text(json.dumps({**older, "format": 1}))
    assert list(stored_results(tmp_path)) == [kept]

    file.write_text('{"format": 3}')
    with pytest.raises(Exception, match="invalid result of a case: of a later version"):
        list(stored_results(tmp_path))
