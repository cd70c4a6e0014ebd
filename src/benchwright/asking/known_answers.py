"""The cache of answers that one user's runs had from a server to the same questions.

A question's content key contains task, prompt, model, parameters and sample. The cache also uses the server's
address and its entry for the model: a name alone does not identify weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Self

from msgspec.structs import replace

from benchwright.contracts import Asking, Describing, Model, Prompt
from benchwright.display.wording import counted
from benchwright.errors import RunError
from benchwright.progress import Watcher
from benchwright.records import Answer
from benchwright.store.key_set import KeySet
from benchwright.store.keys import ADDRESS, content_key
from benchwright.store.runfolder import RunFolder

if TYPE_CHECKING:  # SQLite: 5 ms, which a run of stored answers need not spend
    from benchwright.store.answer_cache import AnswerCache

_LOOKED_UP, _KEPT = 500, 50  # together


class NoKnownAnswers:
    """No cache: for answers that cost nothing, and where the user wants none."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Do nothing."""

    def fill(self, folder: RunFolder, prompts: Iterable[Prompt], done: KeySet) -> None:
        """Do nothing."""

    def keep(self, answers: Sequence[Answer]) -> None:
        """Do nothing."""


class KnownAnswers(NoKnownAnswers):
    """The cache for one model's questions. Its first error is reported once, and ends its use."""

    def __init__(self, model: Describing, address: str, cache: AnswerCache, watch: Watcher) -> None:
        self._model, self._address, self._cache, self._watch = model, address, cache, watch
        self._about: str | None = None
        self._waiting: list[tuple[str, Answer]] = []
        self._is_usable = True

    def __exit__(self, *error: object) -> None:
        self._write()
        self._cache.close()

    def fill(self, folder: RunFolder, prompts: Iterable[Prompt], done: KeySet) -> None:
        """Store the cached answers to these prompts in the folder, and add them to `done`."""
        oldest, number = "", 0
        with folder.answer_writer() as writer:
            for some in _batches(prompts):
                found = self._find(some)
                writer.append_all(found)
                for answer in found:
                    done.add(answer.key, answer.task_id)
                    oldest = min(oldest or answer.cached, answer.cached)
                number += len(found)
        if number:
            folder.event("cached", answers=number, oldest=oldest)
            self._watch.note(
                f"{counted(number, 'answer')} of earlier runs taken from the cache, the oldest of {oldest}; "
                "--no-cache asks anew"
            )

    def _find(self, prompts: Sequence[Prompt]) -> list[Answer]:
        by_key = {self._key(prompt.key): prompt for prompt in prompts} if self._is_usable else {}
        try:
            found = self._cache.find(list(by_key)) if by_key else {}
        except RunError as error:
            self._give_up(error)
            return []
        return [_to(by_key[key], answer) for key, answer in found.items()]

    def keep(self, answers: Sequence[Answer]) -> None:
        """Cache answers for later runs. Failures are not cached."""
        self._waiting += [(self._key(each.key), each) for each in answers if each.error is None]
        if len(self._waiting) >= _KEPT:
            self._write()

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting and self._is_usable:
            try:
                self._cache.keep(waiting)
            except RunError as error:
                self._give_up(error)

    def _key(self, key: str) -> str:
        if self._about is None:
            self._about = content_key(self._address, self._model.describe())
        return content_key(key, self._about)

    def _give_up(self, error: RunError) -> None:
        self._is_usable = False
        self._watch.note(f"{error.message}; the run goes on without it ({error.hint})")


def known_answers(model: Model, asking: Asking, watch: Watcher) -> NoKnownAnswers:
    """Return the cache for a served model, if the user wants one."""
    address = str(getattr(model, ADDRESS, ""))
    if asking.cache and address and isinstance(model, Describing):
        from benchwright.store.answer_cache import AnswerCache  # noqa: PLC0415

        return KnownAnswers(model, address, AnswerCache(), watch)
    return NoKnownAnswers()


def _batches(prompts: Iterable[Prompt]) -> Iterator[list[Prompt]]:
    rest = iter(prompts)
    while some := list(islice(rest, _LOOKED_UP)):
        yield some


def _to(prompt: Prompt, answer: Answer) -> Answer:
    """Return a cached answer as one to this prompt, whose sample may differ in another run."""
    return replace(
        answer,
        key=prompt.key,
        task_id=prompt.task_id,
        sample=prompt.sample,
        prompt=prompt.variant,
        round=prompt.round,
    )
