"""A suite's file: what it may say, what is refused and where the error points."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.cli.suite_file import MOST_BYTES, SuiteFile, options_of_run, read_suite, schema
from benchwright.errors import BenchwrightError, UsageError
from benchwright.running.options import RunOptions
from kit.small_data import humaneval

WHOLE = """
out = "results"

[defaults]
n = 2
k = [1, 2]
stop = ["END"]

[defaults.body]
reasoning_effort = "low"

[[models]]
model = "openai:one"
base-url = "http://localhost:1/v1"
temperature = 0.25

[[models]]
name = "stored"
model = "replay:answers-{track}.jsonl"
tracks = ["e*"]

[[tracks]]
name = "en"
track = "humaneval"
data = "tasks.jsonl"
without-tasks = true

[[tracks]]
track = "ruhumaneval"
data = "hub:owner/name"
temperature = 0.5

[[fail-under]]
track = "e*"
measure = "pass@1"
value = 0.5
by = "low"
"""
MODELS = '[[models]]\nmodel = "gold:"\n'
TRACKS = '[[tracks]]\ntrack = "humaneval"\ndata = "tasks.jsonl"\n'


def suite(folder: Path, text: str) -> SuiteFile:
    """Read this text as a suite's file."""
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return read_suite(path)


def options(folder: Path, text: str) -> dict[str, RunOptions]:
    """By the name of the cell."""
    return {each.name: each.options for each in suite(folder, text).cells}


def test_each_model_is_run_on_each_track_that_it_names(tmp_path: Path) -> None:
    read = suite(tmp_path, WHOLE)

    assert [each.name for each in read.cells] == ["en/one", "ruhumaneval/one", "en/stored"]
    assert (read.name, read.out) == ("mine", tmp_path / "results")
    (threshold,) = read.thresholds
    assert (threshold.track, threshold.model, threshold.by, threshold.bound) == ("e*", "*", "low", 0.5)


def test_a_model_goes_before_a_track_and_that_before_the_defaults(tmp_path: Path) -> None:
    found = options(tmp_path, WHOLE)

    assert found["en/one"].asking.temperature == 0.25
    assert found["ruhumaneval/one"].asking.temperature == 0.25
    assert found["en/stored"].asking.temperature is None
    assert {each.n for each in found.values()} == {2}


def test_values_of_each_kind_reach_the_run(tmp_path: Path) -> None:
    found = options(tmp_path, WHOLE)["en/one"]

    assert found.ks == (1, 2) and found.asking.stop == ("END",)
    assert found.asking.body == {"reasoning_effort": "low"}
    assert not found.keep_tasks and options(tmp_path, WHOLE)["ruhumaneval/one"].keep_tasks


def test_files_are_found_beside_the_suite(tmp_path: Path) -> None:
    humaneval(tmp_path)
    (tmp_path / "answers-en.jsonl").write_text("")

    found = options(tmp_path, WHOLE)

    assert found["en/one"].data == str(tmp_path / "tasks.jsonl")
    assert found["en/stored"].model == f"replay:{tmp_path / 'answers-en.jsonl'}"
    assert found["ruhumaneval/one"].data == "hub:owner/name"


def test_without_an_out_the_runs_are_below_runs(tmp_path: Path) -> None:
    assert suite(tmp_path, MODELS + TRACKS).out == Path("runs/mine")


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("[[models", "invalid TOML", "toml.io"),
        (MODELS, "missing [[tracks]]", 'track = "…"'),
        (TRACKS, "missing [[models]]", 'model = "…"'),
        (MODELS + TRACKS + "[default]\nn = 1\n", "unknown key 'default'", "did you mean `defaults`?"),
        (
            MODELS + "temprature = 1\n" + TRACKS,
            "[[models]] 1 (gold): unknown key 'temprature'",
            "`temperature`",
        ),
        (MODELS + TRACKS + "out = 'x'\n", "[[tracks]] 1 (humaneval): unknown key 'out'", ""),
        ('[[models]]\nname = "x"\n' + TRACKS, "[[models]] 1: missing `model`", ""),
        ("[[models]]\nmodel = 3\n" + TRACKS, "`model` must be a string", ""),
        (MODELS + MODELS + TRACKS, "duplicate name 'gold'", 'name = "…"'),
        ("models = 3\n" + TRACKS, "models must be an array of tables", "[[models]]"),
        ("defaults = 3\n" + MODELS + TRACKS, "[defaults] must be a table", "[defaults]"),
        (MODELS + 'tracks = "x"\n' + TRACKS, "`tracks` of a model must be a list", ""),
        (MODELS + 'tracks = ["x"]\n' + TRACKS, "the suite has no runs", ""),
        (MODELS + TRACKS + 'n = "many"\n', "humaneval/gold: Invalid value for '--n'", "run --help"),
        (MODELS + TRACKS + "n = true\n", "`n` must be a string or a number", ""),
        (MODELS + TRACKS + "n = [1, 2]\n", "`n` must be a string or a number", ""),
        (MODELS + TRACKS + "without-tasks = 1\n", "`without-tasks` must be true or false", "= true"),
        (MODELS + TRACKS + 'weights = "x"\n', "humaneval/gold: --weights", "format="),
        (MODELS + TRACKS + "[[fail-under]]\nvalue = 1.0\n", "[[fail-under]]", "pass@1"),
        (MODELS + TRACKS + '[[fail-under]]\nmeasure = "x"\nvalue = "y"\n', "[[fail-under]]", "value = 0.6"),
        (MODELS + TRACKS + '[[fail-over]]\nmeasures = "x"\n', "unknown key 'measures'", "`measure`"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        suite(tmp_path, text)
    assert said in str(caught.value) and hint in (caught.value.hint or "")
    assert isinstance(caught.value, UsageError) or "mine.toml" in str(caught.value)


def test_a_file_that_is_no_small_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_suite(tmp_path / "absent.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        read_suite(tmp_path / "bytes.toml")
    (tmp_path / "large.toml").write_bytes(b"#" * (MOST_BYTES + 1))
    with pytest.raises(UsageError, match="exceeds 1,048,576 bytes"):
        read_suite(tmp_path / "large.toml")


def test_more_runs_than_anybody_means_are_refused(tmp_path: Path) -> None:
    models = "".join(f'[[models]]\nmodel = "gold:"\nname = "m{number}"\n' for number in range(40))
    tracks = "".join(f'[[tracks]]\ntrack = "humaneval"\nname = "t{number}"\n' for number in range(40))
    with pytest.raises(UsageError, match="exceed 1,000 runs"):
        suite(tmp_path, models + tracks)


@given(
    st.dictionaries(
        st.text(max_size=8), st.recursive(st.integers() | st.text(max_size=5), st.lists, max_leaves=4)
    )
)
def test_any_table_is_read_or_refused_in_words(
    tmp_path_factory: pytest.TempPathFactory, table: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    lines = [f"{_quoted(key)} = {_quoted(value)}" for key, value in table.items()]
    text = MODELS + "\n".join(lines) + "\n" + TRACKS
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    try:
        suite(folder, text)
    except BenchwrightError as error:
        assert error.message


def _quoted(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_quoted, value)) + "]"
    if isinstance(value, int):
        return str(value)
    return '"' + "".join(f"\\U{ord(sign):08x}" for sign in value if not 0xD800 <= ord(sign) < 0xE000) + '"'


def test_the_schema_takes_what_the_reader_takes() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    validator = jsonschema.Draft202012Validator(schema())

    validator.validate(tomllib.loads(WHOLE))
    for wrong in ("temprature = 1", 'n = "many"', "without-tasks = 1", "out = 'x'"):
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(tomllib.loads(MODELS + wrong + "\n" + TRACKS))


def test_the_schema_has_each_option_of_run() -> None:
    names = set(schema()["properties"]["defaults"]["properties"])

    assert names == set(options_of_run())
    assert {"data", "n", "temperature", "base-url", "judge", "limit", "profile"} <= names
    assert not {"model", "out", "json", "quiet", "fresh", "ask-only"} & names
