"""Out and back: what a run exports, an import gives back; and logs that Inspect itself made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright import run as run_pipeline
from benchwright.errors import BenchwrightError
from benchwright.interop.inspect_ai_log.answers import import_inspect
from benchwright.interop.inspect_ai_log.export import export_inspect
from benchwright.models.replay import Replay
from benchwright.records import Answer, Outcome
from benchwright.store.runfolder import RunFolder
from kit.examples import examples
from kit.made_inspect_run import answer, small_run, verdict, write_run
from kit.processes import python
from kit.small_data import answers, humaneval, read_rows

pytestmark = pytest.mark.usefixtures("package")

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
ANSWERS = st.lists(
    st.fixed_dictionaries(
        {"text": TEXT, "finish_reason": st.sampled_from(["stop", "length", "eos", None])},
        optional={
            "seed": st.integers(0, 2**63 - 1),
            "prompt": st.sampled_from(["en-03", "mine"]),
            "tail": TEXT,
            "tokens_in": st.integers(0, 10**9),
            "tokens_out": st.integers(0, 10**9),
        },
    ),
    min_size=1,
    max_size=6,
)
# A genuine evaluation of Inspect's: epochs, a model that is cut off, a sample whose solver fails.
GENUINE = """
import sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, solver

@solver
def sometimes():
    async def solve(state, generate):
        if state.sample_id == 2:
            raise ValueError("broken")
        return await generate(state)
    return solve

outputs = [ModelOutput.from_content("mockllm/model", f"text {n}", stop_reason="max_tokens") for n in range(4)]
for output in outputs:
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
data = [Sample(input="?", target="text", id=number) for number in range(3)]
for form in sys.argv[2:]:
    model = get_model("mockllm/model", custom_outputs=list(outputs), memoize=False)
    task = Task(dataset=data, solver=sometimes(), scorer=includes(), name="genuine")
    eval(task, model=model, epochs=2, log_dir=f"{sys.argv[1]}/{form}", log_format=form, display="none",
         fail_on_error=False, max_samples=1)
"""


def _there_and_back(run: Path, suffix: str = ".eval") -> Path:
    """The answers file that comes back from a run's log."""
    log, out = run.with_suffix(suffix), run.with_suffix(".jsonl")
    export_inspect(run, log)
    import_inspect(log, out)
    return out


def _replayed(path: Path, wanted: list[Answer]) -> list[Answer]:
    """The answers that replay gives for the same questions."""
    from benchwright.contracts import Prompt
    from benchwright.records import Task

    ids = dict.fromkeys(each.task_id for each in wanted)
    tasks = {
        name: Task(task_id=name, instruction="", inputs={}, outputs=None, meta={}, revision="r")
        for name in ids
    }
    prompts = [
        Prompt(key=each.key, task_id=each.task_id, sample=each.sample, text="?", variant="")
        for each in wanted
    ]
    return list(Replay(path).answer(prompts, tasks))


@settings(
    max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(ANSWERS)
def test_answers_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, fields: list[dict[str, Any]]
) -> None:
    """Text, seed, end, prompt, tail and tokens of any answer survive the way through Inspect's package."""
    given_answers = [answer(sample=number, **each) for number, each in enumerate(fields)]
    folder = tmp_path_factory.mktemp("trip")
    run = write_run(folder, [(each, verdict(each, Outcome.wrong)) for each in given_answers])

    assert _replayed(_there_and_back(run), given_answers) == given_answers


@pytest.mark.parametrize("suffix", [".eval", ".json"])
def test_missing_answers_come_back_as_they_were(suffix: str, tmp_path: Path) -> None:
    """A model's error stays one with its words; an answer that only the judging failed on is whole again."""
    run = small_run(tmp_path)
    stored = list(RunFolder.read(run).answers())

    assert _replayed(_there_and_back(run, suffix), stored) == stored


def test_a_second_trip_changes_nothing(tmp_path: Path) -> None:
    """The answers of a log of imported answers are the same file."""
    first = _there_and_back(small_run(tmp_path))
    again = import_inspect(tmp_path / "run.eval", tmp_path / "again.jsonl")

    assert (first.read_bytes(), again[0].errors) == (
        (tmp_path / "again.jsonl").read_bytes(),
        {"the server said 500": 1},
    )


@pytest.mark.usefixtures("jail")
@pytest.mark.slow
def test_outcomes_and_score_are_the_same(tmp_path: Path) -> None:
    """Run, export, import, replay: the same texts, the same outcomes, the same score."""
    data = humaneval(tmp_path)
    stored = answers(tmp_path, outcomes=("passed", "wrong", "exception", "no_code", "syntax_error"))
    options: dict[str, Any] = {"data": str(data), "workers": 1}
    first = run_pipeline("humaneval", model=f"replay:{stored}", out=tmp_path / "run", **options)
    back = _there_and_back(tmp_path / "run")
    second = run_pipeline("humaneval", model=f"replay:{back}", out=tmp_path / "again", **options)
    texts = [
        [row["text"] for row in read_rows(tmp_path / name / "answers.jsonl")] for name in ("run", "again")
    ]
    verdicts = [
        [
            (row["task_id"], row["sample"], row["outcome"])
            for row in read_rows(tmp_path / name / "verdicts.jsonl")
        ]
        for name in ("run", "again")
    ]

    assert (texts[0], verdicts[0]) == (texts[1], verdicts[1])
    assert (first.outcomes, first.metrics) == (second.outcomes, second.metrics)


@settings(
    max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(min_size=1, max_size=20), st.floats(0, 1))
def test_damage_to_a_real_log(
    tmp_path_factory: pytest.TempPathFactory, real: bytes, noise: bytes, place: float
) -> None:
    """Damage inside members that are packed with Zstandard is an error with the file's name as well."""
    path = tmp_path_factory.mktemp("damage") / "log.eval"
    at = int(place * len(real))
    path.write_bytes(real[:at] + noise + real[at + len(noise) :])
    try:
        import_inspect(path, path.with_name("out.jsonl"))
        said = str(path)
    except BenchwrightError as error:
        said = error.message

    assert str(path) in said


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A log as the package writes it."""
    run = small_run(tmp_path_factory.mktemp("real"))
    export_inspect(run, run.with_suffix(".eval"))
    return run.with_suffix(".eval").read_bytes()


FORMS = ("eval", "json")


@pytest.fixture(scope="module")
def genuine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of a mock model that Inspect evaluated, in one process with a home of its own: a folder for each form."""
    folder = tmp_path_factory.mktemp("genuine")
    home = {"XDG_DATA_HOME": str(folder / "home"), "HOME": str(folder / "home")}
    done = python(GENUINE, str(folder), *FORMS, env={**os.environ, **home}, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_genuine_log(genuine: Path, form: str, tmp_path: Path) -> None:
    """Its log gives its answers."""
    (imported,) = import_inspect(genuine / form, tmp_path / "out.jsonl")
    rows = read_rows(tmp_path / "out.jsonl")
    answered = {
        (row["task_id"], row["completion"], row["finish_reason"]) for row in rows if "completion" in row
    }

    assert (imported.task, imported.model, imported.answers, imported.most) == (
        "genuine",
        "mockllm/model",
        6,
        2,
    )
    assert [row["task_id"] for row in rows] == [0, 0, 1, 1, 2, 2]
    assert {text for _, text, _ in answered} == {f"text {number}" for number in range(4)}
    assert {end for _, _, end in answered} == {"length"}
    assert imported.errors == {"ValueError('broken')": 2}
    assert imported.recorded == {"includes": {"C": 4}}


def test_the_record_is_json(tmp_path: Path) -> None:
    """What an import returns is what --json prints, every key always there."""
    run = small_run(tmp_path)
    _there_and_back(run)
    (imported,) = import_inspect(tmp_path / "run.eval", tmp_path / "out.jsonl")
    document = msgspec.json.decode(msgspec.json.encode(imported))

    assert {"out", "model", "answers", "errors", "dropped", "recorded", "command", "notes"} <= document.keys()
