"""Reading a job's files: the message and the place of each unusual key."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import BenchwrightError, DataError, UsageError
from benchwright.interop.ianvs.job_reading import read_job
from benchwright.interop.ianvs.job_records import IanvsJob, combinations, job_cases
from benchwright.interop.ianvs.yaml_sections import PathRules
from kit.made_ianvs import ACC, MODEL, algorithm, job, module, small_job, write, write_lines, write_yaml

JOB = """\
benchmarkingjob:
  name: "small"
  workspace: "/home/somebody/ianvs/workspace"
  hard_example_mining_mode: "mining-then-inference"
  testenv: "/home/somebody/ianvs/env/testenv.yaml"
  test_object:
    type: "algorithms"
    algorithms:
      - name: "one"
        url: "./one.yaml"
  rank:
    sort_by: [ { "f1": "descend" }, { "acc": "down" } ]
    selected_dataitem:
      paradigms: [ "all" ]
      metrics: [ "f1", "acc" ]
"""
ENVIRONMENT = """\
testenv:
  dataset:
    train_url: "./data.jsonl"
    test_url: "./data.jsonl"
    val_url: "./data.jsonl"
  metrics:
    - name: "acc"
      url: "./acc.py"
  backend: "api"
"""


def read(path: Path, **mapped: str) -> IanvsJob:
    """The job, its paths relative to its folder."""
    return read_job(path, PathRules(path.parent, tuple(mapped.items())))


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A job as people have them: baked homes, names of old versions, dead keys."""
    write(tmp_path, acc_py=ACC, model_py=MODEL, job_yaml=JOB, env__testenv_yaml=ENVIRONMENT)
    write_lines(tmp_path / "data.jsonl", [{"question": "q", "answer": "A"}])
    algorithm(tmp_path, "one", module("model", "./model.py"))
    return tmp_path / "job.yaml"


def test_every_remark_says_where(written: Path) -> None:
    """File, line, problem and correction; the job is still read."""
    found = read_job(written, PathRules(written.parent, (("/home/somebody/ianvs", "."),)))
    folder = written.parent

    assert found.workspace == folder / "workspace" / "small"
    assert [(remark.place.removeprefix(f"{folder}/"), remark.text) for remark in found.remarks] == [
        (
            "job.yaml:4",
            "`benchmarkingjob.hard_example_mining_mode`: has no effect here: Ianvs reads it in the test environment",
        ),
        ("env/testenv.yaml:9", "`testenv.backend`: has no effect in singletasklearning"),
        ("env/testenv.yaml:5", "`testenv.dataset.val_url`: unused key of a data set"),
        ("env/testenv.yaml:4", "`test_url` is a name from versions before 0.3; Ianvs itself fails here"),
        ("env/testenv.yaml:3", "`train_url` is a name from versions before 0.3; Ianvs itself fails here"),
        ("job.yaml:12", "unknown metric 'f1'; not used for sorting"),
        ("job.yaml:12", "'down' is read as descend"),
        ("job.yaml:13", "no `modules`; all are used, Ianvs itself fails here"),
        ("job.yaml:13", "no `hyperparameters`; all are used, Ianvs itself fails here"),
        ("job.yaml:15", "unknown metric 'f1'; its column is empty"),
    ]
    assert all(remark.hint for remark in found.remarks)


def test_a_baked_home_is_seen_through(written: Path) -> None:
    """The hint is the option that mends it."""
    with pytest.raises(DataError) as caught:
        read(written)

    assert "job.yaml:5, field `benchmarkingjob.testenv`: no file at /home/somebody" in caught.value.message
    assert caught.value.hint == "--path-map /home/somebody/ianvs=."


def _without(key: str) -> Any:
    return lambda text: "\n".join(line for line in text.splitlines() if key not in line)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("job.yaml", '  name: "small"', "  nam: small", "field `benchmarkingjob`: missing key `name`"),
        (
            "job.yaml",
            'name: "small"',
            "name: 7",
            "job.yaml:2, field `benchmarkingjob.name`: must be text, not 7",
        ),
        (
            "job.yaml",
            '"algorithms"',
            '"models"',
            'job.yaml:7, field `benchmarkingjob.test_object.type`: must be "algorithms"',
        ),
        ("job.yaml", "benchmarkingjob:", "job:", "missing key `benchmarkingjob`"),
        ("job.yaml", "  rank:", "  rank: [", "job.yaml:13: invalid YAML"),
        ("job.yaml", '- name: "one"', "- 7", "invalid YAML"),
        ("env/testenv.yaml", '    - name: "acc"', "    - nome: acc", "missing key `name`"),
        (
            "env/testenv.yaml",
            'url: "./acc.py"',
            'url: "./bcc.py"',
            "testenv.yaml:8, field `testenv.metrics[0].url`: no file",
        ),
        ("env/testenv.yaml", '      url: "./acc.py"', "", "unknown built-in metric: 'acc'"),
        ("env/testenv.yaml", "test_url", "tests_url", "missing test data"),
        ("one.yaml", '"basemodel"', '"edgemodel"', "singletasklearning requires a module of type basemodel"),
    ],
)
def test_what_is_wrong_is_named(written: Path, file: str, old: str, new: str, message: str) -> None:
    """With file, line and key, before anything runs."""
    path = written.parent / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        read_job(written, PathRules(written.parent, (("/home/somebody/ianvs", "."),)))

    assert message in caught.value.message and caught.value.hint


@pytest.mark.parametrize(
    ("paradigm", "changed", "message"),
    [
        ("lifelonglearning", {}, "unsupported paradigm: 'lifelonglearning'"),
        ("incrementallearning", {}, "unsupported paradigm: 'incrementallearning'"),
        ("multiedgeinference", {}, "unsupported paradigm: 'multiedgeinference'"),
        ("singletasklearning_tta", {}, "unsupported paradigm: 'singletasklearning_tta'"),
        ("singletasklearning", {"mode": "with_compression"}, "unsupported mode: 'with_compression'"),
    ],
)
def test_what_is_not_run_here(tmp_path: Path, paradigm: str, changed: Any, message: str) -> None:
    """Refused by name, with exit code 2."""
    write(tmp_path, acc_py=ACC, model_py=MODEL)
    url = algorithm(tmp_path, "one", module("model", "./model.py"), paradigm=paradigm, **changed)
    with pytest.raises(UsageError, match=message) as caught:
        read(job(tmp_path, {"one": url}))

    assert (caught.value.exit_code, "one.yaml:" in caught.value.message) == (2, True)


@pytest.mark.parametrize("name", ["BWT", "samples_transfer_ratio"])
def test_metrics_of_other_paradigms(tmp_path: Path, name: str) -> None:
    """They measure what no paradigm here has."""
    with pytest.raises(UsageError, match=f"the metric {name} applies to lifelong and incremental learning"):
        read(small_job(tmp_path, metrics=[{"name": name}]))


def test_hyperparameters_of_other_files(tmp_path: Path) -> None:
    """Those of the files are the same in all cases, unless they are varied."""
    write(tmp_path, acc_py=ACC, model_py=MODEL)
    write_yaml(tmp_path / "more.yaml", {"lr": 1, "size": 8})
    body = module("model", "./model.py", lr=[0.1, 0.2])
    body["hyperparameters"].append({"other_hyperparameters": {"values": ["./more.yaml"]}})
    planned = list(job_cases(read(job(tmp_path, {"one": algorithm(tmp_path, "one", body)}))))

    assert [case.modules[0].hyperparameters for case in planned] == [
        {"lr": 0.1, "size": 8},
        {"lr": 0.2, "size": 8},
    ]
    assert planned[1].hyperparameters == {"basemodel-lr": "0.2", "basemodel-size": "8"}


@pytest.mark.parametrize(
    ("name", "message"), [("own", ""), ("../up", r"one.yaml:\d+, field .*has a slash in it")]
)
def test_a_name_in_the_algorithms_file(tmp_path: Path, name: str, message: str) -> None:
    """As in Ianvs, it replaces the name in the job. It becomes a folder, so not every name can be."""
    write(tmp_path, acc_py=ACC, model_py=MODEL)
    url = algorithm(tmp_path, "one", module("model", "./model.py"))
    written = json.loads((tmp_path / url).read_text())
    written["algorithm"]["name"] = name
    write_yaml(tmp_path / url, written)
    path = job(tmp_path, {"listed": url})

    if message:
        with pytest.raises(DataError, match=message):
            read(path)
        return
    found = read(path)
    assert found.algorithms[0].name == name
    assert not any("algorithm.name" in remark.text for remark in found.remarks)


def test_data_by_precedence(tmp_path: Path) -> None:
    """An index before data before metadata, as in Ianvs; a format that is not read is refused."""
    write_lines(tmp_path / "d.jsonl", [])
    (tmp_path / "i.txt").touch()
    (tmp_path / "d.csv").touch()
    both = {"test_data": "./d.jsonl", "test_index": "./i.txt"}

    assert read(small_job(tmp_path, dataset=both)).environment.test.kind == "txt"
    with pytest.raises(UsageError, match=r"d.csv is not a .txt, .jsonl, .json or metadata.json file"):
        read(small_job(tmp_path, dataset={"test_data": "./d.csv"}))
    write_yaml(tmp_path / "metadata.json", {})
    with pytest.raises(DataError, match=r"no data.jsonl next to"):
        read(small_job(tmp_path, dataset={"test_data_info": "./metadata.json"}))


def test_a_job_without_rank(tmp_path: Path) -> None:
    """Ianvs fails after the last case; here it is a remark and everything is shown."""
    path = small_job(tmp_path)
    path.write_text(path.read_text().replace('"rank"', '"runk"'))
    found = read(path)

    assert (found.rank.sort_by, found.rank.all_rows) == ([], True)
    assert [remark.hint for remark in found.remarks] == ["did you mean `rank`?", "add `rank: {sort_by: []}`"]


@given(
    st.lists(
        st.tuples(st.text(min_size=1), st.lists(st.integers(), max_size=3)),
        max_size=4,
        unique_by=lambda each: each[0],
    )
)
def test_the_last_name_varies_fastest(varied: list[tuple[str, list[int]]]) -> None:
    """As many choices as the product says, each once in the order of its positions."""
    found = combinations(varied)
    size = 1
    for _, values in varied:
        size *= len(values)

    assert len(found) == size
    if found and varied:
        name, values = varied[-1]
        assert [each[name] for each in found] == values * (size // len(values))


@given(st.text(alphabet="ab:-[]{}&*!\"' \n#", max_size=60))
def test_no_file_is_too_odd(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """It is refused with a message."""
    path = tmp_path_factory.mktemp("y") / "job.yaml"
    path.write_text(text)
    with pytest.raises(BenchwrightError):
        read(path)


BAD_NAMES = [
    ("a/b", "has a slash in it", "a_b"),
    ("../../up", "has a slash in it", "up"),
    ("..", "begins with a dot", "name"),
    (".lock", "begins with a dot", "lock"),
    ("edge.json", "a file has this name", "edge.json"),
    ("a\u001b[31m", "unprintable characters", "a_[31m"),
    ("a\u202eb", "unprintable characters", "a_b"),
    ("x" * 201, "it has 201 bytes", "x" * 40),
]


@pytest.mark.parametrize(("name", "why", "better"), BAD_NAMES)
@pytest.mark.parametrize("whose", ["job", "algorithm"])
def test_a_name_that_can_be_no_folder(tmp_path: Path, whose: str, name: str, why: str, better: str) -> None:
    """Refused with its place before anything is made, and a name that can be is shown."""
    path = small_job(tmp_path)
    old, line = ("small", 3) if whose == "job" else ("always", 10)
    path.write_text(path.read_text().replace(f'"name": "{old}"', f'"name": {json.dumps(name)}'))

    with pytest.raises(DataError, match=rf"job.yaml:{line}, field .*name`: .* {re.escape(why)}") as caught:
        read(path)
    assert caught.value.hint == f'write `name: "{better}"`'
    assert str(caught.value).isprintable() or "\n" in str(caught.value)
