"""The loop that asks a model: each prompt once, each answer stored as it arrives.

Every part that asks a model uses this loop: runs, and builds whose tests a model writes. Stored answers are
not asked for again, whichever model it is and however asking ended. With --cache, answers of earlier runs are
taken from the user's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import msgspec
from msgspec.structs import replace

from benchwright.asking.cost import AskTally, Forecast, forecast, foresee, price_share
from benchwright.contracts import (
    BatchableModel,
    ConversationalModel,
    CostCountingModel,
    DescribedModel,
    Model,
    ObservableModel,
    Prompt,
    RequestOptions,
)
from benchwright.display.wording import counted
from benchwright.errors import RunError, UsageError
from benchwright.progress import Watcher, stage
from benchwright.records import Answer, Task, TaskId
from benchwright.store.keys import ADDRESS, KeySet, content_key
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import Head

if TYPE_CHECKING:
    from benchwright.asking.schema import Schema
    from benchwright.store.answer_cache import AnswerCache


# Prompts on their way to a model: in which order, by which keys, and which models can take them.


class Prompts(Protocol):
    """All prompts of one purpose, in canonical order, which can be iterated repeatedly. A list is one."""

    def __len__(self) -> int:
        """Return the number of prompts."""
        ...

    def __iter__(self) -> Iterator[Prompt]:
        """Yield each prompt, generated on demand: there may be a million."""
        ...


def reads_prompts(model: Model) -> bool:
    """Return False for a model whose answers do not depend on prompts: stored, gold, stub.

    Such a model has an attribute `reads_prompts`. A model without it is taken to read them.
    """
    return bool(getattr(model, "reads_prompts", True))


def repetitions(
    question: Prompt, *, revision: str, identity: str, samples: Iterable[int]
) -> Iterator[Prompt]:
    """Yield a question once for each sample, with its content key.

    The key contains everything that decides the answer: the revision of the task, the question, the model
    (`identity` is its content key), and the sample. The question's own key is ignored.
    """
    question_key = content_key(revision, _content(question), identity)
    for sample in samples:
        yield msgspec.structs.replace(question, key=content_key(question_key, sample), sample=sample)


def check_prompt(prompt: Prompt, model: Model) -> None:
    """Raise UsageError for an invalid conversation, and for features that the model lacks."""
    if not prompt.history and prompt.schema is None:
        return
    takes = model.takes if isinstance(model, ConversationalModel) else frozenset()
    wanted = {"history": bool(prompt.history), "schema": prompt.schema is not None}
    lacking = [name for name, wants in wanted.items() if wants and name not in takes]
    if lacking and reads_prompts(model):
        raise UsageError(f"{model.spec} takes plain texts only: {_LACKING[lacking[0]]}", hint=_MODEL_HINT)
    roles = [message.role for message in prompt.history]
    spoken = roles[1:] if roles[:1] == ["system"] else roles
    if spoken != ["user", "assistant"] * (len(spoken) // 2):
        message = f"task {prompt.task_id}: user and assistant messages must alternate: {', '.join(roles)}"
        raise UsageError(message, hint="a system message may come first, and the prompt's text comes last")


_LACKING = {
    "history": "these prompts continue a conversation",
    "schema": "these prompts ask for replies by a JSON schema",
}
_MODEL_HINT = "use a model that is served, with its chat interface: --model openai:NAME --api chat"


def _content(question: Prompt) -> Any:
    """Return the question for the key. A plain text stands for itself."""
    if not question.history and question.schema is None:
        return question.text
    return {
        "history": [[message.role, message.content] for message in question.history],
        "text": question.text,
        "schema": question.schema,
    }


# The loop that asks a model: each prompt once, each answer stored as it arrives. Everything that asks a
# model asks it here: a run, a build whose tests a model writes. What was answered before is not asked
# again, whichever model it is and however asking ended.

AnswerOrder = Callable[[Head], int]
TOGETHER = 64  # answers that cost nothing to have again


class AskOptions(NamedTuple):
    """How prompts are asked and reported.

    `tasks` are all tasks that stored answers may belong to. `purpose` is called where a live model is asked,
    see `foresee`. `order` returns the rank of an answer, where the prompts need not be iterated for it.
    """

    asking: RequestOptions
    tasks: Mapping[TaskId, Task]
    purpose: Callable[[], Sequence[str]]
    order: AnswerOrder | None = None
    stage: str = "answers"


def ask(
    prompts: Prompts,
    model: Model,
    folder: RunFolder,
    watch: Watcher,
    options: AskOptions,
    *,
    done: KeySet | None = None,
) -> None:
    """Fill the folder's answers.jsonl. A prompt whose key has an answer is not asked again.

    Answers are stored in the order in which the model gives them, and sorted like the prompts at the end.
    `done` has the answered keys, where the caller knows them; it is empty afterwards. Raises RunError where
    nothing was answered, or not everything was asked: a part of the answers would mislead.
    """
    done = folder.done_keys() if done is None else done
    cache = open_answer_cache(model, options.asking, watch)
    cache.fill(folder, waiting(prompts, done), done)
    ahead = _ahead(prompts, done, live=reads_prompts(model))
    known = len(prompts) - ahead.requests
    tally = AskTally(options.asking, folder, watch)
    if ahead.requests and reads_prompts(model):
        for line in foresee(ahead, options.asking, spec=model.spec, purpose=options.purpose()):
            watch.note(line)
    with cache, folder.answer_writer() as writer, stage(watch, options.stage, total=len(prompts), done=known):
        _introduce(model, folder, tally, options.asking)
        replies = _Replies(model)
        with _closing(model.answer(replies.to(waiting(prompts, done)), options.tasks)) as answers:
            for some in _together(map(replies.checked, answers), 1 if reads_prompts(model) else TOGETHER):
                writer.append_all(some)
                cache.keep(some)
                for answer in some:
                    tally.count(answer)
    done.clear()  # of a million, their memory is what it takes to put the rows in order
    folder.finalize(options.order or _order(prompts), profiles=())
    _check(model, tally, options.asking, wanted=ahead.requests, known=known)


def waiting(prompts: Prompts, done: KeySet) -> Iterator[Prompt]:
    """Yield the prompts without an answer."""
    return (each for each in prompts if (each.key, each.task_id) not in done) if done else iter(prompts)


def _together(answers: Iterator[Answer], most: int) -> Iterator[list[Answer]]:
    """Yield batches of answers that are stored with one write; of a live model, single answers."""
    while some := list(islice(answers, most)):
        yield some


class _Replies:
    """Checks prompts before they are sent, and replies against the schemas of their prompts."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._live = reads_prompts(model)
        self._schemas: dict[str, Schema] = {}  # by the prompt's key; of a live model a reply may come twice
        self._rounds: dict[str, int] = {}
        self._last: tuple[dict[str, Any], Schema] | None = None

    def to(self, prompts: Iterable[Prompt]) -> Iterator[Prompt]:
        """Yield the prompts. Raises UsageError for one that cannot be asked."""
        for prompt in prompts:
            check_prompt(prompt, self._model)
            if prompt.schema is not None:
                self._schemas[prompt.key] = self._read(prompt.schema)
            if prompt.round:
                self._rounds[prompt.key] = prompt.round
            yield prompt

    def _read(self, document: dict[str, Any]) -> Schema:
        """Read a schema once for all prompts that share the object."""
        if self._last is None or self._last[0] is not document:
            from benchwright.asking.schema import read_schema  # noqa: PLC0415 (few prompts have a schema)

            self._last = document, read_schema(document)
        return self._last[1]

    def checked(self, answer: Answer) -> Answer:
        """Return the answer with its round, and with the reason where it does not fit its schema."""
        if number := self._rounds.get(answer.key):
            answer = replace(answer, round=number)
        schema = self._schemas.get(answer.key) if self._live else self._schemas.pop(answer.key, None)
        if schema is None or answer.error is not None:
            return answer
        from benchwright.asking.schema import misfit  # noqa: PLC0415 (few prompts have a schema)

        cut_off = answer.finish_reason == "length"
        return replace(answer, schema_error=misfit(answer.text, schema, cut_off=cut_off))


def _ahead(prompts: Prompts, done: KeySet, *, live: bool) -> Forecast:
    """Forecast the remaining requests. Lengths of prompts matter only for a model that reads them."""
    if live:
        return forecast(waiting(prompts, done))
    return Forecast(requests=sum(1 for _ in waiting(prompts, done)) if done else len(prompts))


def _introduce(model: Model, folder: RunFolder, tally: AskTally, asking: RequestOptions) -> None:
    """Listen to a model's events, report earlier spending to a model with a budget, and keep its batches."""
    if isinstance(model, BatchableModel):
        model.store_batches_in(folder.path)
    if isinstance(model, ObservableModel):
        model.observe(tally.hear)
    if isinstance(model, CostCountingModel):
        used_in = used_out = 0.0
        price = price_share(asking, batch=asking.batch)
        for answer in folder.answers():
            if answer.cached:  # it cost this run nothing
                continue
            tally.add_tokens(answer)
            share = (
                price_share(asking, batch=bool(answer.batch)) / price
            )  # counted at the price of this session
            used_in += share * (answer.tokens_in or 0)
            used_out += share * (answer.tokens_out or 0)
        model.already(ceil(used_in), ceil(used_out))


@contextmanager
def _closing(answers: Iterator[Answer]) -> Iterator[Iterator[Answer]]:
    """Close a model's generator when asking ends, in any way.

    On Ctrl-C requests in flight are then cancelled at once, not at garbage collection.
    """
    try:
        yield answers
    finally:
        close: Any = getattr(answers, "close", None)
        if close is not None:
            close()


def _order(prompts: Prompts) -> AnswerOrder:
    """Return the rank of an answer by its prompt. Answers to prompts that are no longer asked come last."""
    ranks = {(prompt.task_id, prompt.sample): rank for rank, prompt in enumerate(prompts)}
    return lambda head: ranks.setdefault((head.task_id, head.sample), len(ranks))


def _check(model: Model, tally: AskTally, asking: RequestOptions, *, wanted: int, known: int) -> None:
    """Raise RunError for no answers, or only a part of them: their score would mislead."""
    if tally.failed and tally.failed == tally.asked and not known:
        raise RunError(
            f"{model.spec} gave no answer to any of {counted(tally.asked, 'question')}: {tally.reasons[0]}",
            hint="fix the cause; the same command asks again",
        )
    if tally.asked < wanted:
        raise RunError(
            f"{wanted - tally.asked:,} of {counted(wanted + known, 'question')} not asked",
            hint="run the same command again to continue, with a higher "
            f"{asking.options}budget where that was the reason",
        )


_LOOKUP_BATCH, _STORE_BATCH = 500, 50  # answers looked up and stored at once


class NoCachedAnswers:
    """No cache: for answers that cost nothing, and where the user wants none."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Do nothing."""

    def fill(self, folder: RunFolder, prompts: Iterable[Prompt], done: KeySet) -> None:
        """Do nothing."""

    def keep(self, answers: Sequence[Answer]) -> None:
        """Do nothing."""


class CachedAnswers(NoCachedAnswers):
    """The cache for one model's questions. Its first error is reported once, and ends its use."""

    def __init__(self, model: DescribedModel, address: str, cache: AnswerCache, watch: Watcher) -> None:
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
                "--no-cache asks again"
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
        if len(self._waiting) >= _STORE_BATCH:
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
        self._watch.note(f"{error.message}; the run continues without it ({error.hint})")


def open_answer_cache(model: Model, asking: RequestOptions, watch: Watcher) -> NoCachedAnswers:
    """Return the cache for a served model, if the user wants one."""
    address = str(getattr(model, ADDRESS, ""))
    if asking.cache and address and isinstance(model, DescribedModel):
        from benchwright.store.answer_cache import AnswerCache  # noqa: PLC0415

        return CachedAnswers(model, address, AnswerCache(), watch)
    return NoCachedAnswers()


def _batches(prompts: Iterable[Prompt]) -> Iterator[list[Prompt]]:
    rest = iter(prompts)
    while some := list(islice(rest, _LOOKUP_BATCH)):
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
