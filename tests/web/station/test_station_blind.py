"""No response to a judge reveals the run, its author, its scores, or other votes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from benchwright.records import Outcome, TaskId
from benchwright.web.station.judge_session import items_left
from kit.graded_runs import ANSWER, COMMENTS, ISSUES, comment_row, graded_run, rules
from kit.made_runs import finished_run
from kit.small_data import write
from kit.station_kit import Judge, Station, issue_run

Make = Callable[..., Station]
FOLDERS = ("hidden-folder-7f", "hidden-folder-8e")
MODELS = ("secret-model-one", "secret-model-two")
SCORE = 0.7361
_ADDRESS = re.compile(r'(?:href|src|action|hx-post)="(/[^"]*)"')


def hidden_run(folder: Path, number: int) -> Path:
    """Return a run with searchable names of every origin."""
    meta = {"repository": "quite-hidden-source", "url": "https://tracker.example/issue/77123"}
    rows = [comment_row(n, meta={"id": f"hidden-task-{n}", **meta}) for n in range(4)]
    data = write(folder / "hidden-data.jsonl", rows)
    text = ANSWER + f"\n# written differently {number}\n"
    answers = {
        f"hidden-task-{n}": [
            (
                f"```python\n{text.replace('area(', f'area_{n}(')}```",
                Outcome.scored.value,
                {"scores": rules(format=SCORE), "detail": "hidden-verdict"},
            )
        ]
        for n in range(4)
    }
    return finished_run(
        folder / FOLDERS[number], data, answers, model=f"openai:{MODELS[number]}", track=COMMENTS
    )


class Crawler:
    """Collects everything that is sent to a judge: addresses, headers and bodies of pages and of linked
    resources."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.seen: dict[str, str] = {}

    def keep(self, response: Any) -> None:
        """Store a response, and open all addresses in it."""
        told = [str(response.url), response.text, *(f"{a}: {b}" for a, b in response.headers.multi_items())]
        self.seen[f"{response.request.method} {response.url}"] = "\n".join(told)
        for address in _ADDRESS.findall(response.text):
            known = f"GET {self.judge.browser.client.base_url}{address.lstrip('/')}"
            if known not in self.seen and not address.endswith(("/logout", "/draft")):
                self.seen[known] = ""
                self.keep(self.judge.browser.get(address))

    def judge_all(self, grade: str) -> None:
        """Judge everything, with the steps that undo decisions."""
        self.keep(self.judge.browser.get("/judging"))
        while True:
            self.judge.open()
            self.keep(self.judge.browser.get(self.judge.path))
            self.judge.open()
            token = self.judge_token()
            for place in range(6):
                self.keep(self.judge.browser.get(f"{self.judge.path}/text/{token}/{place}"))
            self.judge.open()
            if not self.judge.fields:
                return
            other = {"preference": "tie", "annotation": f"1: area {grade}"}
            values = {field: other.get(field, grade) for field in self.judge.fields}
            answer = self.judge.send(comment=f"comment of {self.judge.account}", **values)
            assert answer.status_code == 303, answer.text  # otherwise the same item is shown for ever
            self.keep(answer)

    def judge_token(self) -> str:
        """Return the token of an open page."""
        self.judge.open()
        return self.judge.token if self.judge.fields else "x"


@pytest.mark.parametrize("kind", ["rate", "pair", "annotate"])
def test_no_byte_tells_an_origin(station: Make, tmp_path: Path, kind: str) -> None:
    """Search every page, part, text, file and header of two judges for all names, scores and votes."""
    runs = [hidden_run(tmp_path, number) for number in range(2 if kind != "annotate" else 1)]
    there = station(*runs, kind=kind, judgements=2, repeat_share=0.5)
    judges = [there.member(name) for name in ("ann-the-first", "bob-the-second")]
    crawlers = [Crawler(judge) for judge in judges]
    for crawler, grade in zip(crawlers, ("2", "4"), strict=True):
        crawler.judge_all(grade)
    items = there.items()
    secrets = {
        *FOLDERS,
        *MODELS,
        "openai",
        "hidden-data",
        "hidden-task",
        "quite-hidden-source",
        "tracker.example",
        "77123",
        str(SCORE),
        "hidden-verdict",
        str(tmp_path),
        *(item.item for item in items),
        *(answer.run for item in items for answer in item.answers),
        *(vote.judge for vote in there.votes()),
        *(vote.vote for vote in there.votes()),
    }
    leaks = [
        (address, secret)
        for crawler, other in zip(crawlers, reversed(judges), strict=True)
        for address, text in crawler.seen.items()
        for secret in (*secrets, other.account, f"comment of {other.account}")
        if secret in text
    ]

    assert leaks == []
    assert len(there.votes()) > 4
    assert all(len(crawler.seen) > 15 for crawler in crawlers)


def test_first_gold_and_repeat_cost_the_same(station: Make, tmp_path: Path) -> None:
    """A submit executes the same statements for every kind of item."""
    gold = tmp_path / "gold.jsonl"
    rows = (
        f'{{"task_id": {n}, "answer": "No {n}.", "expected": {{"decision": "wrong"}}}}' for n in (3, 9, 14)
    )
    gold.write_text("\n".join(rows), encoding="utf-8")
    there = station(issue_run(tmp_path / "long", 20), repeat_share=0.4, judgements=1, gold=gold)
    ann = there.member("ann")
    ann.open()
    done: list[tuple[str, ...]] = []
    running: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        running.append(statement)

    event.listen(there.database.engine, "before_cursor_execute", note)
    while ann.fields:
        running.clear()
        response = ann.browser.send(ann.path, **{"page": ann.token, "say-decision": "correct"})
        assert response.status_code == 303
        done.append(tuple(running))
        ann.open()
    rounds = [vote.round for vote in there.votes()]

    assert set(rounds) == {"first", "gold", "repeat"}
    assert len(set(done[:-1])) == 1  # after the last one no item is left to hold


def test_the_number_to_go_tells_no_repeat(station: Make, tmp_path: Path) -> None:
    """It decreases with each decision, whether that adds a repeat, is one, or is about a gold item."""
    gold = tmp_path / "gold.jsonl"
    rows = (f'{{"task_id": {n}, "answer": "No {n}.", "expected": {{"decision": "wrong"}}}}' for n in (3, 9))
    gold.write_text("\n".join(rows), encoding="utf-8")
    there = station(issue_run(tmp_path / "long", 20), repeat_share=0.4, judgements=1, gold=gold)
    ann = there.member("ann")
    left = [_to_go(ann.open())]
    while ann.fields:
        ann.send(decision="correct")
        left.append(_to_go(ann.browser.page))

    assert {vote.round for vote in there.votes()} == {"first", "gold", "repeat"}
    told = [items_left(number, 0.4) for number in range(round(1.4 * left[0]), 0, -1)]
    steady = min(len(left), len(told)) - 4  # the share of repeats is only a mean
    assert (left[0], left[:steady], left[-1]) == (22, told[:steady], 0)


def _to_go(page: str) -> int:
    found = re.search(r"decided, (\d+) left", page)
    assert found is not None
    return int(found[1])


def test_the_sides_of_a_pair_are_swapped(station: Make, tmp_path: Path) -> None:
    """Half of the pairs are swapped; the vote uses the item's own order in any case."""
    one = issue_run(tmp_path / "one", 24, text="First kind {n}.")
    two = issue_run(tmp_path / "two", 24, text="Second kind {n}.", model="openai:other")
    there = station(one, two, judgements=1)
    ann = there.member("ann")
    ann.open()
    left = 0
    while ann.fields:
        first = ann.browser.page.index("First kind") < ann.browser.page.index("Second kind")
        left += first
        ann.send(preference="a" if first else "b")
    votes = there.votes()
    items = {item.item: item for item in there.items()}
    preferred = {items[vote.item].answers["ab".index(str(vote.value))].text[:5] for vote in votes}

    assert 4 < left < 20
    assert preferred == {"First"}
    assert {vote.shown for vote in votes} == {"ab", "ba"}


def test_equal_answers_of_a_pair_need_nobody(station: Make, tmp_path: Path) -> None:
    """A pair of equal texts is a tie, and is shown to no judge."""
    one = issue_run(tmp_path / "one", 3, text="Same for all.")
    two = issue_run(tmp_path / "two", 4, text="Same for all.", model="openai:other")
    three = issue_run(tmp_path / "three", 3, text="Another {n}.", model="openai:third")

    there = station(one, three)
    assert len(there.items()) == 3
    assert there.made.equal_pairs == 0
    with pytest.raises(Exception, match=r"texts are equal|differ in their data"):
        station(one, two)


@pytest.mark.postgresql
def test_equal_answers_of_a_pair_are_told_as_ties(station: Make, tmp_path: Path) -> None:
    """The report on the new project and the owner's page count them, as no vote does; judges do not see the
    number."""
    one = issue_run(tmp_path / "one", 3, text="Call {n}.")
    texts = {1: "Call 1.", 2: "Other 2.", 3: "Other 3."}
    rows: dict[TaskId, list[tuple[str, str, dict[str, Any]]]] = {
        n: [(text, "undecided", {})] for n, text in texts.items()
    }
    two = graded_run(tmp_path / "two", ISSUES, rows, model="openai:other")
    there = station(one, two)
    ann, boss = there.member("ann"), there.member("boss", "owner").browser

    assert (there.made.items, there.made.equal_pairs) == (2, 1)
    assert "1, not shown to judges and not in the votes" in boss.get(f"/projects/{there.project}").text
    assert "2 left" in ann.open()
    assert "not shown to judges" not in ann.browser.page
