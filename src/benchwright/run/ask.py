"""The stage that gets answers: each prompt once, each answer stored as it arrives."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.contracts import Prompt
from benchwright.run.plan import Plan
from benchwright.run.watch import Watcher, stage
from benchwright.store.keys import compact, content_key
from benchwright.store.runfolder import RunFolder


def ask(plan: Plan, folder: RunFolder, watch: Watcher) -> None:
    """Fill answers.jsonl. A prompt whose key is there with an answer is not asked again."""
    done = folder.done_keys()
    with stage(watch, "answers", total=plan.total, done=len(done)), folder.answer_writer() as writer:
        waiting = (prompt for prompt in prompts(plan) if compact(prompt.key) not in done)
        for answer in plan.model.answer(waiting, plan.data):
            writer.append(answer)
            watch.tick(None)
    folder.finalize(lambda head: plan.rank(head.task_id, head.sample), profiles=())  # one row an answer


def prompts(plan: Plan) -> Iterator[Prompt]:
    """Every question of a run in canonical order, with its content key.

    The key names all that decides the answer: the task as it is, the prompt's text, the model with
    its parameters, and which repetition this is.
    """
    identity = content_key(dict(plan.model.identity()))
    for task in plan.tasks.values():
        text = plan.track.prompt(task)
        asked = content_key(task.revision, text, identity)
        for sample in range(plan.n):
            yield Prompt(key=content_key(asked, sample), task_id=task.task_id, sample=sample, text=text)
