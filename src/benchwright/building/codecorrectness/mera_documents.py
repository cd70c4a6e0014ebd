"""Documents of MERA's folder of a data set: raw_dataset_meta.json and raw_readme_{ru,en}.json.

The fields are those of MERA's guide to data sets and of its published CodeCorrectness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.building.codecorrectness.options import UNKNOWN_LICENCE
from benchwright.lang.languages import LANGUAGES, language_list
from benchwright.text.error_class import CLASSES
from benchwright.tracks.correctness.rows import VARIANTS, instruction

# In Russian and in English; every field that rows of a build may have.
_INPUTS = {
    "focal_code": ("код, который проверяет тест", "the code under test"),
    "test_code": ("файл с одним тестом", "a file with one test case"),
}
_META = {
    "id": ("номер примера, сквозной для test.json и shots.json", "number of the row, through test and shots"),
    "prompt": ("имя формулировки инструкции", "name of the instruction's wording"),
    "subset": ("откуда пара: см. описание датасета", "where the pair is from: see the description"),
    "cluster": ("одинаков у всех версий одного теста", "equal for all versions of one test"),
    "repository": ("репозиторий", "the repository"),
    "commit": ("коммит репозитория", "the repository's commit"),
    "committed_at": ("дата коммита", "date of the commit"),
    "licence": ("лицензия кода (SPDX)", "licence of the code (SPDX)"),
    "layout": (
        "где лежали файлы, когда была получена метка, и что лежало рядом",
        "where the files lay when the label was made, and what lay beside them",
    ),
    "focal_path": ("путь проверяемого файла", "path of the file under test"),
    "test_path": ("путь файла с тестом", "path of the test file"),
    "case": ("имя тест-кейса", "name of the test case"),
    "runs": ("сколько раз пара выполнена", "how often the pair was executed"),
    "pass_rate": ("доля пройденных запусков", "share of executions that passed"),
    "kind": ("вид ошибки; пусто, если тест проходит", "kind of failure; empty where the test passes"),
    "error_class": (f"класс исхода: {', '.join(CLASSES)}", f"class of the outcome: {', '.join(CLASSES)}"),
    "origin": ("происхождение пары одной строкой", "where the pair comes from, in one line"),
    "steady": ("пусто, если исход доказанно устойчив", "empty where the outcome is proven steady"),
    "builds": ("собирается ли проект", "whether the project builds"),
    "tags": ("характеристики теста и файла", "characteristics of the test and of the file"),
    "revision": ("хеш содержимого пары", "hash of the pair's content"),
    "mutation": ("что изменено в проверяемом файле", "what was changed in the file under test"),
    "parent": ("хеш исходной пары", "hash of the pair that was changed"),
    "test_model": ("модель, написавшая тест", "the model that wrote the test"),
    "test_prompt": ("имя запроса к этой модели", "name of the question to that model"),
    "test_reply": ("ключ её ответа", "key of its reply"),
}
_SUBSETS = {
    "original": ("пары из репозиториев как есть", "pairs as the repositories have them"),
    "generated": ("тесты, написанные моделью", "tests written by a model"),
    "mutated": ("одно изменение в проверяемом файле", "one change in the file under test"),
    "history": ("состояния из истории репозитория", "states from the repository's history"),
    "broken": ("файлы, которые не собираются или не загружаются", "files that do not build or do not load"),
}


_PUBLISHED = ("Python", "Java", "Go")  # languages of MERA's own set, which every set of this format names


class SetFacts(NamedTuple):
    """The facts about a data set that the documents contain."""

    name: str
    rows: int
    shots: int
    repeat: int
    repositories: int
    licences: Sequence[str]
    counts: Mapping[str, Mapping[str, int]]  # rows by name, for "labels", "languages", "subsets"
    maintainers: Sequence[str] = ()
    writers: Sequence[str] = ()  # models that wrote tests


def raw_meta(facts: SetFacts, example: dict[str, Any]) -> dict[str, Any]:
    """raw_dataset_meta.json. `example` is a shot, or a row of the test if there are no shots.

    MERA's script replaces "len(DATA)" with the number of rows.
    """
    languages = [name for name in LANGUAGES if name in _PUBLISHED or name in facts.counts["languages"]]
    lang = (f"язык: {language_list(languages, 'или')}", f"language: {language_list(languages, 'or')}")
    described = {
        "instruction": _both(("промпт с полями", "prompt with fields")),
        "inputs": {name: _both(texts) for name, texts in {**_INPUTS, "lang": lang}.items()},
        "outputs": _both(
            ("success, если тест проходит, иначе failed", "success if the test passes, else failed")
        ),
        "meta": {name: _both(texts) for name, texts in _META.items() if name in example["meta"]},
    }
    exact = (
        "доля ответов, совпавших с меткой, среди всех вопросов",
        "share of answers equal to the label, among all questions",
    )
    return {
        "dataset_name": facts.name,
        "description": (
            f"Will this test pass on this code? {language_list(languages, 'and')}; labels by execution."
        ),
        "license": " AND ".join(map(_link, facts.licences)),
        "dataset_size": "len(DATA)",
        "maintainers": list(facts.maintainers),
        "modalities": ["text"],
        "skills": ["Instruction following", "Code perception", "Simulation", "Error classification"],
        "domains": [],
        "synt_source_models": list(facts.writers),
        "metrics": {"Exact Match": _both(exact)},
        "prompts": [instruction(number)[1] for number in range(1, VARIANTS + 1)],
        "data_example": example,
        "data_field_descriptions": described,
    }


def _link(licence: str) -> str:
    return licence if licence == UNKNOWN_LICENCE else f"[{licence}](https://spdx.org/licenses/{licence}.html)"


def raw_readmes(facts: SetFacts) -> dict[str, dict[str, str]]:
    """The sections of both languages by file name: task, motivation, creation, authors."""
    authors = ", ".join(facts.maintainers)
    return {
        "raw_readme_ru.json": {
            "Описание задачи": _task_ru(facts),
            "Мотивация": _MOTIVATION_RU,
            "Создание датасета": _creation_ru(facts),
            "Авторы": authors,
        },
        "raw_readme_en.json": {
            "Task description": _task_en(facts),
            "Motivation": _MOTIVATION_EN,
            "Dataset creation": _creation_en(facts),
            "Contributors": authors,
        },
    }


def _both(texts: tuple[str, str]) -> dict[str, str]:
    return {"ru": texts[0], "en": texts[1]}


def _task_ru(facts: SetFacts) -> str:
    return (
        "Модель видит проверяемый файл и файл с одним тест-кейсом и предсказывает, пройдёт ли тест: "
        "success или "
        f"failed. Ошибкой считается всё, из-за чего тест не проходит, включая ошибки сборки и исключения. "
        f"В датасете {facts.rows} вопросов и {facts.shots} примеров для few-shot. {_table(facts)}"
    )


def _task_en(facts: SetFacts) -> str:
    return (
        "The model sees the file under test and a file with one test case, and predicts whether the test "
        "passes: "
        "success or failed. Whatever keeps the test from passing is an error, failed builds and exceptions "
        f"among them. The set has {facts.rows} questions and {facts.shots} few-shot examples. {_table(facts)}"
    )


def _table(facts: SetFacts) -> str:
    """A table of counts, the same in both languages."""
    lines = (
        ", ".join(f"{name}: {count}" for name, count in facts.counts[kind].items())
        for kind in ("languages", "labels", "subsets")
    )
    return f"({'; '.join(lines)})"


_MOTIVATION_RU = (
    "Кто умеет писать код, должен уметь и прочитать его: понять, что делает программа и чего ждёт тест. "
    "Задача "
    "проверяет это без запуска кода и подходит и для моделей, отвечающих одним словом, и для рассуждающих. "
    "Пары отобраны так, что для ответа достаточно двух файлов: без импортов из других файлов проекта и без "
    "чтения данных. Доля верных ответов имеет смысл рядом с базовыми уровнями из README.md; версии одного "
    "теста "
    "(meta.cluster) не независимы, и интервалы это учитывают. По meta.error_class можно спросить и о "
    "классе ошибки."
)
_MOTIVATION_EN = (
    "Who can write code should also be able to read it: to see what a program does and what a test "
    "expects. The "
    "task examines this without running anything, for models that answer in one word as well as for those "
    "that "
    "reason. Pairs are chosen so that the two files are enough: no imports from other files of the "
    "project and "
    "no data that is read. The share of right answers means something beside the baselines in README.md; the "
    "versions of one test (meta.cluster) are not independent, which intervals allow for. With "
    "meta.error_class "
    "one can ask for the class of error too."
)


def _under(facts: SetFacts, language: int) -> str:
    """The licences of the repositories, in Russian or English."""
    known = ", ".join(name for name in facts.licences if name != UNKNOWN_LICENCE)
    of_known = (f"с разрешающими лицензиями ({known})", f"with permissive licences ({known})")[language]
    unknown = ("с неизвестной лицензией", "whose licence is unknown")[language]
    both = [of_known] * bool(known) + [unknown] * (UNKNOWN_LICENCE in facts.licences)
    return (" и ", " and ")[language].join(both)


def _creation_ru(facts: SetFacts) -> str:
    return "\n".join(
        (
            f"1) Взяты репозитории {_under(facts, 0)}; в датасет вошли пары из {facts.repositories}.",
            "2) Тесты сопоставлены с проверяемыми файлами; каждый вопрос содержит один тест-кейс с тем, "
            "что ему нужно.",
            "3) Фильтры по тегам отбросили пары, исход которых из двух файлов не виден: сеть, данные, "
            "случайность.",
            f"4) Каждая пара выполнена в песочнице не менее {facts.repeat} раз с разными порядком, "
            f"временем и хешами; "
            "метка есть, только если все запуски согласны.",
            f"5) Подмножества: {_subsets(facts, 0)}.",
            "6) Метки уравнены по языкам; каждому вопросу дана одна из "
            f"{VARIANTS} формулировок. Сколько и почему отброшено на каждом шаге, говорит funnel.json.",
        )
    )


def _creation_en(facts: SetFacts) -> str:
    return "\n".join(
        (
            f"1) Repositories {_under(facts, 1)} were taken; pairs of {facts.repositories} are in the set.",
            "2) Tests were paired with the files they test; each question has one test case and what it "
            "needs.",
            "3) Filters by tags dropped pairs whose outcome two files do not show: network, data, "
            "randomness.",
            f"4) Each pair was executed at least {facts.repeat} times in a sandbox, with other orders, "
            f"clocks and "
            "hashes; there is a label only where all executions agree.",
            f"5) Subsets: {_subsets(facts, 1)}.",
            f"6) Labels were evened out in each language, and each question was given one of {VARIANTS} "
            f"wordings. "
            "funnel.json says how much was left out at each step, and why.",
        )
    )


def _subsets(facts: SetFacts, language: int) -> str:
    names = [name for name in facts.counts["subsets"] if name in _SUBSETS]
    return "; ".join(f"{name} – {_SUBSETS[name][language]}" for name in names)
