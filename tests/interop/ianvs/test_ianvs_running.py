"""Running jobs: each fault that Ianvs is known for, with the numbers it gives there and here."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from benchwright.errors import DataError, RunError, UsageError
from benchwright.interop.ianvs.job_run import JobReport
from benchwright.store.atomic_files import lock, open_grown
from kit.made_ianvs import (
    ACC,
    IMPORTS,
    MODEL,
    REPLIES,
    algorithm,
    job,
    judged_job,
    module,
    run,
    small_job,
    write,
    write_lines,
)


def table(report: JobReport, name: str = "all_rank.csv") -> list[dict[str, str]]:
    """The rows of a rank file."""
    with (report.job.workspace / "rank" / name).open(newline="") as file:
        return list(csv.DictReader(file))


def values(report: JobReport) -> dict[str, Any]:
    """The first metric of each result by algorithm."""
    return {each.algorithm: next(iter(each.metrics.values())).value for each in report.results}


def model(**changed: str) -> str:
    """The model that always answers A, with one method replaced."""
    text = MODEL
    for name, body in changed.items():
        at = text.index(f"    def {name}(")
        end = text.find("\n\n    def ", at)
        text = (
            text[:at]
            + "    "
            + dedent(body).replace("\n", "\n    ").rstrip()
            + (text[end:] if end > 0 else "")
        )
    return text


# F1: files of one stem.


def test_two_files_of_one_name_are_two_models(tmp_path: Path) -> None:
    """One always says A, the other B: 0.667 and 0.333, where Ianvs gives 0.667 to both."""
    write(
        tmp_path,
        acc_py=ACC,
        one__basemodel_py=MODEL,
        two__basemodel_py=MODEL.replace('letter="A"', 'letter="B"'),
    )
    both = {
        name: algorithm(tmp_path, name, module("model", f"./{name}/basemodel.py")) for name in ("one", "two")
    }

    report = run(job(tmp_path, both))

    assert {name: round(value, 3) for name, value in values(report).items()} == {"one": 0.667, "two": 0.333}
    assert [row["algorithm"] for row in table(report)] == ["one", "two"]


def test_neighbours_of_one_name_are_two_modules(tmp_path: Path) -> None:
    """Within one case too: the metric and the model each import their own `shared`."""
    answer = "def answer(self, question):\n    return shared.LETTER"
    write(
        tmp_path,
        a__model_py="import shared\n" + model(answer=answer),
        a__shared_py='LETTER = "B"',
        b__acc_py="import shared\n" + ACC.replace("len(y_pred)", "len(y_pred) * shared.FACTOR"),
        b__shared_py="FACTOR = 100",
    )
    url = algorithm(tmp_path, "one", module("model", "./a/model.py"))

    report = run(job(tmp_path, {"one": url}, metrics=[{"name": "acc", "url": "./b/acc.py"}]))

    assert round(values(report)["one"], 1) == 33.3


def test_a_file_named_like_a_library_is_loaded(tmp_path: Path) -> None:
    """Ianvs would import the standard library's `json` in place of the example's json.py."""
    write(tmp_path, acc_py=ACC, json_py=MODEL)

    report = run(job(tmp_path, {"one": algorithm(tmp_path, "one", module("model", "./json.py"))}))

    assert (report.complete, round(values(report)["one"], 3)) == (True, 0.667)


# F2, F3: texts of a judge without a score.


def test_a_partial_score_is_not_ranked(tmp_path: Path) -> None:
    """Four of five texts have a score that the metric reads; it leaves the fifth out: 7.75."""
    report = run(judged_job(tmp_path))
    (measured,) = report.results[0].metrics.values()

    assert (measured.value, measured.scored, measured.total, report.complete) == (7.75, 4, 5, False)
    assert [(row["rank"], row["llm_judgement"], row["scored"]) for row in table(report)] == [
        ("", "7.75", "llm_judgement 4/5")
    ]


def test_strict_drops_as_ianvs_does(tmp_path: Path) -> None:
    """7.75 has rank 1; a second run leaves two rows in one file and one in the other."""
    path = judged_job(tmp_path)
    first = run(path, strict=True)
    second = run(path, strict=True)

    assert first.complete and second.complete
    for report, name, ranks in ((second, "all_rank.csv", ["1", "2"]), (second, "selected_rank.csv", ["1"])):
        rows = table(report, name)
        assert [(row["rank"], row["llm_judgement"]) for row in rows] == [(rank, "7.75") for rank in ranks]
        assert ",".join(rows[0]) == "rank,algorithm,llm_judgement,paradigm,basemodel,time,url"


@pytest.mark.parametrize(
    ("replies", "value", "scored"),
    [
        (["{'Composite score': 9}", *["no score"] * 99], 9.0, 1),
        (["no score"] * 3, -1.0, 0),
        (REPLIES[:3], 8.0, None),
    ],
)
def test_how_many_texts_count_in_a_metric(
    tmp_path: Path, replies: list[str], value: float, scored: int
) -> None:
    """One of a hundred is no 9.0, none is no -1; where all have one there is nothing to say."""
    report = run(judged_job(tmp_path, replies))
    (measured,) = report.results[0].metrics.values()

    assert (measured.value, measured.scored, bool(report.standings.ranked)) == (value, scored, scored is None)


def test_our_own_composite(tmp_path: Path) -> None:
    """The job names it without a url: fractions count, and the last score of a text is the judge's own."""
    replies = ["{'Composite score': 8.5}", "he wrote 'Composite score': 10\n{\"Composite score\": 2}"]
    metrics = [{"name": "composite_score"}]
    report = run(judged_job(tmp_path, replies, metrics=metrics))
    exact = run(judged_job(tmp_path, replies, metrics=[{"name": "composite_score", "form": "ianvs-exact"}]))

    assert (values(report), values(exact)) == ({"comments": 5.25}, {"comments": 9.0})
    assert (report.complete, exact.other) == (True, 1)


# F4: what fails costs nothing else.


def test_one_failing_case_costs_no_other(tmp_path: Path) -> None:
    """The second of three raises at its last item: the others have their rows, and it is named."""
    answer = """
    def answer(self, question):
        if self.letter == "B" and question == "question 2?":
            return None + "text"
        return self.letter
    """
    write(tmp_path, acc_py=ACC, model_py=model(answer=answer))
    url = algorithm(tmp_path, "grid", module("model", "./model.py", letter=["A", "B", "C"]))

    report = run(job(tmp_path, {"grid": url}), items="each")
    (failed,) = report.failures

    assert [row["basemodel-letter"] for row in table(report)] == ["A", "C"]
    assert (failed.case, failed.hyperparameters) == (2, {"basemodel-letter": "B"})
    assert failed.stage == f"predict of item 3 ({tmp_path / 'data.jsonl'}:3)"
    assert failed.message.startswith("TypeError: unsupported operand")
    line = model(answer=answer).splitlines().index('            return None + "text"') + 1
    assert failed.place == f"{tmp_path / 'model.py'}:{line}"
    assert "Traceback" in Path(failed.log).read_text()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("def load(self, path=None):\n    raise SystemExit(3)", "SystemExit: 3"),
        (
            "def load(self, path=None):\n    import os; os._exit(3)",
            "the process exited with code 3",
        ),
        (
            "def load(self, path=None):\n    import os; os.kill(os.getpid(), 9)",
            "the process was killed by SIGKILL",
        ),
        ("def load(self, path=None):\n    while True: pass", "timed out after {seconds} s"),
    ],
)
def test_a_case_that_ends_its_process(tmp_path: Path, body: str, message: str) -> None:
    """For all ways to end it, the report names the stage."""
    write(tmp_path, acc_py=ACC, model_py=model(load=body))
    url = algorithm(tmp_path, "one", module("model", "./model.py"))

    for seconds in (3, 30, 300):  # a slow machine may need longer to get there
        (failed,) = run(job(tmp_path, {"one": url}), timeout_s=seconds).failures
        if failed.stage == "load":
            break

    assert (failed.message, failed.stage) == (message.format(seconds=seconds), "load")


def test_metrics_that_give_nothing(tmp_path: Path) -> None:
    """None, NaN, a mapping and an exception: each named, and no other metric lost."""
    kinds = {"none": "None", "nan": "float('nan')", "several": "{'a': 1}", "broken": "1 / 0"}
    write(tmp_path, acc_py=ACC, model_py=MODEL)
    for name, value in kinds.items():
        text = f"@ClassFactory.register(ClassType.GENERAL, alias={name!r})\ndef metric(y_true, y_pred):\n    return {value}\n"
        write(tmp_path, **{f"{name}_py": IMPORTS + text})
    metrics = [{"name": name, "url": f"./{name}.py"} for name in ("acc", *kinds)]
    url = algorithm(tmp_path, "one", module("model", "./model.py"))

    report = run(job(tmp_path, {"one": url}, metrics=metrics))
    said = {name: trouble for _, name, trouble in report.troubles}
    (row,) = table(report)

    assert said == {
        "none": "returned None",
        "nan": "returned nan",
        "several": "returned a value of the type dict, which has no order",
        "broken": "raised ZeroDivisionError: division by zero",
    }
    assert [row[name] for name in ("rank", "none", "nan", "several", "broken")] == [
        "1",
        "",
        "",
        "{'a': 1}",
        "",
    ]
    assert not report.complete


def test_a_metric_that_is_not_registered(tmp_path: Path) -> None:
    """Found before anything is asked."""
    path = small_job(tmp_path, metrics=[{"name": "accuracy", "url": "./acc.py"}])

    (failed,) = run(path).failures

    assert (
        failed.message == f"{tmp_path / 'acc.py'}: registers no 'accuracy' of type general; registered: 'acc'"
    )
    assert failed.stage == "loading the metrics"


# F6: everything is kept, and a case goes on.


def test_predictions_are_kept_and_not_asked_for_again(tmp_path: Path) -> None:
    """A case that failed at its second item has one prediction; when it goes on it asks for the other two."""
    answer = """
    def answer(self, question):
        with open("asked.txt", "a") as file:
            file.write(question + "\\n")
        if question == "question 1?" and not __import__("os").path.exists("up"):
            raise ConnectionError("the server is down")
        return self.letter
    """
    write(tmp_path, acc_py=ACC, model_py=model(answer=answer))
    path = job(tmp_path, {"one": algorithm(tmp_path, "one", module("model", "./model.py"))})
    first = run(path, items="each")
    (tmp_path / "up").touch()
    second = run(path, items="each")
    third = run(path, items="each")

    assert [len(each.failures) for each in (first, second, third)] == [1, 0, 0]
    assert (tmp_path / "asked.txt").read_text().split("\n")[:-1] == [
        f"question {number}?" for number in (0, 1, 1, 2)
    ]
    assert (second.known, third.known, third.results) == (0, 1, second.results)
    assert second.results[0].remarks == ["1 of 3 predictions are from an earlier process"]


def test_a_new_metric_asks_for_nothing_again(tmp_path: Path) -> None:
    """The predictions of a case do not hang on what measures them: its model is not even loaded."""
    write(tmp_path, testenv__acc_py=ACC, models__model_py=MODEL)
    url = algorithm(tmp_path, "always", module("model", "./models/model.py"))
    path = job(tmp_path, {"always": url}, metrics=[{"name": "acc", "url": "./testenv/acc.py"}])
    run(path)
    (tmp_path / "testenv" / "acc.py").write_text(ACC.replace("return ", "return 100 * "))
    report = run(path)

    assert (round(values(report)["always"], 1), report.other) == (66.7, 1)
    assert report.results[0].remarks == ["all 3 predictions are from an earlier process"]


def test_what_a_prediction_cost_is_kept(tmp_path: Path) -> None:
    """Each line of the journal has the item, its line, and what it took."""
    report = run(small_job(tmp_path))
    rows = [
        json.loads(line) for line in Path(report.results[0].url, "predictions.jsonl").read_text().splitlines()
    ]

    assert [(row["item"], row["line"], row["prediction"]) for row in rows] == [
        (0, 1, "A"),
        (1, 2, "A"),
        (2, 3, "A"),
    ]
    assert all(row["seconds"] >= 0 and row["cpu_s"] >= 0 and row["peak_mb"] > 5 for row in rows)


def test_a_fresh_run_asks_again(tmp_path: Path) -> None:
    """And gives the same result a second time."""
    path = small_job(tmp_path)
    first, again = run(path), run(path, fresh=True)

    assert (again.known, again.results[0].remarks, values(again)) == (0, [], values(first))


def test_two_runs_at_once(tmp_path: Path) -> None:
    """The second is refused while the first has the workspace."""
    path = small_job(tmp_path)
    run(path)
    held = tmp_path / "workspace" / "small" / ".lock"
    fd = open_grown(held, os.O_CREAT)
    lock(fd, held)
    with pytest.raises(RunError, match="is being written by another run"):
        run(path)
    os.close(fd)


# F8: rank files.


def test_columns_stand_in_the_order_of_the_job(tmp_path: Path) -> None:
    """Metrics as the test environment lists them; a 2 × 2 grid and a second algorithm give five rows."""
    write(
        tmp_path, acc_py=ACC, len_py=ACC.replace('"acc"', '"len"').replace("sum(", "0 * sum("), model_py=MODEL
    )
    grid = algorithm(tmp_path, "grid", module("model", "./model.py", letter=["A", "B"], lr=[0.1, 0.2]))
    one = algorithm(tmp_path, "one", module("model", "./model.py"))
    metrics = [{"name": "len", "url": "./len.py"}, {"name": "acc", "url": "./acc.py"}]

    report = run(
        job(tmp_path, {"grid": grid, "one": one}, metrics=metrics, rank={"sort_by": [{"acc": "descend"}]})
    )
    rows = table(report)

    assert list(rows[0])[:10] == (
        [
            "rank",
            "algorithm",
            "len",
            "acc",
            "paradigm",
            "basemodel",
            "basemodel-letter",
            "basemodel-lr",
            "time",
            "url",
        ]
    )
    assert [
        (row["rank"], row["algorithm"], row["basemodel-letter"], row["basemodel-lr"]) for row in rows
    ] == [
        ("1", "grid", "A", "0.1"),
        ("2", "grid", "A", "0.2"),
        ("3", "one", "", ""),
        ("4", "grid", "B", "0.1"),
        ("5", "grid", "B", "0.2"),
    ]
    assert {row["isolation"] for row in rows} == {"none"}


def test_results_of_other_data_are_not_mixed(tmp_path: Path) -> None:
    """After a change of the data, earlier results are kept, counted, and not ranked with new ones."""
    path = small_job(tmp_path)
    before = run(path)
    write_lines(tmp_path / "data.jsonl", [{"question": "?", "answer": "B"}])
    after = run(path)

    assert (values(before)["always"] > 0.6, values(after)) == (True, {"always": 0.0})
    assert (len(table(after)), after.other) == (1, 1)


def test_rank_files_of_ianvs_are_not_lost(tmp_path: Path) -> None:
    """If Ianvs wrote them, a message says so before anything runs."""
    path = small_job(tmp_path)
    run(path, strict=True)

    with pytest.raises(UsageError, match=r"was written by Ianvs, or a run with `--compat strict`"):
        run(path)


# What Ianvs does besides.


@pytest.mark.parametrize("strict", [False, True])
def test_preprocess_may_be_absent(tmp_path: Path, strict: bool) -> None:
    """Ianvs needs it, and calls it once more where it returned something: so do we."""
    counting = "def preprocess(self, **rest):\n    open('log.txt', 'a').write('x')\n    return 1"
    write(
        tmp_path,
        acc_py=ACC,
        model_py=model(preprocess=counting),
        bare_py=MODEL.replace("preprocess", "other"),
    )
    path = job(tmp_path, {"one": algorithm(tmp_path, "one", module("model", "./model.py"))})
    bare = algorithm(tmp_path, "bare", module("model", "./bare.py"))
    log = tmp_path / "log.txt"
    assert run(path, strict=strict).complete and log.read_text() == "xx"

    assert run(job(tmp_path, {"bare": bare}), strict=strict).complete


def test_a_grid_that_nobody_means(tmp_path: Path) -> None:
    """A million cases are refused, with the name of the file."""
    write(tmp_path, acc_py=ACC, model_py=MODEL)
    names = {f"h{number}": list(range(10)) for number in range(6)}
    url = algorithm(tmp_path, "grid", module("model", "./model.py", **names))

    with pytest.raises(DataError, match=r"1,000,000 combinations of hyperparameters; the limit is 10,000"):
        run(job(tmp_path, {"grid": url}))
