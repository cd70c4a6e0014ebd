"""Published examples that run unmodified: their paths, and small data sets.

Each runs in Ianvs itself and in `ianvs run`, with stand-ins for models and services.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ianvs_view import CHECKOUT
from standins_language import POSTERS, ROUTING, VLLM
from standins_vision import ASSEMBLY, DETECTION, DRIVING, FAULTS, ROBOT, SEGMENTATION

from kit.made_ianvs import write_lines, write_yaml

LETTERS = "CBBDACABAC"
DESCRIBED = {"dataset": "d", "description": "", "level_1_dim": "a", "level_2_dim": "b"}


class Example(NamedTuple):
    """A published job: its folder in the repository, the paths that its files contain, and its requirements."""

    source: str
    place: str  # below the checkout
    job: str
    data: Callable[[Path], None]
    standins: Mapping[str, str]
    version: str = "v0.3.0"  # of Ianvs: later versions require a method `preprocess`
    published: str = "main"  # the version of Ianvs that contains the files
    homes: tuple[str, ...] = ()  # paths of the checkout in its files
    folder: str = CHECKOUT  # its working directory
    variables: Mapping[str, str] = {}
    random: tuple[str, ...] = ()  # columns that differ between two runs of Ianvs


def put(path: Path, text: str) -> None:
    """Write a file with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def picture(path: Path, shade: int, size: int = 4) -> None:
    """Write a grey PNG of one shade."""
    rows = zlib.compress((b"\0" + bytes([shade]) * size) * size)
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)), (b"IDAT", rows), (b"IEND", b""))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, held in chunks:
            file.write(
                struct.pack(">I", len(held)) + kind + held + struct.pack(">I", zlib.crc32(kind + held))
            )


def index(path: Path, rows: Iterable[str]) -> None:
    """Write an index of a data set."""
    put(path, "".join(f"{row}\n" for row in rows))


def questions(folder: Path, name: str) -> None:
    """Ten small records in every form and under every name that the examples of language models read."""
    records: list[dict[str, Any]] = [
        {
            "query": f"q{number}" + "?" * number, "response": letter, "judge_prompt": f"{number % 5}: ",
            "question": f"q{number}" + "?" * number, "answer": letter, "level_3_dim": "", "level_4_dim": "",
        }
        for number, letter in enumerate(LETTERS)
    ]  # fmt: skip
    place = folder / "dataset" / name
    write_lines(place / "train_data" / "data.jsonl", [])
    write_lines(place / "train_data" / "data.json", [])
    write_yaml(place / "test_data" / "metadata.json", DESCRIBED)
    write_lines(place / "test_data" / "data.jsonl", records)


def driving(checkout: Path) -> None:
    """Write the lengths of two recorded drives."""
    data = checkout / "examples/industrialEI/pose-estimation-llio/data"
    for part, drives in {"train": (1,), "test": (2, 5)}.items():
        places = [f"2011_09_26/2011_09_26_drive_{drive:04}_sync" for drive in drives]
        index(data / f"{part}_index.txt", places)
        for place, drive in zip(places, drives, strict=True):
            put(data / place / "frames.txt", str(20 + drive))


def scenes(checkout: Path) -> None:
    """Pictures in the three sizes that the example chooses from."""
    data = checkout / "dataset/Cloud-Robotics"
    for number in range(4):
        for size in ("2048x1024", "640x480", "1280x760"):
            picture(data / size / f"img/{number}.png", number)
        picture(data / "2048x1024" / f"mask/{number}.png", number)
    for part in ("train", "test"):
        rows = (f"img/{number}.png mask/{number}.png" for number in range(4))
        index(data / "2048x1024" / f"{part}-index.txt", rows)


def parts(checkout: Path) -> None:
    """Pictures of parts with their boxes; the second picture's is found."""
    data = checkout / "data/dataset/RoboDK_Palletizing_Dataset"
    for part in ("train", "test"):
        for number in range(4):
            picture(data / f"images/{part}/{number}.png", number)
            put(data / f"labels/{part}/{number}.txt", "0 0.09 0.11 0.16 0.21\n" * min(number, 1))
        rows = (f"images/{part}/{number}.png labels/{part}/{number}.txt" for number in range(4))
        index(data / f"{part}_index.txt", rows)


def boards(checkout: Path) -> None:
    """Pictures of boards with their faults, and a model to begin with."""
    kinds = ("open", "short", "open")
    for part in ("train", "test"):
        data = checkout / "dataset" / f"{part}_data"
        for number in range(5):
            picture(data / f"img/{number}.png", number)
            boxes = (f"{5 * n} 5 {20 + 5 * n} 20 {kinds[n]}" for n in range(min(number, 2)))
            index(data / f"label/{number}.txt", boxes)
        index(data / "index.txt", (f"img/{number}.png label/{number}.txt" for number in range(5)))
    (checkout / "initial_model").mkdir()
    with zipfile.ZipFile(checkout / "initial_model" / "model.zip", "w") as packed:
        packed.writestr("start.ckpt.index", "weights")


def components(checkout: Path) -> None:
    """Pictures of components with a box each."""
    data = checkout / "dataset/deformable_assembly_dataset"
    for number in range(5):
        picture(data / f"img/{number}.png", number, size=64)
        put(data / f"label/{number}.txt", f"{number} 0.5 0.5 0.1 0.1\n")
    for part in ("train", "test"):
        index(data / f"{part}_index.txt", (f"img/{number}.png label/{number}.txt" for number in range(5)))


def trials(checkout: Path) -> None:
    """A list of tasks."""
    at = "ianvs/examples/cloud_VLA_finetune/singletask_learning_bench/testenv/test_data.txt"
    index(checkout / at, ("/first 0", "/second 1"))


def reports(checkout: Path) -> None:
    """Documents with the posters that were made of them."""
    resources = "examples/GovDoc2Poster/resources"
    posters = {f"{resources}/{number}.pdf": f"{resources}/posters/{number}.png" for number in range(3)}
    for number, (document, poster) in enumerate(posters.items()):
        put(checkout / document, "document")
        picture(checkout / poster, number, size=32)
    data = checkout / resources / "datasets"
    rows = [{"question": document, "answer": "x"} for document in posters]
    write_lines(data / "train/data.jsonl", rows[:1])
    write_lines(data / "test/data.jsonl", rows)
    put(data / "test/poster_index.json", json.dumps(posters))


def judgements(checkout: Path) -> None:
    """Texts, every second with private data, and the folder of a model."""
    rows = []
    for number in range(4):
        name = {"span_text": "Smith", "entity_type": "PERSON", "start_offset": 4, "end_offset": 9}
        found = [{**name, "identifier_type": "DIRECT", "entity_id": "1"}] if number % 2 == 0 else []
        noted = json.dumps({"annotator": {"entity_mentions": found}})
        text = f"Mr. Smith number {number} lived at Oak Street.\n\nANNOTATIONS_JSON={noted}"
        rows.append({"question": text, "answer": "x"})
    write_lines(checkout / "data.jsonl", rows)
    write_yaml(checkout / "metadata.json", DESCRIBED)
    put(checkout / "examples/TAB/cloud_edge_collaborative_inference_bench/local_model/config.json", "{}")


_ROBOT_HOME = "/inspire/hdd/global_user/chaimingxu-240108540141/jwq-test"
_ROBOT = "examples/cloud_VLA_finetune"
_PART_HOME = "/root/ianvs/project"
_PARTS = "ianvs-0.3.0/examples/Palletizing"
_LLM = "examples/cloud-edge-collaborative-inference-for-llm"
_SCENES = "examples/Cloud_Robotics/cloud-edge-collaborative-inference-bench"  # unlike the folder's own name
_POSE = "examples/industrialEI/pose-estimation-llio"
_ASSEMBLY = "examples/industrialEI/single_task_learning_bench/deformable_component_manipulation"
_BOARDS = "examples/pcb-aoi/singletask_learning_bench"
EXAMPLES = {
    "query routing": Example(
        _LLM, _LLM, f"{_LLM}/benchmarkingjob.yaml", lambda checkout: questions(checkout, "mmlu-5-shot"), VLLM,
        published="v0.3.0", variables={"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "http://127.0.0.1:9"},
    ),
    "private query routing": Example(
        "examples/TAB", "examples/TAB", "examples/TAB/cloud_edge_collaborative_inference_bench/benchmarkingjob.yaml",
        judgements, ROUTING, version="main",
        random=("hard_example_mining-edgemodel", "hard_example_mining-cloudmodel"),  # addresses of objects
    ),
    "perception": Example(
        "examples/Cloud_Robotics/cloud-edge-collaborative-inference_bench", _SCENES,
        f"{_SCENES}/perception-reasoning/benchmarkingjob.yaml", scenes, SEGMENTATION, version="main",
    ),
    "palletizing": Example(
        "examples/RoboDK Palletizing", _PARTS,
        f"{_PART_HOME}/{_PARTS}/singletask_learning_bench/benchmarkingjob.yaml", parts, DETECTION,
        homes=(_PART_HOME,), folder=_PART_HOME,
    ),
    "fault detection": Example(
        _BOARDS, _BOARDS, f"{_BOARDS}/fault_detection/benchmarkingjob.yaml", boards, FAULTS
    ),
    "pose estimation": Example(_POSE, _POSE, f"{_POSE}/benchmarkingjob.yaml", driving, DRIVING),
    "assembly": Example(_ASSEMBLY, ".", "benchmarkingjob.yaml", components, ASSEMBLY),
    "robot": Example(
        _ROBOT, f"ianvs/{_ROBOT}", f"{_ROBOT_HOME}/ianvs/{_ROBOT}/singletask_learning_bench/benchmarkingjob.yaml",
        trials, ROBOT, homes=(_ROBOT_HOME,), folder=f"{_ROBOT_HOME}/ianvs",
    ),
    "posters": Example(
        "examples/GovDoc2Poster", "examples/GovDoc2Poster",
        "examples/GovDoc2Poster/singletask_learning_bench/benchmarkingjob.yaml", reports, POSTERS,
        homes=("/home/ianvs",),
    ),
}  # fmt: skip
