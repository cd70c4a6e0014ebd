"""A run as an Inspect log, read back by Inspect's own package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import PrerequisiteError, RunError, UsageError
from benchwright.interop.inspect_ai_log import export
from benchwright.interop.inspect_ai_log import header as package_module
from benchwright.interop.inspect_ai_log.export import export_inspect
from benchwright.records import Answer, Outcome
from kit.made_inspect_run import answer, small_run, verdict, write_run
from kit.small_data import humaneval

pytestmark = pytest.mark.usefixtures("package")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small run."""
    return small_run(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module", params=[".eval", ".json"])
def log(small: Path, package: Any, request: pytest.FixtureRequest) -> Any:
    """Its log in each of the two formats, as the package reads it."""
    path = small.parent / f"log{request.param}"
    export_inspect(small, path)
    return package.log.read_eval_log(str(path), resolve_attachments=True)


def _sample(log: Any, task: int, epoch: int) -> Any:
    return next(each for each in log.samples if (each.id, each.epoch) == (f"Small/{task}", epoch))


def test_the_package_reads_it(log: Any) -> None:
    """The log is a whole, successful evaluation with a sample for each answer."""
    pairs = [(each.id, each.epoch) for each in log.samples]

    assert (log.status, len(log.samples), log.eval.config.epochs) == ("success", 6, 2)
    assert sorted(pairs) == [(f"Small/{task}", epoch) for task in range(3) for epoch in (1, 2)]


def test_the_spec_says_what_was_run(log: Any, small: Path) -> None:
    """Track, data set with its hash, model and how it was asked are where Inspect has them."""
    spec, config = log.eval, log.eval.model_generate_config
    identity = json.loads((small / "run.json").read_bytes())["identity"]

    assert (spec.task, spec.task_display_name, spec.model) == ("humaneval", "HumanEval", "some/model")
    assert (spec.dataset.name, spec.dataset.samples) == ("tasks.jsonl", 3)
    assert spec.dataset.sample_ids == ["Small/0", "Small/1", "Small/2"]
    assert spec.metadata["data_sha256"] == identity["data"]
    assert (config.temperature, config.max_tokens, config.seed, config.stop_seqs) == (0.6, 512, 7, ["\ndef"])
    assert log.stats.started_at.startswith("2026-01-31T12:00:00")


def test_a_passed_answer_is_correct(log: Any) -> None:
    """Input, target, output and score are what they are in the run."""
    sample = _sample(log, 0, 1)
    score = sample.scores["strict"]

    assert sample.input == 'def plus_0(x):\n    """Give x + 0."""\n'
    assert sample.target == "    return x + 0\n"
    assert (sample.output.model, sample.output.completion) == ("some/model", "    return x\n")
    assert (sample.output.stop_reason, sample.error) == ("stop", None)
    assert (score.value, score.explanation) == ("C", "passed")
    facts = {name: score.metadata[name] for name in ("outcome", "isolation", "profile", "rule", "cpu_s")}
    assert facts == {
        "outcome": "passed",
        "isolation": "separated",
        "profile": "strict",
        "rule": "fence+function",
        "cpu_s": 0.25,
    }


def test_a_wrong_answer_is_incorrect(log: Any) -> None:
    """The explanation says how it ended and why; the text is whole, its thinking too."""
    sample = _sample(log, 0, 2)

    assert sample.scores["strict"].value == "I"
    assert sample.scores["strict"].explanation == "wrong: why it is wrong"
    assert sample.output.completion == "<think>no</think>\n    return 1"
    assert (sample.output.stop_reason, sample.output.metadata["seed"]) == ("max_tokens", 2)


def test_a_missing_answer_is_an_error_and_no_score(log: Any) -> None:
    """What failed through no fault of the model has an error and is in no metric; the others have none."""
    missing = [(each.id, each.epoch) for each in log.samples if each.error is not None]
    scored = [(each.id, each.epoch) for each in log.samples if each.scores]

    assert sorted(missing) == [("Small/1", 2), ("Small/2", 1)]
    assert sorted(scored) == [("Small/0", 1), ("Small/0", 2), ("Small/1", 1), ("Small/2", 2)]
    assert _sample(log, 1, 2).error.message == "model_error: the server said 500"
    assert _sample(log, 2, 1).error.message == "sandbox_error: why it is sandbox_error"
    assert (log.results.total_samples, log.results.completed_samples) == (6, 4)


def test_metrics_have_their_intervals(log: Any) -> None:
    """Each pass@k comes with the ends of its interval, in the order of k, so that pass@1 is the headline."""
    (score,) = log.results.scores
    one = score.metrics["pass@1"]

    assert (score.name, score.scorer, one.value) == ("strict", "benchwright", 0.5)
    assert [name for name in score.metrics if "_" not in name] == ["pass@1", "pass@5", "pass@10"]
    assert next(iter(score.metrics)) == "pass@1"
    assert (score.metrics["pass@1_low"].value, score.metrics["pass@1_high"].value) == (0.4, 0.6)
    assert (one.metadata["low"], one.metadata["high"], one.metadata["n"]) == (0.4, 0.6, 3)


def test_tokens_are_counted(log: Any) -> None:
    """Usage is that of the server, for the sample and for the run."""
    usage = _sample(log, 2, 2).output.usage
    total = log.stats.model_usage["some/model"]

    assert (usage.input_tokens, usage.output_tokens) == (5, 4)
    assert (total.input_tokens, total.output_tokens, total.total_tokens) == (10, 13, 23)


def test_outcomes_and_self_check_go_along(log: Any) -> None:
    """The results hold the rest of the score, so nothing of it is lost."""
    facts = log.results.metadata

    assert facts["outcomes"]["sandbox_error"] == 1
    assert (facts["self_check"]["gold_passed"], facts["missing"], facts["answers"]) == (3, 2, 6)


def test_the_viewers_ways_of_reading(small: Path, tmp_path: Path, inspect_log: Any) -> None:
    """Listing a folder, headers, summaries and single samples work: that is what `inspect view` does."""
    path = tmp_path / "run.eval"
    export_inspect(small, path)
    (info,) = inspect_log.list_eval_logs(str(tmp_path))
    header = inspect_log.read_eval_log(info, header_only=True)
    summaries = inspect_log.read_eval_log_sample_summaries(str(path))
    sample = inspect_log.read_eval_log_sample(str(path), "Small/0", 2)

    assert (header.samples, header.results.total_samples) == (None, 6)
    assert {(each.id, each.epoch): bool(each.error) for each in summaries}[("Small/1", 2)] is True
    assert (len(summaries), sample.epoch, sample.output.completion[:7]) == (6, 2, "<think>")


def test_equal_runs_give_equal_logs(small: Path, tmp_path: Path, inspect_log: Any) -> None:
    """Ids and times come from the run, so a second export says the same, byte for byte in JSON."""
    for name in ("first.json", "second.json"):
        export_inspect(small, tmp_path / name)

    assert (tmp_path / "first.json").read_bytes() == (tmp_path / "second.json").read_bytes()


def test_further_profiles_are_further_scores(tmp_path: Path, inspect_log: Any) -> None:
    """A run judged by two profiles has two scores a sample, and two in the results."""
    one = answer("x")
    other = verdict(one, Outcome.wrong, profile="mera-code")
    run = write_run(tmp_path, [(one, verdict(one, Outcome.passed))], others={"mera-code": [other]})
    exported = export_inspect(run, tmp_path / "log.eval")
    log = inspect_log.read_eval_log(str(tmp_path / "log.eval"))
    values = {name: score.value for name, score in log.samples[0].scores.items()}

    assert exported.scores == ["strict", "mera-code"]
    assert values == {"strict": "C", "mera-code": "I"}
    assert [score.name for score in log.results.scores] == ["strict", "mera-code"]


def test_the_question_is_that_of_the_variant(tmp_path: Path, inspect_log: Any) -> None:
    """An answer to a prompt variant has that variant's text as its input."""
    one = answer("x", prompt="en-03")
    prompts = {"prompts": {"design": "spread", "language": "en", "form": "chat"}}
    run = write_run(tmp_path, [(one, verdict(one, Outcome.passed))], identity=prompts)
    export_inspect(run, tmp_path / "log.eval")
    (sample,) = inspect_log.read_eval_log(str(tmp_path / "log.eval")).samples

    assert ("plus_0" in sample.input, sample.input.startswith("def plus_0")) == (True, False)
    assert sample.metadata["prompt"] == "en-03"


def test_an_unknown_variant_has_no_text(tmp_path: Path, inspect_log: Any) -> None:
    """Stored answers may name a wording that is not known here; it is not made up."""
    one = answer("x", prompt="mine")
    run = write_run(tmp_path, [(one, verdict(one, Outcome.passed))])
    export_inspect(run, tmp_path / "log.eval")

    assert inspect_log.read_eval_log(str(tmp_path / "log.eval")).samples[0].input == ""


def test_several_models_in_one_run(tmp_path: Path, inspect_log: Any) -> None:
    """Each output names its own model; the evaluation then names what was run."""
    pair = [answer("x", 0, number, model=f"model-{number}") for number in range(2)]
    run = write_run(tmp_path, [(each, verdict(each, Outcome.passed)) for each in pair])
    exported = export_inspect(run, tmp_path / "log.eval")
    log = inspect_log.read_eval_log(str(tmp_path / "log.eval"))

    assert (exported.model, log.eval.model) == ("openai:some/model", "openai:some/model")
    assert sorted(each.output.model for each in log.samples) == ["model-0", "model-1"]


def test_a_data_set_that_is_gone_is_noted(tmp_path: Path, inspect_log: Any) -> None:
    """Without it inputs and targets are empty; --data names where it is now."""
    run = small_run(tmp_path)
    moved = (tmp_path / "tasks.jsonl").rename(tmp_path / "moved.jsonl")
    without = export_inspect(run, tmp_path / "without.eval")
    found = export_inspect(run, tmp_path / "found.eval", data=moved)
    inputs = [
        inspect_log.read_eval_log(str(tmp_path / name)).samples[0].input
        for name in ("without.eval", "found.eval")
    ]

    assert (len(without.notes), "--data PATH" in without.notes[0], found.notes) == (1, True, [])
    assert (inputs[0], inputs[1][:10]) == ("", "def plus_0")


def test_another_data_set_is_refused(small: Path, tmp_path: Path) -> None:
    """--data must be the data set of the run: its questions would be shown with other answers."""
    other = humaneval(tmp_path, tasks=4)

    with pytest.raises(RunError, match="its content differs"):
        export_inspect(small, tmp_path / "log.eval", data=other)


def test_a_json_name_that_inspect_does_not_list(small: Path, tmp_path: Path, inspect_log: Any) -> None:
    """Inspect lists a .json log only under a name that begins with a time; the note says so."""
    plain = export_inspect(small, tmp_path / "run.json")
    timed = export_inspect(small, tmp_path / "2026-01-31T12-00-00_run.json")
    listed = [Path(info.name).name for info in inspect_log.list_eval_logs(str(tmp_path))]

    assert (listed, timed.notes) == (["2026-01-31T12-00-00_run.json"], [])
    assert "begins with a time" in plain.notes[0]


@pytest.mark.parametrize("name", ["run", "run.txt", "run.eval.gz"])
def test_another_ending_is_refused(name: str, small: Path, tmp_path: Path) -> None:
    """Inspect tells the formats apart by the ending, so there is no third."""
    with pytest.raises(UsageError, match=r"\.eval or \.json") as caught:
        export_inspect(small, tmp_path / name)

    assert ".eval" in str(caught.value.hint)
    assert list(tmp_path.iterdir()) == []


def test_a_run_without_scores_is_refused(tmp_path: Path) -> None:
    """A run that has not ended has no score to export."""
    run = small_run(tmp_path)
    (run / "scores.json").unlink()

    with pytest.raises(RunError, match="not finished"):
        export_inspect(run, tmp_path / "log.eval")


@pytest.mark.parametrize("name", ["answers.jsonl", "verdicts.jsonl"])
def test_a_run_that_goes_on_is_refused(name: str, tmp_path: Path) -> None:
    """Answers without verdicts, or the reverse, are not half exported, and no file is left."""
    run = small_run(tmp_path)
    lines = (run / name).read_bytes().splitlines(keepends=True)
    (run / name).write_bytes(b"".join(lines[:-1]))

    with pytest.raises(RunError, match="not finished"):
        export_inspect(run, tmp_path / "log.eval")

    assert [path.name for path in tmp_path.iterdir() if "log" in path.name] == []


def test_a_large_run_needs_the_streaming_format(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """.json is made in memory and therefore bounded; .eval is not."""
    monkeypatch.setattr(export, "MAX_HELD_SAMPLES", 5)
    with pytest.raises(RunError, match="built in memory") as caught:
        export_inspect(small, tmp_path / "log.json")
    exported = export_inspect(small, tmp_path / "log.eval")

    assert ("--out" in str(caught.value.hint), exported.samples) == (True, 6)


def test_batches_lose_nothing(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inspect_log: Any
) -> None:
    """Writing in batches of two gives the log that one batch gives."""
    export_inspect(small, tmp_path / "once.eval")
    monkeypatch.setattr(export, "_BATCH", 2)
    export_inspect(small, tmp_path / "often.eval")
    once, often = (
        [each.model_dump() for each in inspect_log.read_eval_log(str(tmp_path / name)).samples]
        for name in ("once.eval", "often.eval")
    )

    assert once == often


def test_a_version_without_the_streaming_writer(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inspect_log: Any
) -> None:
    """The writer of single samples is not public, so where it is missing the public one is used, bounded."""
    monkeypatch.setattr(export, "load_recorder", lambda *_: None)
    export_inspect(small, tmp_path / "log.eval")
    count = len(inspect_log.read_eval_log(str(tmp_path / "log.eval")).samples)
    monkeypatch.setattr(export, "MAX_HELD_SAMPLES", 5)

    with pytest.raises(RunError, match="writes logs in one piece only"):
        export_inspect(small, tmp_path / "again.eval")

    assert count == 6


def test_no_package(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without inspect-ai there is one line that says how to get it, and no file."""

    def absent(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(package_module, "import_module", absent)
    with pytest.raises(PrerequisiteError) as caught:
        export_inspect(small, tmp_path / "log.eval")

    assert (caught.value.exit_code, caught.value.hint) == (3, "pip install 'benchwright[inspect]'")
    assert (list(tmp_path.iterdir()), package_module.load_recorder("", "x.eval")) == ([], None)


def test_an_earlier_log_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    """A failed export leaves the log that was there."""
    run = small_run(tmp_path)
    (tmp_path / "log.eval").write_text("earlier")
    lines = (run / "verdicts.jsonl").read_bytes().splitlines(keepends=True)
    (run / "verdicts.jsonl").write_bytes(b"".join(lines[:-1]))
    with pytest.raises(RunError):
        export_inspect(run, tmp_path / "log.eval")

    assert (tmp_path / "log.eval").read_text() == "earlier"


def test_hostile_text_stays_text(tmp_path: Path, inspect_log: Any) -> None:
    """Control characters, a reference to an attachment and surrogates go through as they were stored."""
    texts = [
        "attachment://0123456789abcdef0123456789abcdef",
        "\x00\x1b[31m\u2028\U0001f600",
        "<think>",
        "a\r\nb",
    ]
    given: list[Answer] = [answer(text, 0, number) for number, text in enumerate(texts)]
    run = write_run(tmp_path, [(each, verdict(each, Outcome.wrong)) for each in given])
    export_inspect(run, tmp_path / "log.eval")
    log = inspect_log.read_eval_log(str(tmp_path / "log.eval"))

    assert [each.output.completion for each in sorted(log.samples, key=lambda each: each.epoch)] == texts
