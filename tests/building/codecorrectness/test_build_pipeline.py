"""A whole build of small repositories: every drop named, nothing executed twice, equal bytes each time."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pygit2
import pytest

from benchwright.building.codecorrectness import publish_rows
from benchwright.building.codecorrectness.options import BuildOptions, RowBounds
from benchwright.building.codecorrectness.pipeline import CorrectnessBuild, build
from benchwright.building.codecorrectness.publish_rows import FILES
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.building.codecorrectness.verification import verify
from benchwright.errors import DataError, PrerequisiteError, RunError, UsageError
from benchwright.executing.suite_runners import Runners
from benchwright.progress import Silent, Watcher
from benchwright.records import Drop, Outcome
from benchwright.store.writing import read_records
from benchwright.tracks.correctness.rows import own_prompt
from benchwright.tracks.correctness.track import TRACK
from kit.fake_suites import FakeGo, FakeJava, FakeSuites
from kit.made_candidates import funnel_faults
from kit.made_repositories import MIT, cases_of, function, repository

_FAKES = {"Python": FakeSuites, "Java": FakeJava, "Go": FakeGo}
_WIDE = RowBounds(likeness=1.0)
_GO = {
    "sum.go": "package sums\n\nfunc Sum(a, b int) int { return a + b }\n",
    "sum_test.go": 'package sums\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n'
    '\tif Sum(1, 2) != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n',
}


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    FakeSuites.executed.clear()
    yield
    FakeSuites.executed.clear()
    FakeSuites.stop_after = None


def _module(name: str, remark: str = "") -> dict[str, str]:
    return {
        f"{name}.py": function(name, remark=remark),
        f"test_{name}.py": cases_of(name, name, "small", "large"),
    }


def _clones(folder: Path) -> Path:
    """A good repository, one of every bad kind, and one that fails by itself."""
    repository(folder / "good", {"LICENSE": MIT, **_module("alpha"), **_module("beta"), **_module("gamma")})
    repository(folder / "nolicence", _module("delta"))
    bad = {
        "latin.py": function("latin"),
        "test_latin.py": b"from latin import latin\n\n\ndef test_caf\xe9():\n    pass\n",
        "test_alone.py": "def test_alone():\n    assert True\n",
        "empty.py": "x = 1\n",
        "test_empty.py": "import empty\n",
        "torn.py": "x = 1\n",
        "test_torn.py": "import torn\n\n\ndef test_x(:\n",
    }
    repository(folder / "bad", {"LICENSE": MIT, **bad})
    ends = ("flaky", "environment", "timeout", "import", "tampered", "sandbox_error", "assertion")
    made = {path: text for end in ends for path, text in _module(f"end_{end[:4]}", f"ends: {end}").items()}
    repository(folder / "ends", {"LICENSE": MIT, **made})
    repository(folder / "words", {"LICENSE": MIT, "README.md": "no code"})
    pygit2.init_repository(str(folder / "void"))
    return folder


def _build(
    folder: Path, *, name: str = "out", watch: Watcher | None = None, **options: Any
) -> CorrectnessBuild:
    given = {"sources": (str(folder / "clones"),), "repeat": 3, "bounds": _WIDE, "broken": 0, **options}
    runners = Runners(lambda lang: _FAKES[lang]())
    return build(BuildOptions(**given), folder / name, runners=runners, watch=watch)


def _dropped(built: CorrectnessBuild) -> dict[str, dict[str, int]]:
    return {each.stage: each.dropped for each in built.levels}


def _rows(built: CorrectnessBuild) -> list[dict[str, Any]]:
    folder = Path(built.folder)
    files = [json.loads((folder / name).read_text()) for name in ("test.json", "shots.json")]
    return [row for document in files for row in document["data"]]


def test_a_whole_build(tmp_path: Path) -> None:
    """Every bad repository, file and case ends as a named drop; the rest is balanced rows."""
    _clones(tmp_path / "clones")
    built = _build(tmp_path)
    dropped = _dropped(built)

    assert (dropped["collect"], funnel_faults(built.levels)) == ({"empty": 1}, [])
    assert dropped["pair"] == {"licence_unknown": 1, "no_focal_file": 1, "no_tests": 1, "test_not_utf8": 1}
    assert dropped["cases"] == {"no_cases": 1, "test_syntax": 1}
    assert dropped["label"] == {
        "environment": 2,
        "fails_by_import": 2,
        "fails_by_timeout": 2,
        "flaky": 2,
        "sandbox_error": 2,
        "tampered": 2,
    }
    assert dropped["mutate"] == {"fails_already": 2}
    assert Counter(row["outputs"] for row in _rows(built)) == {"failed": 4, "success": 4}


def test_what_is_published_is_what_the_track_reads(tmp_path: Path) -> None:
    """One set of prompts and one reader: each row comes back with its instruction and its wording's name."""
    _clones(tmp_path / "clones")
    built = _build(tmp_path)
    rows = json.loads((tmp_path / "out/test.json").read_text())["data"]
    tasks = list(TRACK.load(tmp_path / "out/codecorrectness.jsonl"))
    meta = json.loads((tmp_path / "out/raw_dataset_meta.json").read_text())

    assert [TRACK.to_row(task) for task in tasks] == rows
    assert Counter((own_prompt(task), task.outputs) for task in tasks) == Counter(
        (f"ru2-{number:02}", label) for number in (1, 2, 3, 4) for label in ("success", "failed")
    )
    assert {task.instruction for task in tasks} <= set(meta["prompts"])
    assert (len(meta["prompts"]), "absent" in built.manifest["shape"]) == (11, True)
    assert "A shape baseline needs two labels" in (tmp_path / "out/README.md").read_text()


def test_a_tell_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where shape guesses labels, the manifest and the card say how well, and the card says it is a warning."""
    _clones(tmp_path / "clones")
    tell = {"value": 0.8, "low": 0.7, "high": 0.9, "n": 40, "samples": 1}
    shape = {
        "folds": 5,
        "exact_match": tell,
        "majority": {"label": "failed", "exact_match": tell},
        "warning": "lengths alone guess <80> %",
    }
    monkeypatch.setattr(publish_rows, "layout_document", lambda _pairs: shape)
    built = _build(tmp_path)
    card = (tmp_path / "out/README.md").read_text()

    assert built.manifest["shape"] == shape
    assert "| shape of the files alone | 80.0 % | 70.0–90.0 |" in card
    assert "**Warning**: lengths alone guess \\<80\\> %." in card


def test_every_drop_is_on_disk(tmp_path: Path) -> None:
    """With what was dropped and why: nothing is only a number."""
    _clones(tmp_path / "clones")
    built = _build(tmp_path)
    stored = {
        path.name.split("-")[1].split(".")[0]: list(read_records(path, Drop))
        for path in (tmp_path / "out/stages").glob("*.dropped.jsonl")
    }

    assert {stage: len(drops) for stage, drops in stored.items()} == {
        each.stage: sum(each.dropped.values()) for each in built.levels
    }
    assert [drop.unit for drop in stored["pair"] if drop.reason == "test_not_utf8"] == ["bad:test_latin.py"]


def test_rows_have_meras_shape(tmp_path: Path) -> None:
    """Ids from 1 through test and shots, prompts by number and evenly, fields as MERA's validator wants them."""
    _clones(tmp_path / "clones")
    built = _build(tmp_path)
    rows, meta = _rows(built), json.loads((tmp_path / "out/raw_dataset_meta.json").read_text())
    required = "dataset_name modalities data_example data_field_descriptions prompts metrics skills license"

    assert ([row["meta"]["id"] for row in rows], {row["outputs"] for row in rows}) == (
        list(range(1, len(rows) + 1)),
        {"success", "failed"},
    )
    assert (set(required.split()) <= set(meta), len(meta["prompts"]) >= 10, meta["license"]) == (
        True,
        True,
        "[MIT](https://spdx.org/licenses/MIT.html)",
    )
    assert {row["instruction"] for row in rows} == set(meta["prompts"][:4])
    assert all(
        "{focal_code}" not in prompt.format(**rows[0]["inputs"]) and "success" in prompt
        for prompt in meta["prompts"]
    )


def test_a_mutated_row_says_what_was_changed(tmp_path: Path) -> None:
    """Name of the change and the row it came from; the label is what was executed."""
    repository(tmp_path / "clones/good", {"LICENSE": MIT, **_module("alpha")})
    rows = _rows(_build(tmp_path))
    mutated = [row for row in rows if row["meta"]["subset"] == "mutated"]
    (labelled,) = (tmp_path / "out/stages").glob("*-label.jsonl")
    parents = {each.revision: each for each in read_records(labelled, Candidate)}

    assert {(row["outputs"], row["meta"]["pass_rate"]) for row in mutated} == {
        ("failed", 0.0),
        ("success", 1.0),
    }
    for row in mutated:
        assert row["inputs"]["focal_code"] != parents[row["meta"]["parent"]].focal_code
        assert row["inputs"]["test_code"] == parents[row["meta"]["parent"]].test_code
        assert row["meta"]["mutation"]


def test_one_case_a_row(tmp_path: Path) -> None:
    """Siblings are gone from the text, and no gap tells of them."""
    repository(tmp_path / "clones/good", {"LICENSE": MIT, **_module("alpha")})
    tests = [row["inputs"]["test_code"] for row in _rows(_build(tmp_path))]

    assert {test.count("def test_") for test in tests} == {1}
    assert not any("\n\n\n\n" in test for test in tests)


def test_the_manifest_and_its_hashes(tmp_path: Path) -> None:
    """Commits, licences, toolchains, counts, and a hash of each file; no path of this machine."""
    _clones(tmp_path / "clones")
    built = _build(tmp_path)
    out, text = tmp_path / "out", (tmp_path / "out/manifest.json").read_text()
    hashes = {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in FILES}
    sources = {
        each["name"]: (len(each["commit"]), each["licence"]) for each in built.manifest["repositories"]
    }

    assert (json.loads(text)["sha256"], json.loads(text)["toolchains"]) == (
        hashes,
        {"Python": {"python": "1.0"}},
    )
    assert (
        sources,
        [path.name for path in out.iterdir() if path.is_file() and str(tmp_path) in path.read_text()],
    ) == (
        {"good": (40, "MIT"), "ends": (40, "MIT")},
        ["build.json"],
    )


def test_shots_have_both_labels_alike(tmp_path: Path) -> None:
    """Both or none: the labels of the rows that stay are as even as before."""
    names = [f"module_{letter}" for letter in "abcdefghij"]
    files = {path: text for name in names for path, text in _module(name).items()}
    repository(tmp_path / "clones/good", {"LICENSE": MIT, **files})
    _build(tmp_path)
    shots = json.loads((tmp_path / "out/shots.json").read_text())["data"]
    rows = json.loads((tmp_path / "out/test.json").read_text())["data"]
    labels = [Counter(row["outputs"] for row in part) for part in (shots, rows)]

    assert labels == [{"success": 1, "failed": 1}, {"success": 11, "failed": 11}]


def test_the_card_tells_the_funnel(tmp_path: Path) -> None:
    """Rows, sources, how labels were made, and what was left out with its reason."""
    _clones(tmp_path / "clones")
    _build(tmp_path)
    card = (tmp_path / "out/README.md").read_text()

    wanted = (
        "8 rows in `test.json`",
        "0 in `shots.json`",
        "| good |",
        "executed 3 times",
        "1 test_not_utf8",
    )

    assert [words for words in wanted if words not in card] == []


def test_nothing_is_done_twice(tmp_path: Path) -> None:
    """The same command again executes nothing and leaves the same bytes, but for failed sandboxes."""
    repository(tmp_path / "clones/good", {"LICENSE": MIT, **_module("alpha"), **_module("beta")})
    _build(tmp_path)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.*")}
    executed = len(FakeSuites.executed)
    _build(tmp_path)
    after = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.*")}

    assert (after, len(FakeSuites.executed), len(set(FakeSuites.executed)) > 1) == (before, executed, True)


@pytest.mark.parametrize("stop", [1, 5, 11, 17])
def test_a_killed_build_goes_on(tmp_path: Path, stop: int) -> None:
    """Wherever it ended: the same rows as without the end, and as many executions."""
    repository(tmp_path / "clones/good", {"LICENSE": MIT, **_module("alpha"), **_module("beta")})
    whole = _rows(_build(tmp_path, name="whole"))
    needed = len(FakeSuites.executed)
    FakeSuites.executed.clear()
    FakeSuites.stop_after = stop
    with pytest.raises(KeyboardInterrupt):
        _build(tmp_path)
    FakeSuites.stop_after = None
    rows = _rows(_build(tmp_path))

    assert (rows, len(FakeSuites.executed)) == (whole, needed)


def test_a_missing_toolchain_drops_its_rows(tmp_path: Path) -> None:
    """By name, and the other languages are built; once it is there, only its rows are executed."""
    repository(tmp_path / "clones/good", {"LICENSE": MIT, **_module("alpha"), **_GO})
    built = _build(tmp_path)
    before = len(FakeSuites.executed)

    assert (_dropped(built)["label"], [each.lang for each in built.absent]) == ({"absent": 1}, ["Go"])

    runners = Runners(lambda lang: FakeSuites())
    options = BuildOptions(sources=(str(tmp_path / "clones"),), repeat=3, bounds=_WIDE, broken=0)
    again = build(options, tmp_path / "out", runners=runners)

    assert (_dropped(again)["label"], "package sums" in FakeSuites.executed[before][0]) == ({}, True)


def test_no_toolchain_at_all(tmp_path: Path) -> None:
    """The error is what to install, not that no row is left; the funnel is there all the same."""
    repository(tmp_path / "clones/good", {"LICENSE": MIT, **_GO})
    with pytest.raises(PrerequisiteError) as caught:
        _build(tmp_path)

    assert (caught.value.hint, (tmp_path / "out/funnel.json").exists()) == ("apt-get install golang-go", True)


def test_no_row_left(tmp_path: Path) -> None:
    """A build that comes to nothing says where the reasons are."""
    repository(tmp_path / "clones/bad", {"LICENSE": MIT, "README.md": "no code"})
    with pytest.raises(DataError) as caught:
        _build(tmp_path)
    funnel = json.loads((tmp_path / "out/funnel.json").read_text())["stages"]

    assert ("no row left" in caught.value.message, funnel[1]["dropped"]) == (True, {"no_tests": 1})


def test_what_was_built_verifies(tmp_path: Path) -> None:
    """Every published label holds when the data set is verified."""
    _clones(tmp_path / "clones")
    _build(tmp_path)
    runners = Runners(lambda lang: _FAKES[lang]())
    report = verify(tmp_path / "out/test.json", out=tmp_path / "verified", repeat=2, runners=runners)

    assert (report.agreement, report.counts["agrees"]) == (1.0, report.rows)


def test_one_commit_in_two_clones(tmp_path: Path) -> None:
    """It is one repository."""
    repository(tmp_path / "clones/one", {"LICENSE": MIT, **_module("alpha")})
    repository(tmp_path / "clones/two", {"LICENSE": MIT, **_module("alpha")})

    assert _dropped(_build(tmp_path))["collect"] == {"same_commit": 1}


def test_max_rows(tmp_path: Path) -> None:
    """No more than asked for, and as many of both labels."""
    _clones(tmp_path / "clones")
    built = _build(tmp_path, max_rows=5)

    assert (built.manifest["labels"], _dropped(built)["balance"]["over_max_rows"]) == (
        {"failed": 2, "success": 2},
        10,
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"repeat": 1}, "--repeat 1"),
        ({"max_rows": 1}, "--max-rows 1"),
        ({"sources": ()}, "no source given"),
        ({"mutants_tried": 0}, "--mutants-tried 0"),
        ({"mutants_kept": 0}, "--mutants-kept 0"),
    ],
)
def test_what_cannot_be_meant(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    """It is refused before anything is written."""
    with pytest.raises(UsageError, match=said):
        _build(tmp_path, **options)

    assert not (tmp_path / "out").exists()


def test_other_options_need_another_folder(tmp_path: Path) -> None:
    """Rows of two builds are never mixed."""
    repository(tmp_path / "clones/good", {"LICENSE": MIT, **_module("alpha")})
    _build(tmp_path)
    with pytest.raises(RunError, match="repeat differ"):
        _build(tmp_path, repeat=4)


def test_every_long_stage_is_watched(tmp_path: Path) -> None:
    """Each counts what it reads up to its end; executions of this command are not called an earlier one's."""
    repository(tmp_path / "clones/good", {"LICENSE": MIT, **_module("alpha"), **_module("beta")})
    watch = Counting()
    _build(tmp_path, watch=watch)

    assert [name for name, *_ in watch.stages][:6] == ["collect", "pair", "history", "cases", "tag", "filter"]
    assert [(total, done) for _, total, done in watch.stages] == [(each, each) for _, each, _ in watch.stages]
    assert watch.earlier == 0


class Counting(Silent):
    """Remembers the stages with what they were to count and did."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, int, int]] = []
        self.earlier = 0

    def begin(self, stage: str, total: int, done: int) -> None:
        """One more stage."""
        self.stages.append((stage, total, done))
        self.earlier += done

    def tick(self, outcome: Outcome | None) -> None:
        """One more of what it counts."""
        name, total, done = self.stages.pop()
        self.stages.append((name, total, done + 1))
