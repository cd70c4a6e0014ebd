"""A plan decides everything before anything is asked, executed or written."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import RequestOptions
from benchwright.errors import BenchwrightError, DataError, UsageError
from benchwright.running.plan import Plan, RunOptions, make_plan
from benchwright.running.run_folders import default_folder
from benchwright.sandbox.limits import Limits
from kit.live_model import LiveModel, register
from kit.made_repositories import lines, row
from kit.small_data import answers, humaneval, humaneval_row, mera, write


def plan(path: Path, **changed: Any) -> Plan:
    """Return a plan for HumanEval's gold answers, with some options changed."""
    return make_plan(RunOptions(**{"track": "humaneval", "data": str(path), "model": "gold:", **changed}))


def refusal(path: Path, **changed: Any) -> tuple[type[BenchwrightError], str, str | None]:
    """Return the error, message and hint of refused options."""
    with pytest.raises(BenchwrightError) as caught:
        plan(path, **changed)
    return type(caught.value), caught.value.message, caught.value.hint


def replay(folder: Path, counts: list[int]) -> str:
    """Write stored answers: this number to each task."""
    rows = [
        {"task_id": f"Small/{task}", "completion": "x"} for task, n in enumerate(counts) for _ in range(n)
    ]
    return f"replay:{write(folder / 'counts.jsonl', rows)}"


def test_tasks_keep_the_order_of_the_data(tmp_path: Path) -> None:
    """Ranks number the answers: sample s of the task at place t is t * n + s."""
    rows = [humaneval_row(number) for number in (2, 0, 1)]
    made = plan(write(tmp_path / "tasks.jsonl", rows), n=4)
    ranks = [made.rank(f"Small/{number}", 3) for number in (2, 0, 1)]

    assert (list(made.tasks), ranks, made.total) == (["Small/2", "Small/0", "Small/1"], [3, 7, 11], 12)


def test_a_model_that_answers_alike_is_asked_once(tmp_path: Path) -> None:
    """Ten equal gold answers would prove no more than one."""
    made = plan(humaneval(tmp_path))

    assert (made.n, made.ks) == (1, (1,))


def test_every_answer_that_a_file_holds_is_judged(tmp_path: Path) -> None:
    """Tasks may have different numbers of them; k goes up to the largest."""
    made = plan(humaneval(tmp_path), model=replay(tmp_path, [7, 5, 6]))

    assert (made.n, made.ks, made.total, list(made.counts.values())) == (7, (1, 5), 18, [7, 5, 6])


def test_n_takes_the_first_answers_of_each_task(tmp_path: Path) -> None:
    """All answers of a task with fewer are used."""
    made = plan(humaneval(tmp_path), model=replay(tmp_path, [7, 1, 6]), n=2)

    assert (made.n, made.total, list(made.counts.values())) == (2, 5, [2, 1, 2])


def test_n_and_k_can_be_chosen(tmp_path: Path) -> None:
    """They must not exceed the stored number."""
    made = plan(humaneval(tmp_path), model=replay(tmp_path, [7, 5, 6]), n=4, ks=(2, 4))

    assert (made.n, made.ks) == (4, (2, 4))


@pytest.mark.parametrize(
    ("changed", "message", "hint"),
    [
        ({"n": 8}, "holds at most 7 answers to a task", "--n 7"),
        ({"n": 0}, "--n 0: at least 1 answer a task is needed", "--n 1"),
        ({"n": 2, "ks": (3,)}, "pass@3 needs at least 3 answers to a task, and n is 2", "--n 3"),
        ({"ks": (0,)}, "pass@0 is invalid: k must be at least 1", "--k 1"),
        ({"ks": (-1,)}, "pass@-1 is invalid: k must be at least 1", "--k 1"),
        (
            {"exclude": ("Small/9",)},
            "--exclude 'Small/9': the data set has no such task",
            "the nearest task is Small/2",
        ),
        ({"profiles": ("mera",)}, "unknown scoring profile 'mera'", "did you mean `mera-text`?"),
        ({"track": "humanval"}, "unknown track: humanval", "did you mean `humaneval`?"),
        ({"form": "whole"}, "humaneval has no form 'whole'", "its forms are: calls, batch"),
        ({"model": "gold"}, "the model 'gold' has no scheme", "did you mean `gold:`?"),
        ({"model": "golden:"}, "unknown model: golden", "did you mean `gold`?"),
        ({"jail": "prison"}, "unknown jail: prison", "one of: auto, bubblewrap, native"),
        ({"data": ""}, "--data: the name is empty", "is a shell variable unset?"),
        ({"model": ""}, "--model: the name is empty", "is a shell variable unset?"),
        ({"limit": 0}, "--limit 0: at least 1 task is needed", "--limit 5"),
        ({"limit": -3}, "--limit -3: at least 1 task is needed", "--limit 5"),
        ({"prompts": "each"}, "unknown prompt design 'each'", "one of: spread, all, row"),
        (
            {"prompts": "spread", "language": "fr"},
            "no prompts in the language 'fr'",
            "languages: ru, en; forms: chat, base",
        ),
        (
            {"language": "ru"},
            "--language ru: the prompts are in the data set",
            "add --prompts spread, or leave --language out",
        ),
        (
            {"prompts": "all"},
            "10 prompts need 10 answers to each task, and replay:",
            "--prompts row",
        ),
        (
            {"asking": RequestOptions(top_p=2.0)},
            "--top-p 2: must be more than 0 and at most 1",
            "--top-p 0.95",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_hint(
    tmp_path: Path, changed: dict[str, Any], message: str, hint: str | None
) -> None:
    """The UsageError has a correct alternative."""
    options = {"model": replay(tmp_path, [7, 5, 6]), **changed}
    kind, said, offered = refusal(humaneval(tmp_path), **options)

    assert (kind, message in said, offered) == (UsageError, True, hint)


def test_a_track_without_figures_for_k_answers_is_asked_for_none(tmp_path: Path) -> None:
    """The message names the option, as there is no figure to name."""
    data = lines(tmp_path / "rows.jsonl", [row(1), row(2, "failed")])
    _, said, _ = refusal(data, track="codecorrectness", ks=(0,))

    assert said == "--k 0 is invalid: k must be at least 1"


@pytest.mark.parametrize(
    ("limits", "option"),
    [
        (Limits(cpu_s=math.nan), "--cpu-limit"),
        (Limits(cpu_s=math.inf), "--cpu-limit"),
        (Limits(cpu_s=0), "--cpu-limit"),
        (Limits(cpu_s=-1), "--cpu-limit"),
        (Limits(cpu_s=1e30), "--cpu-limit"),
        (Limits(memory_mb=0), "--memory-limit"),
        (Limits(memory_mb=1 << 70), "--memory-limit"),
    ],
)
def test_limits_that_nothing_can_hold_to_are_refused(tmp_path: Path, limits: Limits, option: str) -> None:
    """NaN is never exceeded in comparisons, and a huge number overflows in the kernel."""
    kind, said, hint = refusal(humaneval(tmp_path), limits=limits)

    assert (kind, said.split()[0], hint is not None) == (UsageError, option, True)


def test_names_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    """JSON cannot contain them, so a run folder could not store the identity."""
    data = humaneval(tmp_path)
    bad = data.with_name("t\udcff.jsonl")
    bad.write_bytes(data.read_bytes())
    refused = [refusal(bad)[:2], refusal(data, model=f"replay:{bad}")[:2]]

    assert [(kind, "the name is not UTF-8" in said) for kind, said in refused] == [(UsageError, True)] * 2


def test_excluded_tasks_are_left_out_and_their_answers_are_known(tmp_path: Path) -> None:
    """A file with answers to an excluded task is valid; naming a task twice is too."""
    stored = answers(tmp_path, 3)
    made = plan(humaneval(tmp_path), model=f"replay:{stored}", exclude=("Small/1", "Small/1"))

    assert (list(made.tasks), len(made.data)) == (["Small/0", "Small/2"], 3)


def test_integer_ids_are_excluded_by_their_text(tmp_path: Path) -> None:
    """The command line has only text."""
    made = plan(mera(tmp_path), track="ruhumaneval", exclude=("1",))

    assert list(made.tasks) == [0, 2]


def test_excluding_everything_is_refused(tmp_path: Path) -> None:
    """A run without tasks has no score."""
    kind, said, _ = refusal(humaneval(tmp_path, 1), exclude=("Small/0",))

    assert (kind, said) == (DataError, "the data set has no tasks")


def test_a_task_without_stored_answers_is_not_run(tmp_path: Path) -> None:
    """The score lists it, without a zero; excluding it does not change the identity."""
    made = plan(humaneval(tmp_path), model=replay(tmp_path, [2, 0, 2]))

    assert (list(made.tasks), made.unanswered) == (["Small/0", "Small/2"], ["Small/1"])
    assert made.identity.keys().isdisjoint({"tasks", "limit"})


def test_a_file_without_an_answer_to_the_chosen_tasks_is_refused(tmp_path: Path) -> None:
    """The error is about the file, not about the call."""
    model = replay(tmp_path, [2, 0, 2])
    kind, said, hint = refusal(humaneval(tmp_path), model=model, tasks=("Small/1",))

    assert (kind, "has no answers to any of the 1 task" in said, "--tasks" in str(hint)) == (
        DataError,
        True,
        True,
    )


def test_equal_options_are_the_same_run(tmp_path: Path) -> None:
    """Name and place of the data have no effect; the content has."""
    (tmp_path / "copy").mkdir()
    here, there = humaneval(tmp_path), humaneval(tmp_path / "copy")

    assert plan(here).identity == plan(there).identity


@pytest.mark.parametrize(
    "changed",
    [
        {"n": 2},
        {"form": "batch"},
        {"exclude": ("Small/1",)},
        {"model": "stub:"},
        {"profiles": ("mera-code",)},
        {"limits": Limits(cpu_s=2.0)},
        {"limit": 2},
        {"prompts": "spread"},
        {"prompts": "all"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_what_decides_a_verdict_makes_another_run(tmp_path: Path, changed: dict[str, Any]) -> None:
    """So a folder cannot mix the two."""
    data = humaneval(tmp_path)
    one, other = plan(data), plan(data, **changed)

    assert (one.identity != other.identity, default_folder(one) != default_folder(other)) == (True, True)


@pytest.mark.parametrize(
    "changed",
    [
        {"profiles": ("strict", "mera-code")},
        {"jail": "native"},
        {"ks": (1,)},
        {"limit": 3},
        {"limit": 99},
        {"prompts": "row"},
    ],
    ids=str,
)
def test_what_decides_nothing_is_the_same_run(tmp_path: Path, changed: dict[str, Any]) -> None:
    """A second profile, another jail or another k uses the same folder."""
    data = humaneval(tmp_path)

    assert plan(data).identity == plan(data, **changed).identity


def test_a_run_of_before_prompts_and_limits_goes_on(tmp_path: Path) -> None:
    """The identity of a run without them has no new field, so its folder and its keys are unchanged."""
    fields = set(plan(humaneval(tmp_path)).identity)
    known = {"track", "form", "data", "excluded", "model", "n", "profile", "limits", "judging", "python"}

    assert fields == known


def test_a_limit_takes_the_first_tasks_that_are_left(tmp_path: Path) -> None:
    """Exclusion comes first, so five tasks are five."""
    made = plan(humaneval(tmp_path, 6), exclude=("Small/0", "Small/2"), limit=2)

    assert (list(made.tasks), made.identity["limit"], made.total) == (["Small/1", "Small/3"], 2, 2)


def test_a_limit_looks_at_no_answers_beyond_it(tmp_path: Path) -> None:
    """A file with an answer to the first task is sufficient."""
    made = plan(humaneval(tmp_path), model=replay(tmp_path, [4]), limit=1)

    assert (made.n, list(made.tasks)) == (4, ["Small/0"])


def test_the_identity_says_how_was_asked(tmp_path: Path) -> None:
    """Design, language and form of the prompts."""
    made = plan(humaneval(tmp_path), prompts="all", asking=RequestOptions(api="completions"))

    assert made.identity["prompts"] == {"design": "all", "language": "en", "form": "base"}


def test_answers_of_a_crossed_run_are_divided_among_the_prompts(tmp_path: Path) -> None:
    """Twenty stored answers to a task are two for each of ten prompts."""
    made = plan(humaneval(tmp_path), model=replay(tmp_path, [20, 25, 20]), prompts="all", n=2)
    ranks = [made.rank("Small/1", 0), made.rank("Small/1", 19)]
    variants = [made.variant("Small/1", sample) for sample in (0, 1, 2, 19)]

    assert (made.n, made.a_task, made.total, ranks) == (2, 20, 60, [20, 39])
    assert variants == ["en-01", "en-01", "en-02", "en-10"]


@pytest.mark.parametrize("counts", [[20, 25, 20], [25, 25, 25]])
def test_answers_that_prompts_cannot_share_equally_are_refused(tmp_path: Path, counts: list[int]) -> None:
    """None is dropped without an option."""
    kind, said, hint = refusal(humaneval(tmp_path), model=replay(tmp_path, counts), prompts="all")

    assert (kind, "cannot share" in said) == (UsageError, True)
    assert str(hint).startswith("--n 2")


def test_too_few_answers_for_a_crossed_run_are_named(tmp_path: Path) -> None:
    """The hint is the number of prompts for which the file has answers."""
    kind, said, hint = refusal(humaneval(tmp_path), model=replay(tmp_path, [20, 20, 20]), prompts="all", n=3)

    assert (kind, "holds only 20 answers to task Small/0" in said, hint) == (UsageError, True, "--n 2")


@pytest.mark.parametrize(("given", "settled"), [(None, 0.6), (0.0, 0.0), (1.5, 1.5)])
def test_the_track_s_temperature_is_settled_before_the_model_is_opened(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: float | None, settled: float
) -> None:
    """So it is part of the model's identity."""
    model = register(monkeypatch, LiveModel())
    made = plan(humaneval(tmp_path), model="live:", asking=RequestOptions(temperature=given))

    assert (model.asking.temperature, made.asking.temperature, made.identity["model"]["temperature"]) == (
        settled,
        settled,
        settled,
    )


def test_only_a_model_that_reads_is_asked_in_ten_ways(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """This is the default; gold and stored answers keep the row's own prompt."""
    register(monkeypatch, LiveModel())
    data = humaneval(tmp_path)
    models = ("live:", "gold:", "stub:", replay(tmp_path, [1, 1, 1]))
    designs = [plan(data, model=model).prompting.design for model in models]

    assert designs == ["spread", "row", "row", "row"]


def test_a_profile_given_twice_is_judged_once(tmp_path: Path) -> None:
    """Verdicts of one profile must not be written twice."""
    made = plan(humaneval(tmp_path), profiles=("strict", "mera-code", "strict"))

    assert made.profiles == ("strict", "mera-code")


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("my answers (1).jsonl", "humaneval-my-answers-1-.jsonl-"),
        ("…", "humaneval--"),
        ("a" * 99, "humaneval-" + "a" * 40),
    ],
)
def test_the_default_folder_is_a_plain_name(tmp_path: Path, name: str, start: str) -> None:
    """It does not depend on the file's name, and equal runs have equal names."""
    data, stored = humaneval(tmp_path), tmp_path / name
    stored.write_bytes(answers(tmp_path).read_bytes())
    folders = [default_folder(plan(data, model=f"replay:{stored}")) for _ in range(2)]

    assert (folders[0] == folders[1], folders[0].parent.name, folders[0].name.startswith(start)) == (
        True,
        "runs",
        True,
    )


def test_the_manifest_is_json_even_for_a_path_object(tmp_path: Path) -> None:
    """A library's caller may pass the data as a Path."""
    data: Any = humaneval(tmp_path)
    made = make_plan(RunOptions(track="humaneval", data=data, model="gold:"))
    manifest = json.loads(json.dumps(made.manifest()))

    assert (manifest["data"], manifest["model"]) == (str(tmp_path / "tasks.jsonl"), "gold:")


def test_specs_are_made_once(tmp_path: Path) -> None:
    """Workers are sent a spec if it is another object."""
    made = plan(humaneval(tmp_path))
    task = next(iter(made.tasks.values()))

    assert made.spec(task, "strict") is made.spec(task, "strict")


def test_a_plan_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is unchanged."""
    data = humaneval(tmp_path)
    monkeypatch.chdir(tmp_path)
    plan(data)

    assert [path.name for path in tmp_path.iterdir()] == ["tasks.jsonl"]
