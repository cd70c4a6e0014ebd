"""`ianvs lint`: each known problem by name, with its file, its line and what to write there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import UsageError
from benchwright.interop.ianvs.linting import Finding, lint
from benchwright.interop.ianvs.source_facts import read_source
from kit.command_line import benchwright
from kit.made_ianvs import ACC, MODEL, algorithm, job, module, small_job, write, write_lines, write_yaml


def findings(folder: Path, name: str = "job.yaml") -> list[Finding]:
    """What is found in one job."""
    return lint(folder / name, root=folder).findings


def only(folder: Path, part: str) -> Finding:
    """The one finding whose text has a part."""
    found = [each for each in findings(folder) if part in each.text]
    assert len(found) == 1, findings(folder)
    return found[0]


def test_a_sound_job_has_no_finding(tmp_path: Path) -> None:
    small_job(tmp_path)

    assert findings(tmp_path) == []


def test_two_files_of_one_stem_are_found(tmp_path: Path) -> None:
    write(tmp_path, acc_py=ACC, one__base_py=MODEL, two__base_py=MODEL)
    algorithms = {
        name: algorithm(tmp_path, name, module("model", f"./{name}/base.py")) for name in ("one", "two")
    }
    job(tmp_path, algorithms)

    found = only(tmp_path, "keeps one module of a file name")

    assert found.level == "error"
    assert found.place.startswith(str(tmp_path / "two.yaml"))
    assert "base_two.py" in found.fix


def test_a_missing_method_is_named_with_its_line(tmp_path: Path) -> None:
    without = MODEL.replace("def preprocess", "def prepare")
    _one(tmp_path, without)

    found = only(tmp_path, "no method preprocess")

    line = next(n for n, text in enumerate(without.splitlines(), 1) if text.startswith("class"))
    assert found == Finding(
        "error",
        f"{tmp_path / 'model.py'}:{line}",
        "model has no method preprocess: Ianvs's main branch stops without it, v0.3.0 does not",
        "def preprocess(self, **kwargs): return None",
    )


def test_an_alias_that_is_not_registered(tmp_path: Path) -> None:
    _one(tmp_path, MODEL.replace('alias="model"', 'alias="modell"'))

    found = only(tmp_path, "no class is registered as 'model'")

    assert "modell" in found.text and "alias='model'" in found.fix


def test_a_hyperparameter_that_no_init_takes(tmp_path: Path) -> None:
    strict = MODEL.replace('letter="A", **rest', 'letter="A"')
    write(tmp_path, acc_py=ACC, model_py=strict)
    job(
        tmp_path,
        {"one": algorithm(tmp_path, "one", module("model", "./model.py", letter=["A"], rate=[0.1]))},
    )

    found = only(tmp_path, "rate is no parameter of __init__")

    assert found.place.startswith(str(tmp_path / "one.yaml"))


def test_a_metric_with_its_arguments_the_wrong_way_round(tmp_path: Path) -> None:
    _one(tmp_path, MODEL, metric=ACC.replace("(y_true, y_pred)", "(y_pred, y_true)"))

    found = only(tmp_path, "true values first")

    assert found.level == "error" and found.fix == "def acc(y_true, y_pred):"


def test_the_worst_is_not_put_first(tmp_path: Path) -> None:
    _one(tmp_path, MODEL, rank={"sort_by": [{"acc": "ascend"}]})

    found = only(tmp_path, "ascend puts the worst first")

    assert (found.level, found.fix) == ("warning", '{"acc": "descend"}')


@pytest.mark.parametrize(
    ("name", "order", "is_odd"),
    [
        ("latency", "descend", True),
        ("Prefill Latency", "ascend", False),
        ("throughput", "ascend", True),
        ("f1_score", "descend", False),
        ("task_avg_loss", "descend", True),
        ("quality", "ascend", False),
        ("score_time", "descend", False),  # could be either
    ],
)
def test_names_say_which_way_is_good(tmp_path: Path, name: str, order: str, is_odd: bool) -> None:
    _one(tmp_path, MODEL, rank={"sort_by": [{name: order}]})

    assert any("puts the worst first" in each.text for each in findings(tmp_path)) is is_odd


def test_paths_of_one_machine(tmp_path: Path) -> None:
    _one(tmp_path, MODEL)
    text = (tmp_path / "job.yaml").read_text()
    (tmp_path / "job.yaml").write_text(
        text.replace('"./testenv.yaml"', '"/home/somebody/ianvs/testenv.yaml"')
    )

    texts = [(each.level, each.text, each.fix) for each in findings(tmp_path)]

    assert ("warning", "/home/somebody/ianvs/testenv.yaml: holds on one machine only",
            'testenv: "./testenv.yaml"') in texts  # fmt: skip
    assert any(level == "error" and "no file at /home/somebody" in text for level, text, _ in texts)


def test_all_problems_are_told_not_only_the_first(tmp_path: Path) -> None:
    _one(tmp_path, MODEL.replace("def load", "def lode").replace("def predict", "def predickt"))
    document = json.loads((tmp_path / "testenv.yaml").read_text())
    document["testenv"]["metrics"] += [{"name": "gone", "url": "./gone.py"}, {"nam": "x"}]
    document["testenv"]["dataset"]["tset_data"] = "x"
    write_yaml(tmp_path / "testenv.yaml", document)

    texts = " | ".join(each.text for each in findings(tmp_path))

    for part in ("no method load", "no method predict", "gone.py", "the key `name` is missing", "tset_data"):
        assert part in texts


@pytest.mark.parametrize(
    ("row", "part"),
    [
        ({"query": "?", "answer": "A"}, "no field `question`"),
        ({"question": "?"}, "no field `answer`"),
        (["question", "answer"], "no field `question`"),
    ],
)
def test_records_that_ianvs_cannot_read(tmp_path: Path, row: Any, part: str) -> None:
    _one(tmp_path, MODEL)
    write_lines(tmp_path / "data.jsonl", [{"question": "?", "answer": "A"}, row])

    found = only(tmp_path, part)

    assert found.place == f"{tmp_path / 'data.jsonl'}:2"


def test_a_file_that_is_no_python(tmp_path: Path) -> None:
    _one(tmp_path, "class Model(:\n")

    assert only(tmp_path, "Python cannot read it").place == f"{tmp_path / 'model.py'}:1"


def test_nothing_of_the_example_is_run(tmp_path: Path) -> None:
    _one(tmp_path, MODEL + f"\nopen({str(tmp_path / 'was_run')!r}, 'w')\nraise SystemExit\n")

    findings(tmp_path)

    assert not (tmp_path / "was_run").exists()


def test_aliases_that_only_a_running_program_knows_are_left_alone(tmp_path: Path) -> None:
    text = ACC.replace('@ClassFactory.register(ClassType.GENERAL, alias="acc")\n', "")
    text += "\nfor name in ('acc', 'other'):\n    ClassFactory.register(ClassType.GENERAL, alias=name)(acc)\n"
    write(tmp_path, own_py=text)

    assert read_source(tmp_path / "own.py").in_loops
    _one(tmp_path, MODEL, metric=text)
    assert findings(tmp_path) == []


def test_a_folder_is_looked_through(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        small_job(tmp_path / name)
    (tmp_path / "other.yaml").write_text("a: 1\n")

    assert len(lint(tmp_path, root=tmp_path / "one").jobs) == 2
    (tmp_path / "nothing").mkdir()
    with pytest.raises(UsageError, match="no benchmarking job"):
        lint(tmp_path / "nothing", root=tmp_path)


def test_the_command_line(tmp_path: Path) -> None:
    _one(tmp_path, MODEL.replace("def load", "def lode"))

    result = benchwright("ianvs", "lint", str(tmp_path / "job.yaml"), "--root", str(tmp_path), "--json")

    document = json.loads(result.out)
    assert result.code == 1
    assert document["errors"] == 1
    assert document["findings"][0]["fix"] == "def load(self, model_url=None): return None"
    shown = benchwright("ianvs", "lint", str(tmp_path / "job.yaml"), "--root", str(tmp_path))
    assert "no method load" in shown.err and "1 job: 1 error, 0 warnings" in shown.err


def _one(folder: Path, model: str, *, metric: str = ACC, rank: dict[str, Any] | None = None) -> None:
    """A job of one algorithm."""
    write(folder, acc_py=metric, model_py=model)
    job(folder, {"one": algorithm(folder, "one", module("model", "./model.py"))}, rank=rank)


@pytest.mark.parametrize("name", ["small", "always"])
def test_a_name_that_can_be_no_folder(tmp_path: Path, name: str) -> None:
    """Of the job and of an algorithm, once each."""
    path = small_job(tmp_path)
    path.write_text(path.read_text().replace(f'"name": "{name}"', '"name": "../up"'))
    found = only(tmp_path, "has a slash in it")

    assert (found.level, found.fix) == ("error", 'write `name: "up"`')
    assert found.place == f"{path}:{3 if name == 'small' else 10}"
