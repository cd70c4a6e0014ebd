"""Labels are read from real answers of models; without one, none is invented."""

from __future__ import annotations

import doctest
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text import label
from benchwright.text.label import LABELS, RULES, Label, read_label, take_label
from kit.label_phrases import CHAT, NEGATIONS, PHRASES, WORDS

OPPOSITE = {"success": "failed", "failed": "success"}
# Punctuation that may end an answer.
MARKS = ("\\boxed", "<answer>", "{", "<|im_end|>", "<think>failed")
PIECES = st.sampled_from(
    [text for text, _ in PHRASES]
    + [
        "\n",
        " ",
        ". ",
        ", ",
        "```",
        "`",
        "**",
        "<think>",
        "</think>",
        "Answer: ",
        "Ответ: ",
        "{",
        "}",
        "not ",
    ]
    + ["\\boxed{", "<answer>", "\u200b", "\ud800", "\x00", "if ", "or ", "but ", "=", '{"answer": ']
)


def test_a_phrase_is_read_as_people_read_it() -> None:
    """The table has words, negations, sentences, cues, corrections, whole answers, and texts without an answer."""
    wrong = [(text, value, read_label(text)) for text, value in PHRASES if read_label(text).value != value]

    assert wrong == []


def test_the_table_is_large_and_holds_no_phrase_twice() -> None:
    """It covers both labels and none, in both languages."""
    counts = [sum(value == wanted for _, value in PHRASES) for wanted in (*LABELS, None)]
    russian = sum(any("а" <= char <= "я" for char in text.lower()) for text, _ in PHRASES)

    assert (len({text for text, _ in PHRASES}), min(counts) >= 30, russian >= 80) == (
        len(PHRASES),
        True,
        True,
    )


def dresses(text: str) -> list[str]:
    """Return a short answer in capitals, with a cue, in bold, and so on."""
    bare = text.strip().strip("`~#>|").removeprefix("text\n").strip()
    field = bare.replace("\\", "").replace('"', "'").replace("\n", " ")
    dressed = [text.upper(), f"<think>success failed</think>\n{text}"]
    if "\n" not in bare and "|" not in text and "`" not in bare:
        dressed += [f"Answer: {bare}", f"**Ответ:** {bare}", f"\\boxed{{{bare}}}", f"<answer>{bare}</answer>"]
        dressed += [f'{{"answer": "{field}"}}', f"The code is long.\n\n{bare}"]
    return dressed


def test_a_short_answer_is_read_in_any_dress() -> None:
    """Capitals, bold, a cue in either language, a box, a tag, a field and reasoning before it have no effect."""
    forms = [(form, value) for text, value in (*WORDS, *NEGATIONS) for form in dresses(text)]

    assert [(form, value) for form, value in forms if read_label(form).value != value] == []


def test_a_final_answer_overrules_all_before_it() -> None:
    """The words "final answer" decide, whatever precedes them, except for a box."""
    thoughts = [text for text, _ in CHAT if not any(mark in text for mark in MARKS)]
    said = {f"{before}\n\nThe final answer is {gold}.": gold for before in thoughts for gold in LABELS}

    assert [(text, gold) for text, gold in said.items() if read_label(text).value != gold] == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("success", "bare"),
        ("Answer: failed, sadly", "cue"),
        (r"\boxed{failed}", "boxed"),
        ("<answer>failed</answer>", "tag"),
        ('{"answer": "failed"}', "json"),
        ("Therefore, given the missing key, the test fails.", "conclusion"),
        ("The missing key makes it fail.", "prose"),
        ("42", "none"),
    ],
)
def test_the_rule_names_the_form(text: str, rule: str) -> None:
    """So a table can distinguish plain answers from those extracted from prose."""
    assert f"tolerant+{rule}" == read_label(text).rule


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("**Success**", "read `success` in: **Success**"),
        ("success failed", "says both success and failed: success failed"),
        ("success\nfailed", "says both success and failed: success / failed"),
        ("success or failed", "only names the labels to choose from: success or failed"),
        ("Hm " * 100 + "success", f"read `success` in: {'Hm ' * 52}H..."),
        ("42", "no statement says whether the test passes"),
    ],
)
def test_the_reason_shows_what_was_read(text: str, why: str) -> None:
    """The reason has one line of bounded length."""
    assert why == read_label(text).why


def test_two_answers_contradict_unless_the_second_takes_the_first_back() -> None:
    """Two labels one below the other are ambiguous; "actually" or reasoning between them decides."""
    texts = [
        "success\nfailed",
        "success\nActually failed",
        "success\n\nThe key is gone after that.\n\nfailed",
    ]

    assert [read_label(text).value for text in texts] == [None, "failed", "failed"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("success", "success"),
        ("failed", "failed"),
        ("It has failed here.", "failed"),
        ("unsuccessful", "success"),
        ("not success", "success"),
        ("Success", None),
        ("FAILED", None),
        ("fail", None),
        ("succeed", None),
        ("success, not failed", None),
        ("<think>failed</think>success", None),
        ("", None),
        ("успех", None),
    ],
)
def test_mera_exact_keeps_mera_s_quirks(text: str, value: str | None) -> None:
    """It searches for a substring with exact case; both words are as wrong as neither."""
    found = read_label(text, rule="mera-exact")

    assert (found.value, found.rule) == (value, "mera-exact")


@given(st.text())
@settings(deadline=None)
def test_mera_exact_is_substring_search(text: str) -> None:
    """For any text: the only label of the two in it."""
    text = text + "success" * (len(text) % 2) + "failed" * (len(text) % 3 == 0)
    inside = [name for name in LABELS if name in text]

    assert (inside[0] if len(inside) == 1 else None) == read_label(text, rule="mera-exact").value


@given(st.lists(PIECES, max_size=12).map("".join))
@pytest.mark.parametrize("rule", ["tolerant", "mera-exact"])
@settings(deadline=None)
def test_reading_never_fails(rule: label.Rule, text: str) -> None:
    """For any combination the value is a label or None, with a reason in one line."""
    found = read_label(text, rule=rule)

    assert (found.value in (*LABELS, None), isinstance(found, Label), found.why != "") == (True, True, True)


@given(
    st.sampled_from([text for text, _ in PHRASES if not any(mark in text for mark in MARKS)]),
    st.sampled_from(LABELS),
)
@settings(deadline=None)
def test_the_last_plain_line_decides(text: str, gold: str) -> None:
    """A sentence without a label precedes a label on its own line."""

    assert gold == read_label(f"{text}\n\nNow to the second file.\n\n{gold}").value


@given(st.text(st.sampled_from(" \t\n*_`\"'.!-#>()[]"), max_size=8), st.sampled_from(LABELS))
@settings(deadline=None)
def test_marks_around_a_label_do_not_matter(marks: str, gold: str) -> None:
    """Quotes, bold, headings, brackets and blank lines, in any order, on either side."""
    if "```" in marks or marks.count("`") % 2:
        marks = marks.replace("`", "")

    assert gold == read_label(f"{marks}\n{gold} {marks}").value


@pytest.mark.parametrize("gold", LABELS)
def test_a_word_before_turns_a_label_round(gold: str) -> None:
    """This holds in both languages, for any number of fillers between."""
    texts = [
        f"{word} {gold}" for word in ("not", "not a", "never", "isn't", "definitely not", "не", "это не")
    ]

    assert [read_label(text).value for text in texts] == [OPPOSITE[gold]] * len(texts)


@pytest.mark.parametrize(
    "text",
    [
        "not " * 20_000,
        "success " * 20_000,
        "answer is " * 20_000,
        "success or failed " * 10_000,
        "\\boxed{" * 20_000,
        "\\boxed{" + "{}" * 50_000,
        "`" * 100_000,
        "`a" * 50_000,
        "<answer>" * 20_000,
        '{"answer":' * 20_000,
        "\n{" * 50_000,
        "." + "*" * 100_000,
        ". " * 50_000,
        "\ufdfa" * 50_000,
        "success\n" * 20_000,
    ],
)
def test_a_hostile_text_costs_no_time(text: str) -> None:
    """Only the end is read, statements are bounded, and no pattern backtracks."""
    started = time.process_time()
    read_label(text)

    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("text", "finish_reason", "expected"),
    [
        ("success", "stop", ("success", None, False)),
        ("success", "length", ("success", None, True)),
        ("hm", "max_tokens", ("", "unparsable", True)),
        ("<think>It is a success", None, ("", "unparsable", True)),
        ("42", None, ("", "unparsable", False)),
    ],
)
def test_a_label_is_handed_on_as_an_extraction(
    text: str, finish_reason: str | None, expected: tuple[str, str | None, bool]
) -> None:
    """The label is the program; unfinished reasoning is a truncated answer."""
    taken = take_label(text, profile="strict", finish_reason=finish_reason)

    assert (taken.program, taken.problem, taken.truncated) == expected


def test_each_profile_has_its_rule() -> None:
    """`take_label` returns what `read_label` reads by the profile's rule."""
    text = "The test is unsuccessful"
    taken = {profile: take_label(text, profile=profile) for profile in RULES}

    expected = {"strict": ("failed", "tolerant+bare"), "mera-exact": ("success", "mera-exact")}
    assert expected == {profile: (each.program, each.rule) for profile, each in taken.items()}


def test_the_examples_hold() -> None:
    """Executes the examples of the docstrings."""
    result = doctest.testmod(label)

    assert (result.failed, result.attempted >= 2) == (0, True)
