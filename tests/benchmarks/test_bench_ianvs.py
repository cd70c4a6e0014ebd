"""What `ianvs run` takes, measured at the smallest size: every command comes to its end and has its figures."""

import json

import msgspec
import pytest

from benchmarks import ianvs
from benchmarks.environment import Machine
from benchmarks.figures import spread
from benchwright.errors import UsageError

MACHINE = Machine(cpu="A CPU", cores=2, kernel="6.1", python="3.11.7", memory_gib=8.0, load=0.1)


def report(*, cpu_s: float = 0.3, peak_mib: float = 50.0, item_ms: float = 0.1) -> ianvs.Report:
    """Figures of one command in three runs, the second and third beside other load."""
    row = ianvs.Row(
        name="job",
        cpu_s=spread([cpu_s, 3 * cpu_s, 2 * cpu_s]),
        peak_mib=peak_mib,
        goal_cpu_s=0.4,
        goal_mib=60,
    )
    return ianvs.Report(machine=MACHINE, items=9, rows=[row], item_ms=item_ms)


def test_all_commands_are_measured(capsys):
    """Each job was run to its end, the last one with less than 512 MB of addresses."""
    ianvs.main(["--items", "6", "--repeats", "1", "--json"])
    found = msgspec.json.decode(capsys.readouterr().out, type=ianvs.Report)

    assert [row.name.split(" ")[0] for row in found.rows] == ["--version", "job", "6", "6", "the"]
    assert all(row.cpu_s.low > 0 for row in found.rows)
    assert all(row.peak_mib > 5 for row in found.rows[1:])


def test_the_jobs_have_the_records_that_they_are_called_after(tmp_path):
    """Of 2 KB each, and one of 200 KB at the end."""
    ianvs.write_job(tmp_path / "job", 3, large=True)
    rows = [json.loads(line) for line in (tmp_path / "job" / "data.jsonl").read_text().splitlines()]

    assert [len(row["question"]) for row in rows] == [2_000, 2_000, 2_000, 200_000]
    assert len({row["question"] for row in rows}) == 4


@pytest.mark.parametrize(
    ("changed", "kept"),
    [({}, True), ({"cpu_s": 0.5}, False), ({"peak_mib": 61}, False), ({"item_ms": 2.5}, False)],
)
def test_the_least_time_decides(changed, kept):
    """Load adds processor time and takes none away."""
    assert report(**changed).kept is kept


def test_the_page_has_figures_and_goals():
    """And what was missed."""
    text = ianvs.page(report(peak_mib=61))

    assert "0.60 (0.30–0.90) CPU s (goal 0.4)     61 MiB (goal 60)  MISSED" in text
    assert "0.100 CPU ms (goal 2)" in text


@pytest.mark.parametrize("words", [["--items", "5"], ["--repeats", "0"]])
def test_wrong_numbers_are_refused(words):
    """Nothing is started."""
    with pytest.raises(UsageError, match="--items must be more than 5"):
        ianvs.main(words)
