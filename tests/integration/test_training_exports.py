"""Training exports as trainers read them: `datasets` loads them, and TRL trains one step on each type."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from kit.command_line import called
from kit.made_alignment import made_release

# Warnings of the trainers about each other are not ours.
pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("default")]

STEP: dict[str, Any] = {
    "max_steps": 1,
    "per_device_train_batch_size": 2,
    "report_to": [],
    "use_cpu": True,
    "save_strategy": "no",
    "logging_strategy": "steps",
    "logging_steps": 1,
    "bf16": False,
}


@pytest.fixture(scope="module", params=["standard", "conversational"])
def export(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export of all recipes in one form."""
    folder = tmp_path_factory.mktemp(request.param)
    release = made_release(folder / "release")
    exported = called("export", "training", release, "--form", request.param, "--out", folder / "out")
    assert exported.code == 0, exported.err
    return folder / "out"


def loaded(folder: Path, name: str) -> Any:
    """The split `train` of a configuration."""
    import datasets

    return datasets.load_dataset(str(folder), name, split="train", cache_dir=str(folder.parent / "cache"))


def stated(folder: Path) -> dict[str, Any]:
    """The features that the card states, by configuration."""
    import datasets

    head = (folder / "README.md").read_text().split("---\n")[1]
    infos = yaml.safe_load(head)["dataset_info"]
    return {each["config_name"]: datasets.Features._from_yaml_list(each["features"]) for each in infos}


def test_each_configuration_loads_with_the_stated_features(export: Path) -> None:
    """Features, columns and the number of rows are those of card and manifest."""
    import datasets

    manifest = json.loads((export / "manifest.json").read_text())
    features = stated(export)
    names = datasets.get_dataset_config_names(str(export))

    assert set(names) == {*manifest["configurations"], "meta"}
    for name, each in manifest["configurations"].items():
        rows = loaded(export, name)
        assert (rows.features, rows.column_names) == (features[name], each["columns"])
        assert len(rows) == each["rows"]["train"]


def test_json_lines_have_the_features_of_the_tables(export: Path) -> None:
    """Values are equal whichever file is read."""
    import datasets

    for name in json.loads((export / "manifest.json").read_text())["configurations"]:
        table = loaded(export, name)
        lines = datasets.load_dataset(
            "json",
            data_files=str(export / "jsonl" / name / "train.jsonl"),
            split="train",
            features=table.features,
            cache_dir=str(export.parent / "cache"),
        )
        assert lines.to_list() == table.to_list()


def test_provenance_joins_each_row(export: Path) -> None:
    """`meta` has one row for each row, by configuration and position."""
    manifest = json.loads((export / "manifest.json").read_text())
    places = [(row["config"], row["row"]) for row in loaded(export, "meta")]

    assert sorted(places) == sorted(
        (name, at) for name, each in manifest["configurations"].items() for at in range(each["rows"]["train"])
    )


def trained(trainer: Any) -> float:
    """The loss of one step."""
    trainer.train()
    return float(next(each["loss"] for each in trainer.state.log_history if "loss" in each))


def model_and_tokenizer(folder: Path) -> dict[str, Any]:
    """The arguments of a trainer."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    return {
        "model": AutoModelForCausalLM.from_pretrained(folder),
        "processing_class": AutoTokenizer.from_pretrained(folder),
    }


@pytest.mark.parametrize(
    "name", ["refine-sft", "review-sft", "commit-sft", "comments-sft", "issues-sft", "repair-sft"]
)
def test_sft_trains_a_step(export: Path, tiny_model: Path, tmp_path: Path, name: str) -> None:
    """On prompt and completion, in both forms."""
    from trl import SFTConfig, SFTTrainer

    config = SFTConfig(output_dir=str(tmp_path), **STEP)
    trainer = SFTTrainer(args=config, train_dataset=loaded(export, name), **model_and_tokenizer(tiny_model))

    assert trained(trainer) > 0


@pytest.mark.parametrize("name", ["refine-dpo", "repair-dpo"])
def test_dpo_trains_a_step(export: Path, tiny_model: Path, tmp_path: Path, name: str) -> None:
    """On preferences, in both forms."""
    from trl import DPOConfig, DPOTrainer

    config = DPOConfig(output_dir=str(tmp_path), **STEP)
    rows = loaded(export, name)
    trainer = DPOTrainer(args=config, train_dataset=rows, **model_and_tokenizer(tiny_model))

    assert trained(trainer) > 0


def test_kto_trains_a_step(export: Path, tiny_model: Path, tmp_path: Path) -> None:
    """On booleans, in both forms."""
    from trl import KTOConfig, KTOTrainer

    config = KTOConfig(output_dir=str(tmp_path), **STEP)
    rows = loaded(export, "addressed-kto")
    trainer = KTOTrainer(args=config, train_dataset=rows, **model_and_tokenizer(tiny_model))

    assert trained(trainer) > 0


def test_sft_trains_a_step_on_messages_with_tools(
    tiny_model: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The calls of a session are messages whose template gets the tools."""
    from trl import SFTConfig, SFTTrainer

    release = made_release(tmp_path / "release")
    out = tmp_path / "out"
    assert called("export", "training", release, "--recipe", "agent-sft", "--out", out).code == 0
    rows = loaded(out, "agent-sft")
    config = SFTConfig(output_dir=str(tmp_path / "model"), **STEP)
    trainer = SFTTrainer(args=config, train_dataset=rows, **model_and_tokenizer(tiny_model))

    assert trained(trainer) > 0


def test_the_example_of_the_guide_trains_a_model(tmp_path: Path) -> None:
    """As the guide calls it, in a folder with an export."""
    release = made_release(tmp_path / "release")
    made = called("export", "training", release, "--form", "standard", "--out", tmp_path / "training")
    assert made.code == 0
    example = Path(__file__).parents[2] / "examples" / "train_tiny_model.py"
    environment = {**os.environ, "HF_HOME": str(tmp_path / "cache"), "HF_HUB_OFFLINE": "1"}
    ended = subprocess.run(
        [sys.executable, example, "training", "commit-sft"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr.decode()[-2000:]
    assert (tmp_path / "tiny" / "model.safetensors").stat().st_size > 0
