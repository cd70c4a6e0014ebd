"""Complete listings of a hub with their cards: every model is a record or a drop, for any behaviour of the
server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import Inventory, Item
from benchwright.errors import BenchwrightError, PrerequisiteError, RunError, UsageError
from benchwright.http_client import WaitingClock
from benchwright.records import Drop
from benchwright.sources.hub import connection
from benchwright.sources.hub.model_hub import ModelHubSource, open_hub
from benchwright.sources.hub.model_list import read_query
from benchwright.sources.model_cards import MAX_CARD
from benchwright.sources.model_records import ModelRecord
from kit.made_github import endless
from kit.made_hub import RESOLVED, HubReply, MadeHub, card_reply, missing, model, serving_hub
from kit.needs import need_module
from kit.processes import HANG_S

hub_library = need_module("huggingface_hub", reason="huggingface_hub is not installed: uv sync")
need_module("huggingface_hub.constants")

CARD = "---\nlicense: mit\npipeline_tag: fill-mask\n---\n# T\n\nText.\n\n```python\nx = 1\n```\n"


@pytest.fixture(scope="module")
def served() -> Iterator[MadeHub]:
    """Use one server for all tests here."""
    with serving_hub() as hub:
        yield hub


@pytest.fixture
def hub(served: MadeHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> MadeHub:
    """Return the server in its first state, with seven models, and no token."""
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(hub_library.constants, "HF_TOKEN_PATH", str(tmp_path / "none"))
    served.models[:] = [model(f"acme/m{number}", CARD) for number in range(7)]
    served.asked.clear()
    served.script.clear()
    return served


class Slept:
    """A clock that advances only by waiting."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self._now = time.time()

    @property
    def clock(self) -> WaitingClock:
        """Return the clock in the form that the source takes."""
        return WaitingClock(now=lambda: self._now, sleep=self._sleep)

    def _sleep(self, wait: float) -> None:
        self.waits.append(wait)
        self._now += wait

    def pass_by(self, seconds: float) -> None:
        """Let time pass."""
        self._now += seconds


Found = tuple[dict[str, ModelRecord], dict[str, str], Inventory[ModelRecord]]


def _collect(
    hub: MadeHub,
    folder: Path,
    rest: str = "limit=50",
    *,
    licences: tuple[str, ...] = (),
    slept: Slept | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Found:
    query = read_query(f"{rest},endpoint={hub.endpoint}")
    source = ModelHubSource(query, licences, clock=(slept or Slept()).clock)
    inventory = source.collect(folder, tell)
    items = list(inventory.items)
    assert len(items) == inventory.total
    records = {item.record.id: item.record for item in items if isinstance(item, Item)}
    return records, {item.unit: item.reason for item in items if isinstance(item, Drop)}, inventory


def _card_line(hub: MadeHub, number: int, method: str = "GET") -> str:
    entry = hub.models[number].entry
    return f"{method} /{entry['id']}/resolve/{entry['sha']}/README.md"


def test_all_pages_and_cards(hub: MadeHub, tmp_path: Path) -> None:
    """Three pages by their links, then each card at the listed commit."""
    records, drops, inventory = _collect(hub, tmp_path)

    assert (sorted(records), drops) == ([f"acme/m{number}" for number in range(7)], {})
    assert inventory.notes == ["hub: models listed: 7"]
    assert hub.lines()[:3] == ["GET /api/models"] * 3
    assert hub.lines()[3:5] == [_card_line(hub, 0, "HEAD"), _card_line(hub, 0)]
    record = records["acme/m0"]
    assert (record.origin, record.licence, record.task) == ("huggingface", "MIT", "text-classification")
    assert (record.revision, record.revised_at) == (hub.models[0].entry["sha"], "2026-02-03T04:05:06+00:00")
    assert [(block.code, block.first_line) for block in record.blocks] == [("x = 1", 10)]
    assert (record.description, record.libraries) == ("Text.", ["transformers"])
    assert record.metadata["files"] == ["config.json", "README.md"]


def test_offline_after_the_first_time(hub: MadeHub, tmp_path: Path) -> None:
    """The same call again gives the same records and sends nothing, whatever the hub has now."""
    hub.models.append(model("acme/none", None))
    first = _collect(hub, tmp_path)
    asked = len(hub.asked)
    hub.models.clear()
    again = _collect(hub, tmp_path)

    assert again[:2] == first[:2]
    assert len(hub.asked) == asked


def test_queries_reach_the_server(hub: MadeHub, tmp_path: Path) -> None:
    """The server applies task, order and limit; no more models than the limit are used."""
    hub.models[1] = model("acme/other", pipeline_tag="fill-mask")
    records, _, _ = _collect(hub, tmp_path, "task=text-classification,sort=likes,limit=4")

    assert list(records) == ["acme/m0", "acme/m2", "acme/m3", "acme/m4"]
    query = hub.asked[0].query
    assert (query["pipeline_tag"], query["sort"], query["limit"]) == (
        ["text-classification"],
        ["likes"],
        ["4"],
    )
    assert query["full"] in (["true"], ["True"])


def test_models_by_name(hub: MadeHub, tmp_path: Path) -> None:
    """Nothing is listed; an unknown name is a drop."""
    records, drops, _ = _collect(hub, tmp_path, "acme/m3,acme/absent")

    assert (list(records), drops) == (["acme/m3"], {"acme/absent": "gone"})
    assert hub.lines()[:2] == ["GET /api/models/acme/m3", "GET /api/models/acme/absent"]


def test_licences_that_are_not_used(hub: MadeHub, tmp_path: Path) -> None:
    """Their cards are not fetched."""
    hub.models[:] = [
        model("acme/a", CARD),
        model("acme/gpl", CARD, tags=["license:gpl-3.0"]),
        model("acme/none", CARD, tags=[]),
        model("acme/two", CARD, tags=["license:mit", "license:apache-2.0"]),
    ]
    records, drops, _ = _collect(hub, tmp_path, licences=("MIT",))

    assert list(records) == ["acme/a"]
    assert drops == {"acme/gpl": "licence", "acme/none": "licence_unknown", "acme/two": "licence_unknown"}
    assert len(hub.asked) == 2 + 2


def test_what_cannot_be_had(hub: MadeHub, tmp_path: Path) -> None:
    """Each model has its reason, and the others are read; permanent failures are not requested again."""
    hub.models[1] = model("acme/nocard", None)
    hub.models[2] = model("acme/hidden", None, siblings=None)
    hub.models[3] = model("acme/big", b"x" * (MAX_CARD + 1))
    hub.script[_card_line(hub, 4, "HEAD")] = [HubReply(403, {"x-error-code": "GatedRepo"})]
    hub.script[_card_line(hub, 5, "HEAD")] = [HubReply(401)]
    hub.script[_card_line(hub, 6, "HEAD")] = [missing("RepoNotFound")]
    records, drops, _ = _collect(hub, tmp_path)

    assert list(records) == ["acme/m0"]
    assert drops == {
        "acme/nocard": "no_card",
        "acme/hidden": "no_card",
        "acme/big": "card_too_large",
        "acme/m4": "gated",
        "acme/m5": "gated",
        "acme/m6": "gone",
    }
    asked = len(hub.asked)
    assert _collect(hub, tmp_path)[1] == drops
    assert len(hub.asked) == asked


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"etag": '"../../../evil"', "x-repo-commit": "a" * 40}, "etag_refused"),
        ({"etag": '"e"', "x-repo-commit": "../../evil"}, "commit_refused"),
        ({"etag": '"e"'}, "card_refused"),
        ({"x-repo-commit": "a" * 40}, "card_refused"),
        ({"etag": '"e"', "x-repo-commit": "a" * 40, "location": "http://192.0.2.1/x"}, "sent_elsewhere"),
    ],
)
def test_replies_that_lead_elsewhere(
    hub: MadeHub, tmp_path: Path, headers: dict[str, str], reason: str
) -> None:
    """Names of files and other hosts from the server are refused."""
    status = 302 if "location" in headers else 200
    hub.script[_card_line(hub, 0, "HEAD")] = [HubReply(status, headers)]
    folder = tmp_path / "in"
    records, drops, _ = _collect(hub, folder)

    assert drops == {"acme/m0": reason}
    assert len(records) == 6
    assert list(tmp_path.iterdir()) == [folder]
    assert not list(tmp_path.rglob("evil*"))


def test_redirects_within_the_hub(hub: MadeHub, tmp_path: Path) -> None:
    """Small files are served from another path of the same host; the card is fetched from there."""
    line = _card_line(hub, 0, "HEAD")
    place = f"{RESOLVED}{line.removeprefix('HEAD ')}"
    hub.script[line] = [HubReply(307, {"location": place, "x-repo-commit": hub.models[0].entry["sha"]})]
    records, drops, _ = _collect(hub, tmp_path)

    assert (len(records), drops) == (7, {})
    assert hub.lines()[3:6] == [line, f"HEAD {place}", f"GET {place}"]


def test_a_limit_on_requests(hub: MadeHub, tmp_path: Path) -> None:
    """A wait requested by the server is kept to the second and reported; other waits are fixed or growing."""
    hub.script["GET /api/models"] = [
        HubReply(429, {"retry-after": "42"}),
        HubReply(429, {"ratelimit": '"api";r=0;t=17'}),
        HubReply(503),
        HubReply(503),
    ]
    slept, told = Slept(), list[str]()
    records, _, _ = _collect(hub, tmp_path, slept=slept, tell=told.append)

    assert len(records) == 7
    assert [round(wait) for wait in slept.waits[:2]] == [42, 17]
    assert all(1 <= wait <= 8 for wait in slept.waits[2:])
    assert told[0] == "hub: HTTP 429; asking again in 42 s, try 2 of 5"


def test_a_limit_that_lasts(hub: MadeHub, tmp_path: Path) -> None:
    """Longer waits are refused: the run ends, and the same command continues with the next page."""
    hub.script["GET /api/models"] = [None, HubReply(429, {"retry-after": "3600"})]
    with pytest.raises(RunError, match="takes no more requests for 60 min") as caught:
        _collect(hub, tmp_path)
    records, _, _ = _collect(hub, tmp_path)

    assert "progress is saved" in str(caught.value.hint)
    assert len(records) == 7
    assert hub.lines().count("GET /api/models") == 4  # the first page once


def test_old_pages_are_asked_for_by_their_tag(hub: MadeHub, tmp_path: Path) -> None:
    """A page of an interrupted listing is used; a day later the server confirms or replaces it."""
    slept = Slept()
    hub.script["GET /api/models"] = [None, None, HubReply(401)]
    with pytest.raises(PrerequisiteError, match="HTTP 401"):
        _collect(hub, tmp_path, slept=slept)
    slept.pass_by(25 * 3600)
    hub.asked.clear()
    records, _, _ = _collect(hub, tmp_path, slept=slept)

    assert len(records) == 7
    assert ["if-none-match" in each.headers for each in hub.asked[:3]] == [True, True, False]


@pytest.mark.parametrize("forever", [False, True])
def test_lists_without_an_end(
    hub: MadeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forever: bool
) -> None:
    """Pages that name themselves as the next, and endless pages, end the list with a note."""
    monkeypatch.setattr(connection, "MAX_PAGES", 5)
    cursors = count(100)
    link = {"link": hub.next_link({"cursor": ["0"], "limit": ["50"]})}

    def page() -> HubReply:
        if forever:
            link["link"] = hub.next_link({"cursor": [str(next(cursors))]})
        return HubReply(200, link, b"[]")

    hub.script["GET /api/models"] = [None, *[page] * 20]
    records, _, inventory = _collect(hub, tmp_path)

    assert len(records) == 3
    ended = "no more than 5 pages" if forever else "names one before it"
    assert ended in inventory.notes[0]


def test_entries_that_are_none(hub: MadeHub, tmp_path: Path) -> None:
    """One entry of a page is a drop, the others are read; a model that is listed twice is used once."""
    hub.models[1].entry["sha"] = "../../x"
    hub.models[2] = hub.models[0]
    records, drops, inventory = _collect(hub, tmp_path)

    assert sorted(records) == ["acme/m0", "acme/m3", "acme/m4", "acme/m5", "acme/m6"]
    assert drops == {hub.endpoint: "entry_unreadable"}
    assert inventory.notes == ["hub: models listed: 5; listed more than once: 1"]


def test_half_replies(hub: MadeHub, tmp_path: Path) -> None:
    """A truncated page or card is requested again."""
    whole = card_reply(hub.models[0], hub.models[0].entry["sha"])
    hub.script["GET /api/models"] = [HubReply(200, {}, b'[{"id": "acme/x"}]', cut=True)]
    hub.script[_card_line(hub, 0)] = [whole._replace(cut=True)] * 2
    slept = Slept()
    records, drops, _ = _collect(hub, tmp_path, slept=slept)

    assert (len(records), drops) == (7, {})
    assert len(slept.waits) == 3
    assert hub.lines().count(_card_line(hub, 0)) == 3


def test_a_server_that_fails(hub: MadeHub, tmp_path: Path) -> None:
    """One failing card is a drop that can be retried; after three in a row the run ends and can be resumed."""
    hub.script[_card_line(hub, 1, "HEAD")] = [HubReply(500)] * 5
    for number in (3, 4, 5):
        hub.script[_card_line(hub, number, "HEAD")] = [HubReply(503)] * 5
    with pytest.raises(RunError, match="failed for 3 consecutive cards, the last acme/m5"):
        _collect(hub, tmp_path)
    records, drops, _ = _collect(hub, tmp_path)

    assert (len(records), drops) == (7, {})


def test_no_server(hub: MadeHub, tmp_path: Path) -> None:
    """After some tries the run ends, with a hint."""
    with endless(b"", b"") as address:
        pass
    query = read_query(f"limit=5,endpoint={address}")
    source = ModelHubSource(query, (), clock=Slept().clock)
    with pytest.raises(RunError, match="does not answer") as caught:
        source.collect(tmp_path, lambda text: None)
    assert "run the same command" in str(caught.value.hint)


@pytest.mark.parametrize("body", [b"<html>", b'{"error": "x"}'])
def test_no_hub(hub: MadeHub, tmp_path: Path, body: bytes) -> None:
    """Another server's page is an error, and is not stored."""
    hub.script["GET /api/models"] = [HubReply(200, {}, body)]
    with pytest.raises(RunError, match="not a list of models"):
        _collect(hub, tmp_path)
    assert len(_collect(hub, tmp_path)[0]) == 7


def test_replies_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless body is abandoned at the limit."""
    monkeypatch.setattr(connection, "MAX_PAGE", 1 << 16)
    with endless(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[", b" " * 9000) as address:
        source = ModelHubSource(read_query(f"endpoint={address}"), (), clock=Slept().clock)
        with pytest.raises(RunError, match="over 65,536 bytes"):
            source.collect(tmp_path, lambda text: None)


def test_the_token_stays_at_home(hub: MadeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub other than the user's own is asked without it, and no file contains it."""
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    _collect(hub, tmp_path / "a")
    assert not any("authorization" in each.headers for each in hub.asked)
    hub.asked.clear()
    monkeypatch.setattr(hub_library.constants, "ENDPOINT", hub.endpoint)
    _collect(hub, tmp_path / "b")

    assert {each.headers.get("authorization") for each in hub.asked} == {"Bearer hf_secret"}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files and not any(b"hf_secret" in path.read_bytes() for path in files)


def test_offline_by_the_users_wish(hub: MadeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library's variable works here too; the folder's content is read."""
    first = _collect(hub, tmp_path / "a")
    monkeypatch.setattr(hub_library.constants, "HF_HUB_OFFLINE", True)

    assert _collect(hub, tmp_path / "a")[0] == first[0]
    with pytest.raises(RunError, match="HF_HUB_OFFLINE"):
        _collect(hub, tmp_path / "b")


CHILD = """
import sys
from pathlib import Path
from benchwright.sources.hub.model_hub import open_hub
for _ in open_hub(sys.argv[1], licences=()).collect(Path(sys.argv[2]), print).items:
    pass
"""


@pytest.mark.parametrize("where", ["page", "head", "card"])
def test_killed_and_taken_up(hub: MadeHub, tmp_path: Path, where: str) -> None:
    """A killed process loses nothing: stored replies are not requested again."""
    line = {"page": "GET /api/models", "head": _card_line(hub, 3, "HEAD"), "card": _card_line(hub, 3)}[where]
    process: Any = None

    def kill() -> HubReply:
        os.kill(process.pid, signal.SIGKILL)
        return HubReply(200, {}, b"[]", cut=True)

    hub.script[line] = [None, kill] if where == "page" else [kill]
    words = [sys.executable, "-c", CHILD, f"limit=50,endpoint={hub.endpoint}", str(tmp_path)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert process.wait(HANG_S) == -signal.SIGKILL
    before = list(hub.lines())
    hub.asked.clear()
    records, drops, _ = _collect(hub, tmp_path)

    assert (len(records), drops) == (7, {})
    again = set(before[:-1]) & set(hub.lines())
    assert again <= {"GET /api/models", _card_line(hub, 3, "HEAD")}
    assert hub.lines().count("GET /api/models") == (2 if where == "page" else 0)
    fresh = _collect(hub, tmp_path / "fresh")[0]
    assert [_timeless(record) for record in records.values()] == [_timeless(each) for each in fresh.values()]


def _timeless(record: ModelRecord) -> dict[str, Any]:
    fields = {name: getattr(record, name) for name in record.__struct_fields__}
    return {**fields, "retrieved_at": ""}


def test_the_library_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the command that installs it; the query is checked before."""
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(PrerequisiteError, match="huggingface_hub"):
        open_hub("task=fill-mask", licences=())
    with pytest.raises(UsageError):
        open_hub("task=", licences=())


def test_a_damaged_list(hub: MadeHub, tmp_path: Path) -> None:
    """The error has the file, and how to list again."""
    _collect(hub, tmp_path)
    [path] = tmp_path.glob("hub/*/found.json")
    path.write_text("{")
    with pytest.raises(BenchwrightError, match=r"found\.json") as caught:
        _collect(hub, tmp_path)
    assert "rm " in str(caught.value.hint)
