"""Shared parts of prompts: checked wordings, closed fences, and names that count from 1."""

from __future__ import annotations

import doctest
import re
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import DataError, UsageError
from benchwright.tracks import prompt_templates
from benchwright.tracks.correctness.rows import WORDINGS
from benchwright.tracks.prompt_templates import (
    FOLDER,
    FORMS,
    fence,
    fill,
    languages_of,
    questions,
    read_wordings,
    variant_name,
    wordings_in,
)

BRACES = st.text(st.sampled_from("{}ab !:.[]0"), max_size=20)


@given(
    st.text(st.characters(exclude_characters="{}")), BRACES, st.text(st.characters(exclude_characters="{}"))
)
def test_a_value_is_put_in_as_it_is(before: str, value: str, after: str) -> None:
    """Code is full of braces, and none of them is read as a field."""
    assert before + value + after == fill(before + "{function}" + after, {"function": value})


@given(BRACES, BRACES)
def test_a_template_fills_as_str_format_does_or_is_refused(template: str, value: str) -> None:
    """For known fields, the result equals that of MERA's own filling."""
    values = {"a": value, "b": "x"}
    try:
        actual = fill(template, values)
    except ValueError:
        actual = None

    assert actual is None or template.format(**values) == actual


@pytest.mark.parametrize(
    "template",
    [
        "{",
        "}",
        "{function",
        "{}",
        "{0}",
        "{other}",
        "{function.__class__}",
        "{function!r}",
        "{function:>9}",
        "{n}",
        "{a b}",
    ],
)
def test_what_is_not_a_plain_text_field_is_refused(template: str) -> None:
    """Attributes, conversions, widths, numbers and unknown names are no fields."""
    with pytest.raises(ValueError, match=r"single|is not a text field") as caught:
        fill(template, {"function": "f", "n": 3})

    assert str(caught.value)


def test_doubled_braces_are_single_ones() -> None:
    """A template can contain a brace."""
    assert fill("{{function}} {{{function}}}", {"function": "f"}) == "{function} {f}"


def test_the_example_in_the_module_holds() -> None:
    """Executes the example of the documentation."""
    result = doctest.testmod(prompt_templates)

    assert (result.failed, result.attempted > 0) == (0, True)


RECORDED = Path(__file__).parent / "golden" / "prompts.sha256"
KINDS = {
    "completion": re.compile(r"\{\w+\}|^(?:\d\.|## |# ?\d?)", re.MULTILINE),
    "correctness": re.compile(r"\{\w+\}|^(?:\d\.|## )|success|failed", re.MULTILINE),
    "correctness_errors": re.compile(r"\{\w+\}|^(?:- \w+:|## )", re.MULTILINE),
    "aicodereval": re.compile(r"\{\w+\}|^(?:\d\.|## |# ?\d?)", re.MULTILINE),
    "mbpp": re.compile(r"\{\w+\}|^(?:\d\.|## |# ?\d?)", re.MULTILINE),
    "comments": re.compile(r"\{\w+\}|^(?:- |# ?)|JSON|line_number|annotation", re.MULTILINE),
    "issues": re.compile(r"\{\w+\}|^# ", re.MULTILINE),
    "multipl": re.compile(r"\{\w+\}|^(?:\d\.|## |// ?\d?|/\* )", re.MULTILINE),
    "stdio": re.compile(r"\{\w+\}|^## ", re.MULTILINE),
    "refine": re.compile(r"\{\w+\}"),
    "codelintereval": re.compile(r"\{\w+\}"),
    "strucom": re.compile(r"\{\w+\}"),
    "rucodereviewer": re.compile(r"\{\w+\}"),
    "unittests": re.compile(r"\{\w+\}"),
    "javatestgen": re.compile(r"\{\w+\}"),
    "realcode": re.compile(r"\{\w+\}"),
    "realcodejava": re.compile(r"\{\w+\}"),
    "yabloco": re.compile(r"\{\w+\}"),
}
CODE_ALONE = {
    (kind, "base") for kind in ("realcode", "realcodejava", "yabloco")
}  # a base model continues the file
VERSIONS = {"correctness": WORDINGS}
CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
VARIANT = '[01]\nchat = "{a}?"\nbase = "so {a}"\n'


def read(tmp_path: Path, text: str) -> dict[str, tuple[str, ...]]:
    """Return the wordings of a file with this text."""
    path = tmp_path / "kind_ru.toml"
    path.write_text(text, encoding="utf-8")
    return read_wordings(path)


def test_each_text_is_the_one_that_was_published() -> None:
    """Byte for byte: records of runs have names such as "ru-03", and content keys depend on the text."""
    found = [
        f"{sha256(text.encode()).hexdigest()}  {kind} {variant_name(language, number, version=version)} {form}"
        for kind in KINDS
        for version in [VERSIONS.get(kind, 1)]
        for language in languages_of(kind)
        for form in FORMS
        for number, text in enumerate(wordings_in(kind, language=language, form=form), 1)
    ]

    assert found == RECORDED.read_text(encoding="utf-8").splitlines()


def test_every_file_is_read() -> None:
    """The folder has no other files, and each passes the checks."""
    names = {f"{kind}_{language}.toml" for kind in KINDS for language in languages_of(kind)}

    assert {path.name for path in FOLDER.iterdir()} == names
    assert all(set(read_wordings(FOLDER / name)) == set(FORMS) for name in names)


def test_the_wordings_of_a_file(tmp_path: Path) -> None:
    """By form, in the order of their numbers, with line ends and braces unchanged."""
    text = 'fields = ["a"]\n' + VARIANT + '[02]\nchat = """\nнет,\n{a}"""\nbase = "{{a}}"\n'

    assert read(tmp_path, text) == {"chat": ("{a}?", "нет,\n{a}"), "base": ("so {a}", "{{a}}")}


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        ("fields = [", None, "invalid TOML"),
        (VARIANT, "fields", "must be a list of names"),
        ("fields = [1]\n" + VARIANT, "fields", "must be a list of names"),
        ('fields = ["a"]\n' + VARIANT.replace("01", "02"), "02", "expected 01"),
        ('fields = ["a"]\n01 = "{a}"', "01", "must be a table with the keys chat, base"),
        ('fields = ["a"]\n[01]\nchat = ""', "01", "must be a table with the keys chat, base"),
        ('fields = ["a"]\n[01]\nchat = ""\nbase = 1', "01.base", "must be a text"),
        ("fields = []\n" + VARIANT, "01.chat", "`{a}` is not a text field"),
        ('fields = ["a"]\n' + VARIANT.replace("so {a}", "so {a"), "01.base", "a single `{`"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, text: str, field: str | None, message: str) -> None:
    """The error has the file, the key and the fault."""
    with pytest.raises(DataError) as caught:
        read(tmp_path, text)

    assert (caught.value.path, caught.value.field) == (str(tmp_path / "kind_ru.toml"), field)
    assert message in caught.value.message


@pytest.mark.parametrize("kind", KINDS)
def test_a_wording_is_in_its_language(kind: str) -> None:
    """Russian words occur in each Russian wording, and in no other."""
    for language, form in product(languages_of(kind), FORMS):
        found = {bool(CYRILLIC.search(text)) for text in wordings_in(kind, language=language, form=form)}

        assert found == {language == "ru" and (kind, form) not in CODE_ALONE}, (language, form)


@pytest.mark.parametrize(("kind", "form"), [(kind, form) for kind in KINDS for form in FORMS])
def test_twins_are_built_alike(kind: str, form: str) -> None:
    """Variant i has the same fields, headings and list numbers in all languages, in the same order."""
    first, *others = (
        [KINDS[kind].findall(text) for text in wordings_in(kind, language=language, form=form)]
        for language in languages_of(kind)
    )

    assert all(each == first for each in others)


@pytest.mark.parametrize(("language", "form"), [("en", "poem"), ("fr", "base"), ("", "")])
def test_no_such_wordings(language: str, form: str) -> None:
    """The hint lists the existing ones."""
    with pytest.raises(UsageError) as caught:
        wordings_in("completion", language=language, form=form)

    assert caught.value.hint == "languages: ru, en; forms: chat, base"


def test_questions_are_numbered_from_1() -> None:
    """Each wording is filled in, by language and number."""
    made = questions(("{a}?", "нет, {a}"), {"a": "{да}"}, language="ru")

    assert [(each.variant, each.text) for each in made] == [("ru-01", "{да}?"), ("ru-02", "нет, {да}")]


@given(st.lists(st.text(st.sampled_from("`a\n"), max_size=12), max_size=3))
def test_no_text_closes_its_fence(texts: list[str]) -> None:
    """The fence has at least three backticks, and more than any run in the texts."""
    made = fence(*texts)

    assert (set(made), len(made) >= 3) == ({"`"}, True)
    assert all(len(ticks) < len(made) for text in texts for ticks in re.findall("`+", text))
