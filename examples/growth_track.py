"""A track: how does a function's time grow with its input? One of three labels; rows are {id, code, growth}.

[project.entry-points."benchwright.tracks"]
growth = "growth_track:TRACK"
"""

from benchwright.contracts import Extraction, Measure, MeasureSet, Question
from benchwright.records import Outcome, Task
from benchwright.stats.metrics import mean_metric
from benchwright.store.keys import content_key
from benchwright.tracks.correctness.track import CodeCorrectness
from benchwright.tracks.rows import Fields, load_tasks

LABELS = ("constant", "linear", "quadratic")
ASKED = f"How does its time grow with its input? One word: {', '.join(LABELS)}."


class Accuracy(MeasureSet):
    measures = (Measure(name="accuracy", better="is right more often", paired=True, shown="group"),)

    def metrics(self, tasks, answers, ks):
        values = [self.task_value("accuracy", given) for given in answers.values()]
        samples = min(map(len, answers.values()), default=0)
        return {"accuracy": mean_metric(values, draws=samples, samples=samples)} if values else {}

    def task_value(self, name, answers):
        return sum(each.outcome is Outcome.passed for each in answers) / len(answers)


class GrowthTrack(CodeCorrectness):
    """What is not said here is as there: nothing is run, a label is compared with the right one."""

    name, title, language, profiles, measures = "growth", "Growth", "en", ("strict",), Accuracy()

    def load(self, source):
        return load_tasks(source, _task)

    def prompt(self, task):
        return f"{task.inputs['code']}\n\n{ASKED}"

    def questions(self, task, *, language, form):
        return [Question(variant="en-01", text=self.prompt(task))]

    def stub(self, task):
        return LABELS[LABELS.index(task.outputs) - 1]

    def extract(self, task, answer, *, profile):
        said = [word for word in LABELS if word in answer.text.lower()]
        problem = None if len(said) == 1 else "unparsable"
        return Extraction(program="".join(said), rule="word", problem=problem)


def _task(row: Fields) -> Task:
    code, label = row.text("code", limit=10_000), row.text("growth", limit=9)
    known = {"task_id": row.identity("id"), "revision": content_key("growth", code, label), "meta": {}}
    return Task(instruction="", inputs={"code": code}, outputs=label, **known)


TRACK = GrowthTrack()
