"""What asking costs, measured small: the figures are made of real requests, and the goals hold."""

import json

import pytest

from benchmarks import __main__ as command
from benchmarks import asking
from benchmarks.asking import Report, Taken, prompts, run, take
from benchmarks.environment import Machine
from benchmarks.figures import spread
from benchwright.errors import BenchwrightError
from benchwright.stub_server import StubServer
from kit.growth import slowness


def taken(requests: int = 1000, *, cpu_s: float = 2.0, peak: float = 40.0) -> Taken:
    """A run that took so much."""
    return Taken(requests=requests, concurrency=64, cpu_s=cpu_s, wall_s=4.0, start_cpu_s=0.5, peak_mib=peak)


@pytest.fixture
def report() -> Report:
    """Three runs of 1.5 to 2.5 ms a request, and memory that grew by a twentieth."""
    machine = Machine(cpu="A CPU", cores=2, kernel="6.1", python="3.11.7", memory_gib=8.0, load=0.1)
    runs = [taken(cpu_s=cpu_s) for cpu_s in (1.5, 2.0, 2.5)]
    return Report(
        machine=machine,
        rounds=3,
        requests=1000,
        concurrency=64,
        cpu_ms=spread(each.cpu_ms for each in runs),
        rate=spread(each.requests / each.wall_s for each in runs),
        small=taken(2000),
        large=taken(20_000, peak=42.0),
        runs=runs,
    )


def test_a_run_asks_each_prompt_once():
    """In a process of its own, whose start is not counted as asking."""
    actual = run(60, 8)

    assert (actual.requests, actual.concurrency) == (60, 8)
    assert 0 < actual.cpu_s < 30 and actual.start_cpu_s > 0 and actual.peak_mib > 10


def test_a_run_whose_requests_do_not_add_up_has_no_figure(monkeypatch):
    """Figures of requests that failed would be of something else."""
    monkeypatch.setattr(asking, "StubServer", lambda *args, **options: StubServer(faults=["401"], **options))

    with pytest.raises(BenchwrightError, match="instead of 5"):
        run(5, 1)


def test_a_run_stores_what_it_was_answered(tmp_path):
    """As `benchwright run` does: storing is part of the cost."""
    with StubServer() as server:
        actual = take(server.base_url, 25, 4, tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]

    assert (
        sorted((row["task_id"], row.get("sample", 0)) for row in rows)
        == [(task, sample) for task in range(3) for sample in range(10)][:25]
    )
    assert actual.cpu_ms == 1000 * actual.cpu_s / 25


def test_prompts_have_keys_of_their_own():
    """Else their seeds would be equal."""
    made = list(prompts(200))

    assert (len({prompt.key for prompt in made}), len({prompt.text for prompt in made})) == (200, 20)


@pytest.fixture(scope="module")
def long_run():
    """A run of 3,000 requests."""
    return run(3000, 64)


@pytest.mark.slow
def test_a_request_costs_no_more_than_three_milliseconds(long_run):
    """In the best of at most three runs: other load on the machine only adds processor time."""
    costs = (long_run.cpu_ms if attempt == 0 else run(1000, 64).cpu_ms for attempt in range(3))

    assert any(cost <= asking.GOAL_MS * slowness() for cost in costs)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_requests(long_run):
    """Ten times the requests take at most a tenth more memory."""
    assert long_run.peak_mib <= asking.GOAL_GROWTH * run(300, 64).peak_mib


def test_the_page_has_figures_and_goals(report):
    """Medians with their ranges."""
    text = asking.page(report)

    assert "2.00 (1.50–2.50) ms (goal: at most 3)" in text
    assert "40.0 MiB at 2,000 requests, 42.0 MiB at 20,000: 1.050 times" in text


def test_the_command_prints_one_document(report, monkeypatch, capsys):
    """With --json, for machines."""
    chosen = {}

    def bench(**given):
        chosen.update(given)
        return report

    monkeypatch.setattr(asking, "bench", bench)
    code = command.main(["asking", "--repeats", "3", "--memory", "10", "20", "--json"])
    document = json.loads(capsys.readouterr().out)

    assert (code, document["cpu_ms"]["median"]) == (0, 2.0)
    assert chosen == {"rounds": 3, "requests": 1000, "concurrency": 64, "small": 10, "large": 20}


@pytest.mark.parametrize("words", [["--repeats", "0"], ["--concurrency", "-1"], ["--memory", "0", "5"]])
def test_wrong_numbers_end_with_2(words, capsys):
    """Nothing is started."""
    code = command.main(["asking", *words])

    assert (code, capsys.readouterr().err.startswith("error: ")) == (2, True)
