"""Exports from a release and from runs: configurations, splits, golden files, two equal exports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.building.alignment.exports.training_export import RECIPES, export_training
from benchwright.errors import DataError, RunError, UsageError
from benchwright.interop.training.folder_check import check_training
from benchwright.interop.training.row_types import FORMS
from kit.made_alignment import made_release, remark
from kit.made_runs import finished_run
from kit.small_data import humaneval, humaneval_row, write

GOLDEN = Path(__file__).parent / "golden"
ANSWERS = {
    "Small/0": [("    return x\n", "passed"), ("    return x - 1\n", "wrong")],
    "Small/1": [("    return 0\n", "exception"), ("", "model_error"), ("    return 0\n", "exception")],
    "Small/2": [("    return x + 2\n", "passed"), ("    import os\n", "tampered")],
}


def made_run(folder: Path, data: Path | None = None) -> Path:
    """A run on tasks of our own."""
    folder.mkdir(exist_ok=True)
    return finished_run(folder / "mine", data or humaneval(folder), ANSWERS, missing=1)


def exported(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of each configuration."""
    return {
        path.parent.name: [json.loads(line) for line in path.read_bytes().splitlines()]
        for path in sorted((folder / "jsonl").glob("*/train.jsonl"))
    }


GOLDEN_FORMS = [
    *(("trl", form) for form in FORMS),
    *((name, "conversational") for name in ("sharegpt", "chat", "ianvs")),
]


@pytest.mark.parametrize(("name", "form"), GOLDEN_FORMS)
def test_each_format_is_as_stored(tmp_path: Path, name: str, form: Any) -> None:
    """Of a release and a run. A change of a format shows in the stored files."""
    sources = [made_release(tmp_path / "release"), made_run(tmp_path / "runs")]
    export_training(sources, tmp_path / "out", file_format=name, form=form)
    rows = [{"config": key, **row} for key, each in exported(tmp_path / "out").items() for row in each]
    stored = (GOLDEN / f"{name}-{form}.jsonl").read_text().splitlines()

    assert rows == [json.loads(line) for line in stored]


@pytest.mark.parametrize("form", FORMS)
def test_two_exports_have_equal_bytes_and_keep_the_contract(tmp_path: Path, form: Any) -> None:
    sources = [made_release(tmp_path / "release"), made_run(tmp_path / "runs")]
    found = []
    for name in ("one", "two"):
        export_training(sources, tmp_path / name, form=form)
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        found.append({path.relative_to(tmp_path / name): path.read_bytes() for path in files})

    assert found[0] == found[1]
    assert any(path.suffix == ".parquet" for path in found[0])
    assert check_training(tmp_path / "one").errors == []


def test_test_repositories_are_left_out_unless_allowed(tmp_path: Path) -> None:
    release = made_release(tmp_path / "release")
    without = export_training([release], tmp_path / "a", recipes=["refine-sft"])
    allowed = export_training([release], tmp_path / "b", recipes=["refine-sft"], allow_test=True)

    assert without.configurations["refine-sft"].rows == {"train": 2}
    assert without.configurations["refine-sft"].dropped["test_split"] == 1
    assert allowed.configurations["refine-sft"].rows == {"test": 1, "train": 2}


def test_a_family_stands_for_its_recipes(tmp_path: Path) -> None:
    done = export_training(
        [made_release(tmp_path / "release")], tmp_path / "out", recipes=["refine", "refine-sft"]
    )

    assert list(done.configurations) == ["refine-sft", "refine-dpo"]


def test_equal_ids_are_one_row(tmp_path: Path) -> None:
    release = made_release(tmp_path / "release", feedback=[remark(1, "Fix it."), remark(1, "Fix it.")])
    done = export_training([release], tmp_path / "out", recipes=["refine-sft"])

    assert (done.configurations["refine-sft"].rows, done.configurations["refine-sft"].dropped) == (
        {"train": 1},
        {"duplicate_id": 1},
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"recipes": ["refin"]}, "unknown recipe: refin"),
        ({"recipes": ["iterations-prm"]}, "which is standard"),
        ({"recipes": ["agent-sft"], "form": "standard"}, "which is conversational"),
        ({"recipes": ["executed-dpo"]}, "needs a run"),
        ({"recipes": ["addressed-kto"], "file_format": "chat"}, "cannot hold addressed-kto"),
    ],
)
def test_a_recipe_that_does_not_fit_is_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        export_training([made_release(tmp_path / "release")], tmp_path / "out", **options)

    assert caught.value.hint
    assert not (tmp_path / "out").exists()


def test_an_export_without_a_row_is_refused_with_its_reasons(tmp_path: Path) -> None:
    release = made_release(tmp_path / "release", links=[])
    with pytest.raises(DataError, match="7 not answered"):
        export_training([release], tmp_path / "out", recipes=["refine-sft"])


def test_a_damaged_record_is_named_by_its_line(tmp_path: Path) -> None:
    release = made_release(tmp_path / "release")
    with (release / "data" / "feedback" / "made.jsonl").open("ab") as file:
        file.write(b'{"id": 3}\n')
    with pytest.raises(DataError) as caught:
        export_training([release], tmp_path / "out", recipes=["refine"])

    assert (Path(str(caught.value.path)).name, caught.value.line) == ("made.jsonl", 10)


def test_another_folder_is_not_a_release(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a release"):
        export_training([tmp_path], tmp_path / "out")


def test_executed_answers_become_pairs_and_labels(tmp_path: Path) -> None:
    """Equal texts count once; cheats, and answers that are missing, not at all."""
    done = export_training([made_run(tmp_path)], tmp_path / "out", form="standard")
    rows = exported(tmp_path / "out")

    assert [(row["chosen"], row["rejected"]) for row in rows["executed-dpo"]] == [
        ("    return x\n", "    return x - 1\n")
    ]
    assert [row["label"] for row in rows["executed-kto"]] == [True, False, False, True]
    assert done.configurations["executed-dpo"].dropped == {"none_failed": 1, "none_passed": 1}


def test_runs_on_tests_are_refused_unless_allowed(tmp_path: Path) -> None:
    """By the name of the file, by a canary, and by the split of a task."""
    marked = {
        "named": write(tmp_path / "test.jsonl", map(humaneval_row, range(3))),
        "canary": write(tmp_path / "a.jsonl", (humaneval_row(n, canary="benchwright:1") for n in range(3))),
        "split": write(tmp_path / "b.jsonl", (humaneval_row(n, split="test") for n in range(3))),
    }
    for name, data in marked.items():
        run = made_run(tmp_path / name, data)
        with pytest.raises(UsageError, match=r"test split|canary") as caught:
            export_training([run], tmp_path / "out")
        assert "--allow-test" in str(caught.value.hint)
        assert export_training([run], tmp_path / f"out-{name}", allow_test=True).files


def test_a_run_without_its_tasks_is_refused(tmp_path: Path) -> None:
    run = made_run(tmp_path)
    (tmp_path / "tasks.jsonl").unlink()
    with pytest.raises(RunError, match="keeps no tasks"):
        export_training([run], tmp_path / "out")


def test_each_recipe_has_a_source() -> None:
    assert all(each.of_release or each.of_runs for each in RECIPES.values())
