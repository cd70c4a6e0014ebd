"""The documents of MERA's folder: the fields of its guide, every field of a row described, in both languages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchwright.building.codecorrectness.mera_documents import SetFacts, raw_meta, raw_readmes
from benchwright.building.codecorrectness.options import UNKNOWN_LICENCE, BuildOptions
from benchwright.building.codecorrectness.publish_rows import publish
from benchwright.building.codecorrectness.row_records import Authorship, Candidate
from benchwright.sources.repositories import Repository

FACTS = SetFacts(
    name="Mine",
    rows=90,
    shots=10,
    repeat=5,
    repositories=3,
    licences=["Apache-2.0", "MIT"],
    counts={
        "labels": {"failed": 45, "success": 45},
        "languages": {"Go": 30, "Python": 60},
        "subsets": {"broken": 5, "history": 25, "original": 60},
    },
    maintainers=("Anna Example", "Boris Example"),
    writers=("openai:m",),
)
CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)


def candidate(number: int, **changed: object) -> Candidate:
    """A labelled row of one repository."""
    fields: dict[str, object] = {
        "repository": "r",
        "commit": "c",
        "committed_at": "2026-01-01",
        "licence": "MIT",
        "lang": "Python",
        "focal_path": f"m{number // 2}.py",
        "test_path": f"test_{number}.py",
        "case": f"test_{number}",
        "focal_code": f"x = {number}\n",
        "test_code": f"from m import x\n\n\ndef test_{number}():\n    assert x == 3\n",
        "revision": f"rev{number}",
        "label": "success" if number % 2 else "failed",
        "kind": "" if number % 2 else "assertion",
        "runs": 5,
        "passes": 5 * (number % 2),
    }
    return Candidate(**{**fields, **changed})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of forty rows, with mutated ones and ones that a model wrote the tests of."""
    folder = tmp_path_factory.mktemp("set")
    (folder / "funnel.json").write_text("{}")
    written = Authorship(model="openai:m", prompt="p", reply="k")
    rows = [
        candidate(number)
        if number % 4
        else candidate(number, subset="mutated", mutation="a change", parent="rev", written=written)
        for number in range(40)
    ]
    publish(
        folder,
        rows,
        options=BuildOptions(sources=("x",), maintainers=FACTS.maintainers),
        repositories=[_repository()],
        levels=[],
        toolchains={},
    )
    return folder


def _repository() -> Repository:
    return Repository(
        name="r", place="/nowhere", remote="", commit="c", committed_at="2026-01-01", licence="MIT"
    )


def test_the_fields_are_those_of_mera_s_guide() -> None:
    """All that its guide and its published set have, the description within 200 characters."""
    made = raw_meta(FACTS, {"meta": {"id": 1}})
    wanted = (
        "dataset_name description license dataset_size modalities skills domains synt_source_models "
        "data_example data_field_descriptions prompts metrics"
    )

    assert set(wanted.split()) <= set(made)
    assert (made["dataset_size"], made["domains"], made["synt_source_models"]) == (
        "len(DATA)",
        [],
        ["openai:m"],
    )
    assert 0 < len(made["description"]) <= 200
    assert made["license"].startswith("[Apache-2.0](https://spdx.org/licenses/Apache-2.0.html) AND [MIT]")
    assert made["maintainers"] == ["Anna Example", "Boris Example"]
    assert all(set(texts) == {"ru", "en"} for texts in made["metrics"].values())


def test_both_readmes_have_mera_s_sections_and_the_counts() -> None:
    """Four each, in its language, with the number of rows and never two empty lines together."""
    made = raw_readmes(FACTS)
    russian, english = made["raw_readme_ru.json"], made["raw_readme_en.json"]

    assert list(russian) == ["Описание задачи", "Мотивация", "Создание датасета", "Авторы"]
    assert list(english) == ["Task description", "Motivation", "Dataset creation", "Contributors"]
    assert "90" in russian["Описание задачи"] and "90 questions" in english["Task description"]
    assert "history" in russian["Создание датасета"] and "mutated" not in english["Dataset creation"]
    assert english["Contributors"] == russian["Авторы"] == "Anna Example, Boris Example"
    assert not any(CYRILLIC.search(text) for text in english.values())
    assert not any("\n\n\n" in text for text in (*russian.values(), *english.values()))


def test_a_built_folder_holds_them(published: Path) -> None:
    """Indented by four as the guide wants, hashed in the manifest, and of the folder's own rows."""
    names = ("raw_dataset_meta.json", "raw_readme_ru.json", "raw_readme_en.json")
    texts = {name: (published / name).read_text(encoding="utf-8") for name in names}
    manifest = json.loads((published / "manifest.json").read_bytes())
    rows = json.loads((published / "test.json").read_bytes())["data"]

    assert set(names) <= set(manifest["sha256"])
    assert all(text.startswith('{\n    "') for text in texts.values())
    assert f"{len(rows)} questions" in json.loads(texts["raw_readme_en.json"])["Task description"]
    assert "maintainers" not in manifest["options"]


def test_every_field_of_a_row_is_described(published: Path) -> None:
    """The example is a shot, so no question of the test; what it has is described, nested as it is."""
    meta = json.loads((published / "raw_dataset_meta.json").read_bytes())
    parts = {
        name: json.loads((published / f"{name}.json").read_bytes())["data"] for name in ("test", "shots")
    }
    example, described = meta["data_example"], meta["data_field_descriptions"]

    assert example in parts["shots"] and example not in parts["test"]
    assert set(described) == set(example)
    assert set(described["inputs"]) == set(example["inputs"])
    assert set(described["meta"]) == set(example["meta"])
    for row in (*parts["test"], *parts["shots"]):
        told = raw_meta(FACTS, row)["data_field_descriptions"]["meta"]
        assert set(told) == set(row["meta"])


def test_a_row_tells_its_class_of_error(published: Path) -> None:
    """So that it can be asked for."""
    rows = json.loads((published / "test.json").read_bytes())["data"]
    told = {(row["outputs"], row["meta"]["error_class"]) for row in rows}

    assert told == {("success", "success"), ("failed", "assertion")}


def test_an_unknown_licence_is_named_and_not_linked() -> None:
    """In both languages, beside those that are known."""
    mixed = FACTS._replace(licences=["MIT", UNKNOWN_LICENCE])
    alone = FACTS._replace(licences=[UNKNOWN_LICENCE])
    made = json.dumps(raw_readmes(mixed), ensure_ascii=False)

    assert (
        raw_meta(mixed, {"meta": {}})["license"]
        == f"[MIT](https://spdx.org/licenses/MIT.html) AND {UNKNOWN_LICENCE}"
    )
    assert "Repositories with permissive licences (MIT) and whose licence is unknown were taken" in made
    assert "с разрешающими лицензиями (MIT) и с неизвестной лицензией" in made
    assert "Repositories whose licence is unknown were taken" in json.dumps(raw_readmes(alone))


def test_a_further_language_is_named_where_the_set_has_it() -> None:
    """The documents of a set stay as they are when another language can be built."""
    further = FACTS._replace(counts={**FACTS.counts, "languages": {"JavaScript": 1}})
    named = [raw_meta(facts, {"meta": {}})["description"] for facts in (FACTS, further)]

    assert [each.partition("? ")[2] for each in named] == [
        "Python, Java and Go; labels by execution.",
        "Python, Java, Go and JavaScript; labels by execution.",
    ]
