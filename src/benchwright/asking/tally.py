"""What there is to see while a model is asked: failures and why, retries, tokens, cost, faults."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any

from benchwright.asking.cost import cost, money
from benchwright.contracts import Asking
from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted
from benchwright.progress import Watcher
from benchwright.records import Answer, Outcome
from benchwright.store.runfolder import RunFolder

SHOWN = 3  # different reasons of failure that are shown; the answers file has all


class AskTally:
    """Counts answers and hears of events. A model may tell of them from other threads than the asking one."""

    def __init__(self, asking: Asking, folder: RunFolder, watch: Watcher) -> None:
        self.asked = self.failed = self._misfits = 0
        self._retries: dict[str, int] = {}  # by reason
        self.tokens_in = self.tokens_out = 0
        self.reasons: list[str] = []
        self._asking, self._folder, self._watch = asking, folder, watch
        self._told: set[str] = set()
        self._lock = Lock()

    def start_from(self, tokens_in: int, tokens_out: int) -> None:
        """Count what earlier sessions of the run have used."""
        self.tokens_in, self.tokens_out = tokens_in, tokens_out

    def count(self, answer: Answer) -> None:
        """One more answer has arrived and is stored."""
        self.asked += 1
        self.tokens_in += answer.tokens_in or 0
        self.tokens_out += answer.tokens_out or 0
        self._misfits += bool(answer.schema_error)
        if answer.error is not None:
            self.failed += 1
            self._explain(answer)
        self._watch.status(self.text())
        self._watch.tick(Outcome.model_error if answer.error is not None else None)

    def hear(self, kind: str, detail: Mapping[str, Any]) -> None:
        """An event of the model: kept in events.jsonl; a fault of the server is shown once."""
        with self._lock:
            self._folder.event(kind, **detail)
            if kind == "retry":
                reason = str(detail.get("status"))
                self._retries[reason] = int(detail.get("count", self._retries.get(reason, 0) + 1))
                self._watch.status(self.text())
            elif kind == "server_fault":
                self._say_once(f"the server's fault: {fault_in_words(detail)}")
            elif kind == "wait":
                self._watch.note(_waiting(detail))
            elif kind == "budget":
                self._say_once("the budget is reached: nothing more is asked")

    def text(self) -> str:
        """What stands beside the progress bar."""
        parts = []
        if retries := sum(self._retries.values()):
            parts.append(counted(retries, "retry", "retries"))
        if self._misfits:
            parts.append(f"{counted(self._misfits, 'reply', 'replies')} not by the schema")
        if used := self.tokens_in + self.tokens_out:
            parts.append(f"{used:,} tokens")
            if (spent := cost(self._asking, self.tokens_in, self.tokens_out)) is not None:
                parts.append(f"cost {money(spent)}")
        return " · ".join(parts)

    def _explain(self, answer: Answer) -> None:
        reason = str(answer.error)
        if reason not in self.reasons and len(self.reasons) < SHOWN:
            self.reasons.append(reason)
            self._watch.note(f"no answer to task {answer.task_id}: {reason}")

    def _say_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._watch.note(text)


def fault_in_words(detail: Mapping[str, Any]) -> str:
    """A server's fault as a sentence; a server may have a hand in it, so control characters are escaped."""
    return escaped_name(str(detail.get("means") or detail.get("fault", "unknown")), 200)


def _waiting(detail: Mapping[str, Any]) -> str:
    """A wait as a sentence; the server's words in it are quoted already."""
    tries = f" before try {detail['try']} of {detail['tries']}" if "try" in detail else ""
    return escaped_name(f"waiting {float(detail.get('for_s', 0)):.0f} s{tries}: {detail.get('why', '')}", 600)
