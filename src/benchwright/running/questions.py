"""The questions of a run: each prompt with its content key, and the forecast before a model is asked."""

from __future__ import annotations

from collections.abc import Iterator

from benchwright.asking.ask import AskOptions, ask, repetitions
from benchwright.contracts import Demanding, Prompt
from benchwright.display.wording import counted
from benchwright.progress import Watcher
from benchwright.running.plan import Plan
from benchwright.running.stored_coverage import shape_in_words
from benchwright.running.taking_up import note_address
from benchwright.stats.power import detectable_before
from benchwright.store.keys import content_key
from benchwright.store.runfolder import RunFolder


class RunPrompts:
    """Every question of a run in canonical order. Keys contain the text of a variant, not its name."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def __len__(self) -> int:
        return self._plan.total

    def __iter__(self) -> Iterator[Prompt]:
        identity, n = content_key(self._plan.identity["model"]), self._plan.n
        counts = self._plan.counts
        for task in self._plan.tasks.values():
            for way, asked in enumerate(self._plan.prompting.questions(self._plan.track, task)):
                question = Prompt(
                    key="", task_id=task.task_id, sample=0, text=asked.text, variant=asked.variant
                )
                samples = range(way * n, min((way + 1) * n, counts[task.task_id]))
                yield from repetitions(question, revision=task.revision, identity=identity, samples=samples)


def ask_questions(plan: Plan, folder: RunFolder, watch: Watcher) -> None:
    """Fill answers.jsonl: ask each question of the plan once."""
    done = folder.done_keys()
    if len(done) < plan.total:
        note_address(plan, folder)
        if told := shape_in_words(plan):
            watch.note(told)
    options = AskOptions(
        asking=plan.asking,
        tasks=plan.data,
        purpose=lambda: purpose(plan),
        order=lambda head: plan.rank(head.task_id, head.sample),
    )
    ask(RunPrompts(plan), plan.model, folder, watch, options, done=done)


def check_ready(plan: Plan, folder: RunFolder) -> None:
    """Raise PrerequisiteError where answers are missing and the model cannot be asked.

    A run that has all its answers needs no API key.
    """
    if isinstance(plan.model, Demanding) and len(folder.done_keys()) < plan.total:
        plan.model.check_ready()


def purpose(plan: Plan) -> tuple[str, str]:
    """Return the purpose of a run's requests, and the smallest difference they can show."""
    what = f"{counted(len(plan.tasks), 'task')}, {_design(plan)}, {counted(plan.n, 'answer')} to each"
    return what, _difference(plan)


def _design(plan: Plan) -> str:
    prompting = plan.prompting
    if prompting.design == "row":
        return "the data set's own prompt"
    many = f"{len(prompting.variants)} prompts ({prompting.language}, {prompting.form})"
    return f"each in each of {many}" if prompting.design == "all" else f"spread over {many}"


def _difference(plan: Plan) -> str:
    """Return the detectable difference of the headline measure, which has the most independent answers."""
    least, measure = detectable_before(len(plan.tasks), plan.a_task), plan.track.measures.headline.title
    if least is None:
        return (
            f"with {counted(len(plan.tasks), 'task')} no difference of {measure} between two models would be "
            f"found four times in five, however large: more tasks are needed to compare them"
        )
    return (
        f"with so many answers, a difference of {100 * least:.1f} points of {measure} between two models "
        "would be found four times in five, and a smaller one less often"
    )
