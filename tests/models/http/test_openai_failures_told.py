"""All faults are counted, and few of them reported."""

from __future__ import annotations

from benchwright.models.http.failures import FAULTS, EventCounter
from kit.asking_kit import Heard


def test_events_do_not_grow_with_the_number_of_faults() -> None:
    """20,000 of a kind are 14 events, the last with the whole count."""
    heard = Heard()
    tally = EventCounter("server_fault", heard)
    for number in range(20_001):
        tally.add("empty", {"fault": "empty", "task": number})
    tally.close()
    counts = [detail["count"] for _, detail in heard.events]

    assert counts == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 20001]
    assert heard.events[-1] == ("server_fault", {"fault": "empty", "task": 20_000, "count": 20_001})


def test_what_was_told_is_not_told_again() -> None:
    """Closing adds only counts that have grown since."""
    heard = Heard()
    tally = EventCounter("retry", heard)
    for name in ("429", "429", "500", "429"):
        tally.add(name, {"status": name})
    tally.close()
    tally.close()

    assert [(detail["status"], detail["count"]) for _, detail in heard.events] == [
        ("429", 1),
        ("429", 2),
        ("500", 1),
        ("429", 3),
    ]


def test_each_fault_has_its_sentence() -> None:
    """They are shown to people."""
    assert all(sentence.startswith("it ") for sentence in FAULTS.values())
