"""How busy one runner keeps its workers, measured small: real pipes, real files, workers that only wait."""

import json
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks import feeding, waiting_worker
from benchmarks.dataset import Row, write_lines
from benchmarks.environment import Machine
from benchmarks.feeding import Fed, feed
from benchwright.errors import UsageError


@pytest.fixture
def data(tmp_path):
    """Two tasks."""
    rows = [
        Row(
            task_id=f"T/{number}",
            prompt=f"def f{number}(x):\n",
            entry_point=f"f{number}",
            canonical_solution="    return x\n",
            test="def check(candidate):\n    assert candidate(1) == 1\n",
        )
        for number in range(2)
    ]
    return write_lines(tmp_path / "data.jsonl", rows)


def fed(workers: int, **changed) -> Fed:
    """A run of a thousand answers in a second."""
    given = {
        "answers": 1000,
        "load_cpu_s": 0.01,
        "ask_cpu_s": 0.02,
        "judge_cpu_s": 0.03,
        "end_cpu_s": 0.01,
        "judge_wall_s": 1.0,
        "waited_s": 0.25,
        "busy": 0.95,
        "peak_mib": 30.0,
        **changed,
    }
    return Fed(workers=workers, **given)


def test_a_run_judges_each_answer_once(data, tmp_path):
    """By as many workers as are asked for, whose time is that of the record."""
    folder = tmp_path / "work"
    folder.mkdir()
    actual = feed(3, 60, 10, data=data, folder=folder)
    verdicts = [json.loads(line) for line in (folder / "run" / "verdicts.jsonl").read_text().splitlines()]

    assert (actual.workers, actual.answers, len(verdicts)) == (3, 60, 60)
    assert {verdict["outcome"] for verdict in verdicts} == {"passed"}
    assert len({(verdict["task_id"], verdict["sample"]) for verdict in verdicts}) == 60
    assert 0 < actual.busy <= 1
    assert min(actual.load_cpu_s, actual.ask_cpu_s, actual.judge_cpu_s, actual.end_cpu_s) > 0
    assert actual.waited_s >= 0


def test_the_costs_are_of_executions_as_they_were():
    """One for each task of HumanEval, some three milliseconds on average, one of them long."""
    seconds = waiting_worker.recorded_s()

    assert len(seconds) == 164
    assert 0.002 < sum(seconds) / 164 < 0.004
    assert max(seconds) > 0.1


def test_the_page_has_the_figures(monkeypatch):
    """Medians of the rounds by number of workers, and what the runner had to wait for."""
    machine = Machine(cpu="A CPU", cores=2, kernel="6.1", python="3.11.7", memory_gib=8.0, load=0.1)
    runs = iter([fed(10), fed(40), fed(10, busy=0.99), fed(40, busy=0.85)])
    monkeypatch.setattr(feeding, "run", lambda *_, **__: next(runs))
    monkeypatch.setattr(feeding.environment, "describe", lambda: machine)
    report = feeding.bench([10, 40], answers=1000, n=10, rounds=2, data=Path("unused"))
    text = feeding.page(report)

    assert "processes that wait" in text
    assert "| 10 | 0.070 (0.070–0.070) | 0.97 (0.95–0.99) | 0.03 (0.03–0.03) | 0.25 (0.25–0.25) |" in text
    assert "| 40 | 0.070 (0.070–0.070) | 0.90 (0.85–0.95) |" in text


def test_the_command_prints_the_report(monkeypatch, capsys):
    """As a page or as JSON, with the options of the command."""
    machine = Machine(cpu="A CPU", cores=2, kernel="6.1", python="3.11.7", memory_gib=8.0, load=0.1)
    asked = []
    monkeypatch.setattr(feeding, "run", lambda workers, **options: asked.append(options) or fed(workers))
    monkeypatch.setattr(feeding.environment, "describe", lambda: machine)
    words = ["feeding", "--workers", "4", "--answers", "50", "--n", "5", "--repeats", "1", "--json"]

    for more, how in (([], "processes"), (["--own-core"], "own core")):
        assert command.main([*words, *more]) == 0
        assert json.loads(capsys.readouterr().out)["series"][0]["workers"] == 4
        assert (asked[-1]["answers"], asked[-1]["n"], asked[-1]["how"]) == (50, 5, how)


def test_nothing_to_measure_is_refused(capsys):
    """No workers, or no rounds."""
    assert command.main(["feeding", "--workers", "0"]) == UsageError.exit_code
    assert "--workers, --answers, --n and --repeats must be at least 1" in capsys.readouterr().err
