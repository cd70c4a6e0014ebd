"""`benchwright run`: its one document on stdout, resuming, profiles, exclusions, exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.command_line import benchwright, called, contents
from kit.small_data import answers, humaneval, humaneval_row, mera, mera_row, read_rows, without_times, write

KEYS = {"run", "track", "model", "profile", "metrics", "other_profiles", "outcomes", "answers", "missing"}
KEYS |= {
    "self_check",
    "notes",
    "identical",
    "truncated",
    "tokens_in",
    "tokens_out",
    "prompt_design",
    "prompts",
    "details",
}
METRIC = {"value", "low", "high", "n", "samples"}
# One worker: the fork of a second jail would only cost time on three tasks.
FEW = ("--workers", 1)

pytestmark = pytest.mark.usefixtures("jail")


def _command(folder: Path, *more: object) -> tuple[object, ...]:
    """A run of three small tasks with one right and one wrong answer each."""
    data, stored = humaneval(folder), answers(folder, outcomes=("passed", "wrong"))
    model = f"replay:{stored}"
    return ("run", "humaneval", "--data", data, "--model", model, "--out", folder / "run", *FEW, *more)


def test_the_document(tmp_path: Path) -> None:
    """stdout is one JSON document on one line, stderr is silent, and the numbers are those of the answers."""
    said = benchwright(*_command(tmp_path, "--json"))
    document = said.document
    metric = document["metrics"]["pass@1"]

    assert (said.code, said.err, said.out.count("\n"), set(document)) == (0, "", 1, KEYS)
    assert (document["run"], document["track"]) == (str(tmp_path / "run"), "humaneval")
    assert (set(metric), metric["value"], metric["n"], metric["samples"]) == (METRIC, 0.5, 3, 2)
    assert metric["low"] < 0.5 < metric["high"]
    assert (document["outcomes"], document["answers"]) == ({"passed": 3, "wrong": 3}, 6)
    assert (document["self_check"]["gold_passed"], document["self_check"]["stub_passed"]) == (3, 0)


def test_the_same_command_again_executes_nothing(tmp_path: Path) -> None:
    """A second identical command gives the same document from the same verdicts, times and all."""
    command = _command(tmp_path, "--json")
    first, before = called(*command), contents(tmp_path / "run")
    second, after = called(*command), contents(tmp_path / "run")
    executed = [name for name in before if name != "run.json" and before[name] != after.get(name)]

    assert (second.code, second.out, executed, set(before)) == (0, first.out, [], set(after))


def test_progress_goes_to_stderr(tmp_path: Path) -> None:
    """Without --json stdout stays empty: the table and the stages are for people; a resumed run says so."""
    command = _command(tmp_path)
    first, second = called(*command), called(*command)

    assert (first.code, first.out, second.code, second.out) == (0, "", 0, "")
    assert ["pass@1" in first.err, "6 answers: 3 passed · 3 wrong" in first.err] == [True, True]
    assert ["earlier run" in first.err, "6 of 6 done in an earlier run" in second.err] == [False, True]


def test_quiet_says_nothing(tmp_path: Path) -> None:
    """--quiet leaves both streams empty; the score is in the folder."""
    said = called(*_command(tmp_path, "--quiet"))

    assert (said, (tmp_path / "run" / "scores.json").exists()) == ((0, "", ""), True)


def test_the_default_folder(tmp_path: Path) -> None:
    """Without --out the folder is under runs/, named by what is run, and is where the document says."""
    data = humaneval(tmp_path, tasks=1)
    said = called("run", "humaneval", "--data", data, "--model", "gold:", "--json", *FEW, cwd=tmp_path)
    folder = Path(said.document["run"])

    assert (folder.parts[0], folder.name.startswith("humaneval-gold-")) == ("runs", True)
    assert (tmp_path / folder / "scores.json").exists()


def test_two_profiles(tmp_path: Path) -> None:
    """A second --profile is judged beside the first and reported apart from it."""
    data = mera(tmp_path)
    stored = answers(tmp_path, outcomes=("passed", "wrong"), shape="")
    profiles = ("--profile", "strict", "--profile", "mera-code")
    said = called(
        *("run", "ruhumaneval", "--data", data, "--model", f"replay:{stored}"),
        *("--out", tmp_path / "run", "--json", *FEW, *profiles),
    )
    document = said.document

    assert (said.code, document["profile"], set(document["other_profiles"])) == (0, "strict", {"mera-code"})
    assert set(document["other_profiles"]["mera-code"]["pass@1"]) == METRIC
    assert len(read_rows(tmp_path / "run" / "verdicts.mera-code.jsonl")) == 6


def test_exclude_leaves_stored_answers_alone(tmp_path: Path) -> None:
    """Tasks left out are not asked for, though the file answers them, or answers no more than the rest."""
    said = called(*_command(tmp_path, "--json", "--exclude", "Small/1", "--exclude", "Small/2"))
    ran = {row["task_id"] for row in read_rows(tmp_path / "run" / "answers.jsonl")}

    assert (said.code, said.document["answers"], ran) == (0, 2, {"Small/0"})


def test_k_and_n(tmp_path: Path) -> None:
    """--k chooses the metrics and --n how many of the stored answers are taken."""
    said = called(*_command(tmp_path, "--json", "--n", 1, "--k", 1))

    assert (said.code, said.document["answers"], list(said.document["metrics"])) == (0, 3, ["pass@1"])
    assert said.document["metrics"]["pass@1"]["value"] == 1.0


def test_limit_takes_the_first_tasks(tmp_path: Path) -> None:
    """--limit is for a quick try, and such a run is another one than the whole."""
    command = _command(tmp_path, "--json")
    whole, tried = called(*command), called(*command, "--limit", 1)
    other = called(*command, "--limit", 1, "--out", tmp_path / "tried")

    assert (whole.code, tried.code, "`limit` was None, now 1" in tried.err) == (0, 1, True)
    assert (other.document["answers"], other.document["metrics"]["pass@1"]["n"]) == (2, 1)


def test_stored_answers_of_a_run_keep_their_design(tmp_path: Path) -> None:
    """Ten answers to each task, said to be to ten prompts, are shown by prompt."""
    stored = answers(tmp_path, outcomes=["passed"] * 9 + ["wrong"])
    said = called(
        *("run", "humaneval", "--data", humaneval(tmp_path), "--model", f"replay:{stored}", "--json"),
        *("--out", tmp_path / "run", "--prompts", "all", *FEW),
    )
    rates = {name: metrics["pass@1"]["value"] for name, metrics in said.document["prompts"].items()}

    assert (said.code, said.document["prompt_design"], said.document["metrics"]["pass@1"]["value"]) == (
        0,
        "all",
        0.9,
    )
    assert rates == {f"en-{number:02}": float(number < 10) for number in range(1, 11)}


def test_both_jails_and_any_number_of_workers_agree(tmp_path: Path) -> None:
    """How a run is executed changes no verdict."""
    command = _command(tmp_path, "--quiet")
    other = [value if value != tmp_path / "run" else tmp_path / "other" for value in command]
    codes = [called(*command).code, called(*other, "--workers", 2, "--jail", "native").code]

    assert codes == [0, 0]
    assert without_times(tmp_path / "run" / "verdicts.jsonl") == without_times(
        tmp_path / "other" / "verdicts.jsonl"
    )


def test_a_failed_self_check_is_exit_code_1(tmp_path: Path) -> None:
    """Where the data set's own solution fails, there is no score, and the task is named."""
    rows = [humaneval_row(0), humaneval_row(1, canonical_solution="    return x - 5\n")]
    data = write(tmp_path / "tasks.jsonl", rows)
    said = called(
        *("run", "humaneval", "--data", data, "--model", "gold:", "--out", tmp_path / "run", "--json", *FEW)
    )

    assert (said.code, said.out, "Small/1" in said.err, "Traceback" in said.err) == (1, "", True, False)
    assert not (tmp_path / "run" / "scores.json").exists()


def test_a_missing_prerequisite_is_exit_code_3(tmp_path: Path) -> None:
    """A jail that is not installed is named with the command that installs it, and nothing is written."""
    said = called(*_command(tmp_path, "--jail", "bubblewrap"), PATH=str(tmp_path))
    wanted = "error: bubblewrap is not installed\nhint: apt-get install bubblewrap\n"

    assert (said, (tmp_path / "run").exists()) == ((3, "", wanted), False)


def test_only_asking(tmp_path: Path) -> None:
    """Answers to tasks whose outputs are hidden can be stored, though nothing can be judged."""
    hidden = [{**mera_row(number), "outputs": ["", ""]} for number in (1, 2)]
    for row in hidden:
        row["meta"]["canonical_solution"] = ""
    data = write(tmp_path / "hidden.jsonl", hidden)
    stored = write(tmp_path / "s.jsonl", [{"task_id": n, "completion": "    return 1"} for n in (1, 2)])
    command = ("run", "ruhumaneval", "--data", data, "--model", f"replay:{stored}", "--out", tmp_path / "run")
    refused, asked = called(*command), called(*command, "--ask-only", "--json")
    kept = sorted(path.name for path in (tmp_path / "run").iterdir())

    assert (refused.code, "--ask-only" in refused.err) == (1, True)
    assert (asked.code, asked.document) == (0, {"run": str(tmp_path / "run"), "answers": 2})
    assert ("answers.jsonl" in kept, "verdicts.jsonl" in kept, "scores.json" in kept) == (True, False, False)
