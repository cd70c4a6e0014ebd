"""What answers say before any of them is judged: how many are alike, and how many tokens they took."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from itertools import groupby
from typing import NamedTuple

from benchwright.records import Answer


class Answered(NamedTuple):
    """Counts over all answers.

    `repeatable` is how many could repeat an earlier one to the same question, `prompts` the largest number
    of prompts that one task was asked in.
    """

    answers: int
    identical: int
    repeatable: int
    prompts: int
    tokens_in: int
    tokens_out: int


def answered(answers: Iterable[Answer]) -> Answered:
    """Count a file of answers in which those to one task stand together. Holds one task's hashes at a time.

    A question is a task in a variant of the prompt. A failed request is no answer, so it repeats none.
    """
    total = identical = repeatable = prompts = tokens_in = tokens_out = 0
    for _, group in groupby(answers, key=lambda answer: answer.task_id):
        seen: dict[str, set[bytes]] = {}
        for answer in group:
            total += 1
            tokens_in += answer.tokens_in or 0
            tokens_out += answer.tokens_out or 0
            if answer.error is not None:
                continue
            digest = sha256(answer.text.encode("utf-8", "surrogatepass")).digest()[:16]
            repeatable += answer.prompt in seen
            texts = seen.setdefault(answer.prompt, set())
            identical += digest in texts
            texts.add(digest)
        prompts = max(prompts, len(seen))
    return Answered(total, identical, repeatable, prompts, tokens_in, tokens_out)
