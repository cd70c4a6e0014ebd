"""`ianvs lint`: each known problem by name, with its file, its line and what to write there."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import UsageError
from benchwright.interop.ianvs.job_lint import Finding, lint
from benchwright.interop.ianvs.lint_checks import LintTarget, read_source
from kit.command_line import benchwright, called
from kit.made_ianvs import ACC, MODEL, algorithm, job, module, small_job, write, write_lines, write_yaml
from kit.needs import need


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

    found = only(tmp_path, "keeps one module per file name")

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
        "model has no method preprocess: required by Ianvs's main branch, not by v0.3.0",
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

    found = only(tmp_path, "rate is not a parameter of __init__")

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

    for part in ("no method load", "no method predict", "gone.py", "missing key `name`", "tset_data"):
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

    assert only(tmp_path, "invalid Python").place == f"{tmp_path / 'model.py'}:1"


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


# Paths: only what is there is proposed.


def checkout(folder: Path, **moved: str) -> Path:
    """A repository with an example; `moved` are texts of its files to write otherwise."""
    home = folder / "examples" / "letters"
    write(home, testenv__acc_py=ACC, algorithms__gen__model_py=MODEL)
    write_lines(
        folder / "dataset" / "letters" / "test_data" / "data.jsonl", [{"question": "?", "answer": "A"}]
    )
    write_lines(folder / "dataset" / "letters" / "train_data" / "data.jsonl", [])
    small_job(home)
    paths = {
        "./testenv.yaml": "./examples/letters/testenv/testenv.yaml",
        "./always.yaml": "./examples/letters/algorithms/gen/always.yaml",
        "./acc.py": "./examples/letters/testenv/acc.py",
        "./model.py": "./examples/letters/algorithms/gen/model.py",
        "./data.jsonl": "./dataset/letters/test_data/data.jsonl",
        "./train.jsonl": "./dataset/letters/train_data/data.jsonl",
    }
    (home / "testenv.yaml").rename(home / "testenv" / "testenv.yaml")
    (home / "always.yaml").rename(home / "algorithms" / "gen" / "always.yaml")
    for name in ("data.jsonl", "train.jsonl", "acc.py", "model.py"):
        (home / name).unlink()
    for path in home.rglob("*.yaml"):
        text = path.read_text()
        for old, new in paths.items():
            text = text.replace(f'"{old}"', f'"{moved.get(old, new)}"')
        path.write_text(text)
    return home / "job.yaml"


def test_a_checkout_has_no_finding(tmp_path: Path) -> None:
    assert lint(checkout(tmp_path), root=tmp_path).findings == []


@pytest.mark.parametrize(
    ("old", "new", "found", "mapped"),
    [
        (
            "./testenv.yaml",
            "./examples/llm/letters_bench/testenv/testenv.yaml",
            "./examples/letters/testenv/testenv.yaml",
            "./examples/llm/letters_bench=examples/letters",
        ),
        (
            "./always.yaml",
            "./always.yaml",
            "./examples/letters/algorithms/gen/always.yaml",
            "./always.yaml=examples/letters/algorithms/gen/always.yaml",
        ),
        (
            "./model.py",
            "/home/x/ianvs/examples/letters/algorithms/gen/model.py",
            "./examples/letters/algorithms/gen/model.py",
            "/home/x/ianvs=.",
        ),
        (
            "./data.jsonl",
            "/home/x/Projects/dataset/letters/test_data/data.jsonl",
            "./dataset/letters/test_data/data.jsonl",
            "/home/x/Projects=.",
        ),
        (
            "./acc.py",
            "examples/letter/testenv/acc.py",
            "./examples/letters/testenv/acc.py",
            "examples/letter=",
        ),
        (
            "./data.jsonl",
            "~/letters/test_data/data.jsonl",
            "./dataset/letters/test_data/data.jsonl",
            "'~/letters/test_data/data.jsonl=dataset/letters/test_data/data.jsonl'",
        ),
    ],
)
def test_the_file_that_a_path_means(tmp_path: Path, old: str, new: str, found: str, mapped: str) -> None:
    """By the longest common end, and `--path-map` finds it with `ianvs run`."""
    path = checkout(tmp_path, **{old: new})
    missing = [each for each in lint(path, root=tmp_path).findings if "no file at" in each.text]

    assert len(missing) == 1 and f'"{found}"' in missing[0].fix and f"--path-map {mapped}" in missing[0].fix
    assert missing[0].edit is not None and (missing[0].edit.old, missing[0].edit.new) == (new, found)
    pair = missing[0].fix.partition("--path-map ")[2].rstrip(")").strip("'").partition("=")
    said = lint(path, root=tmp_path, path_map=((pair[0], pair[2]),), target=LintTarget("benchwright"))
    assert [each for each in said.findings if each.level == "error"] == []


@pytest.mark.parametrize(
    "gone",
    [
        "/home/x/ianvs/dataset/other/test_data/data.jsonl",  # alike in names that every example has
        "./dataset/other/test_data/data.jsonl",
        "/data/test_data/data.jsonl",
        "~/questions.jsonl",
        "/home/x/ianvs/dataset/letters/test_data/data-2.jsonl",
    ],
)
def test_data_that_are_not_there_are_not_made_up(tmp_path: Path, gone: str) -> None:
    """Data of another example with the same name, and shortened paths, are not proposed."""
    path = checkout(tmp_path, **{"./data.jsonl": gone})
    found = [each for each in lint(path, root=tmp_path).findings if gone.removeprefix("./") in each.text]

    assert found and all(each.edit is None and '"./' not in each.fix for each in found)
    assert any("download it first" in each.fix for each in found)


def test_the_folder_above_is_found(tmp_path: Path) -> None:
    """From another folder, the message names the folder to which paths are relative."""
    path = checkout(tmp_path)
    other = tmp_path / "elsewhere"
    other.mkdir()

    assert {each.fix for each in lint(path, root=other).findings} == {f"--root {tmp_path}"}


def test_a_patch_mends_all_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the form that `git apply` and `patch -p1` read."""
    need("git", "applies the patch")
    monkeypatch.chdir(tmp_path)
    moved = {"./acc.py": "/home/x/examples/letters/testenv/acc.py", "./model.py": "/y/gen/model.py"}
    path = checkout(Path(), **moved)
    text = called("ianvs", "lint", str(path), "--patch", cwd=tmp_path).out
    subprocess.run(["git", "apply", "-"], input=text, text=True, check=True, cwd=tmp_path)

    assert text.startswith("--- a/examples/letters/") and lint(path, root=Path()).findings == []


# Who is to run it.


def test_what_ianvs_alone_runs_is_no_error_there(tmp_path: Path) -> None:
    """Paradigms and metrics of Ianvs only; missing files of the job are still found."""
    path = _incremental(tmp_path)
    theirs, ours = (
        lint(path, root=tmp_path, target=LintTarget(name)).findings for name in ("ianvs", "benchwright")
    )

    assert theirs == []
    assert any("unsupported paradigm: 'incrementallearning'" in each.text for each in ours)
    (tmp_path / "model.py").unlink()
    assert any("no file at" in each.text for each in lint(path, root=tmp_path).findings)


@pytest.mark.parametrize(
    ("paradigm", "metric", "version", "part"),
    [
        ("lifelonglearning", "BWT", "v0.2.0", ""),
        ("lifelonglearning", "Task_Avg_Acc", "main", ""),
        ("lifelonglearning", "BWT", "v0.1.0", "has no paradigm lifelonglearning"),
        (
            "incrementallearning",
            "forget_rate",
            "main",
            "incrementallearning has no metric forget_rate",
        ),
        ("federatedclassincrementallearning", "forget_rate", "main", ""),
        ("federatedclassincrementallearning", "forget_rate", "v0.2.0", "has no paradigm"),
        ("singletasklearning_tta", "acc", "main", "Ianvs main has no paradigm singletasklearning_tta"),
    ],
)
def test_what_a_version_has(tmp_path: Path, paradigm: str, metric: str, version: Any, part: str) -> None:
    path = _incremental(tmp_path, paradigm=paradigm, metric=metric)
    found = lint(path, root=tmp_path, target=LintTarget("ianvs", version)).findings

    assert (not found) if not part else any(part in each.text for each in found)


@pytest.mark.parametrize(("version", "is_needed"), [("v0.1.0", False), ("v0.3.0", False), ("main", True)])
def test_preprocess_is_needed_by_the_main_branch_alone(tmp_path: Path, version: Any, is_needed: bool) -> None:
    _one(tmp_path, MODEL.replace("def preprocess", "def prepare"))
    found = lint(tmp_path / "job.yaml", root=tmp_path, target=LintTarget("ianvs", version)).findings

    assert any("no method preprocess" in each.text for each in found) is is_needed
    assert lint(tmp_path / "job.yaml", root=tmp_path, target=LintTarget("benchwright")).findings == []


@pytest.mark.parametrize(("version", "is_odd"), [("v0.2.0", False), ("v0.3.0", True), ("main", True)])
def test_names_of_data_by_version(tmp_path: Path, version: Any, is_odd: bool) -> None:
    """train_url was the name before v0.3.0."""
    _one(tmp_path, MODEL)
    path = tmp_path / "testenv.yaml"
    path.write_text(path.read_text().replace("train_data", "train_url").replace("test_data", "test_url"))
    found = lint(tmp_path / "job.yaml", root=tmp_path, target=LintTarget("ianvs", version)).findings

    assert sum("is a name from versions before 0.3" in each.text for each in found) == 2 * is_odd


def _incremental(
    folder: Path, *, paradigm: str = "incrementallearning", metric: str = "samples_transfer_ratio"
) -> Path:
    """A job of a paradigm that is not run here."""
    write(folder, acc_py=ACC, model_py=MODEL)
    url = algorithm(folder, "one", module("model", "./model.py"), paradigm=paradigm)
    metrics = [{"name": "acc", "url": "./acc.py"}, *([{"name": metric}] if metric != "acc" else [])]
    return job(folder, {"one": url}, metrics=metrics)


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
