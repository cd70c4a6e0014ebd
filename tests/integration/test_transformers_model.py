"""`transformers:PATH` with real weights: answers are drawn by seed, and end as they should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import Prompt, RequestOptions
from benchwright.errors import DataError
from benchwright.models.spec import parse_model
from benchwright.records import Answer

pytestmark = pytest.mark.integration

CODE = "def add(x, y):\n    return "


def answers(folder: Path, *texts: str, n: int = 1, **asking: Any) -> list[Answer]:
    """n answers to each text."""
    model = parse_model(
        f"transformers:{folder}", asking=RequestOptions(**{"max_tokens": 8, "temperature": 1.0, **asking})
    )
    prompts = [
        Prompt(key=f"{text}-{sample}", task_id=text, sample=sample, text=text)
        for text in texts
        for sample in range(n)
    ]
    return list(model.answer(iter(prompts), {}))


def test_ten_answers_are_ten_texts(tiny_model: Path) -> None:
    """Each sample has a seed of its own, and all seeds are in effect."""
    texts = [answer.text for answer in answers(tiny_model, CODE, n=10)]

    assert len(set(texts)) == 10


def test_an_answer_does_not_depend_on_the_others(tiny_model: Path) -> None:
    """The second of two asked together is the one that is asked alone: a resumed run draws the same."""
    together = answers(tiny_model, "a", "b", n=2)
    alone = answers(tiny_model, "b", n=2)

    assert together[2:] == alone


def test_greedy_answers_are_alike(tiny_model: Path) -> None:
    """At temperature 0 the seed has no say."""
    texts = {answer.text for answer in answers(tiny_model, CODE, n=3, temperature=0)}

    assert len(texts) == 1


def test_the_token_limit_holds_and_is_told(tiny_model: Path) -> None:
    """Noise seldom ends by itself: the limit ends it, and the answer says so."""
    answer = answers(tiny_model, CODE, max_tokens=5)[0]

    assert (answer.tokens_out, answer.finish_reason, answer.error) == (5, "length", None)


def test_chat_and_completions_ask_differently(tiny_model: Path) -> None:
    """The template's marks are counted, so a chat's prompt is longer."""
    chat, plain = (answers(tiny_model, CODE, api=api)[0].tokens_in for api in ("chat", "completions"))

    assert (chat or 0) > (plain or 0) > 0


def test_a_stop_string_ends_a_text_early(tiny_model: Path) -> None:
    """A text that is known to have some letter is cut before it, and not all its tokens are made."""
    options: dict[str, Any] = {"api": "completions", "temperature": 0, "max_tokens": 64}
    whole = answers(tiny_model, CODE, **options)[0]
    stop = whole.text[len(whole.text) // 2]
    cut = answers(tiny_model, CODE, stop=(stop,), **options)[0]

    assert (cut.text, cut.finish_reason) == (whole.text.partition(stop)[0], "stop")
    assert cut.tail.startswith(stop)
    assert (cut.tokens_out or 0) < (whole.tokens_out or 0)


def test_a_prompt_beyond_the_context_is_no_answer(tiny_model: Path) -> None:
    """It is missing, with the numbers, and the next prompt is answered."""
    long, short = answers(tiny_model, "x = 1\n" * 2000, CODE)

    assert "the model's context 2048" in (long.error or "")
    assert short.error is None


def test_a_folder_without_weights_is_refused(tiny_model: Path, tmp_path: Path) -> None:
    """With the folder and a reason, once an answer is asked for."""
    (tmp_path / "config.json").write_text((tiny_model / "config.json").read_text())
    with pytest.raises(DataError) as caught:
        answers(tmp_path, CODE)

    assert str(tmp_path) in caught.value.message
