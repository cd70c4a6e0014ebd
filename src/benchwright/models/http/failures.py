"""Failures between us and a server: whether to try again, to skip the prompt, or to end the run.

They are never the model's failures: a skipped prompt has no answer, is reported as missing, and is asked
again by the next run. Faults are violations of the interface by the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from benchwright.contracts import Prompt
from benchwright.errors import RunError
from benchwright.http_client import MAX_WAIT_S, retry_after
from benchwright.models.http.endpoint import Endpoint
from benchwright.records import TaskId
from benchwright.store.strict_json import NOT_JSON

# By name, for events and scores: what the server did.
FAULTS: Mapping[str, str] = {
    "wrong-json": "it sent something that is not JSON",
    "wrong-shape": "it sent JSON that is not a reply to the request",
    "not-utf8": "it sent bytes that are not UTF-8",
    "cut": "it ended the connection in the middle of a reply",
    "packing": "it sent a packed reply that cannot be unpacked",
    "huge": "it sent a reply over the limit",
    "error-in-reply": "it sent an error under status 200",
    "several-choices": "it sent several answers where one was asked for; the first is used",
    "stop-kept": "it left a stop string in the text; it is cut off here",
    "stop-ignored": "it continued after a stop string; the rest is cut off here",
    "usage-missing": "it does not count tokens, so neither does the score",
    "other-model": "it says that another model answered",
    "empty": "it sent empty answers, which count as the model's",
    "unknown-result": "it sent results of other requests in a batch; they are ignored",
    "repeated-result": "it sent several results of one request of a batch; the first is used",
    "finish-reason-missing": "it does not say why answers ended, so cut-off ones may look whole",
}

EventCallback = Callable[[str, Mapping[str, Any]], None]


class EventCounter:
    """Counts events by name and reports them rarely: at 1, 2, 5, 10, 20, 50, … and at the end.

    A faulty server may repeat a fault 20,000 times, and events.jsonl must not grow with it. The last event of
    a name has the whole count.
    """

    def __init__(self, kind: str, tell: EventCallback) -> None:
        self._kind, self._report = kind, tell
        self._counts: dict[str, int] = {}
        self._unreported: dict[str, Mapping[str, Any]] = {}

    def add(self, name: str, detail: Mapping[str, Any]) -> None:
        """Count an event. `detail` is part of its report."""
        count = self._counts[name] = self._counts.get(name, 0) + 1
        if _is_round(count):
            self._unreported.pop(name, None)
            self._report(self._kind, {**detail, "count": count})
        else:
            self._unreported[name] = detail

    def close(self) -> None:
        """Report the counts that have grown since their last report."""
        for name, detail in self._unreported.items():
            self._report(self._kind, {**detail, "count": self._counts[name]})
        self._unreported.clear()


def _is_round(count: int) -> bool:
    """Whether a number is 1, 2 or 5 times a power of ten."""
    while count % 10 == 0:
        count //= 10
    return count in (1, 2, 5)


AGAIN = frozenset({408, 409, 425, 429})
THROTTLED = frozenset({429, 503, 529})  # 529: "overloaded", of servers that took it from Anthropic's
ENDING = frozenset({401, 402, 403, 404, 405, 407, 410})
EXHAUSTED = frozenset({"insufficient_quota", "billing_hard_limit_reached"})  # a 429 that no waiting cures


class RequestFailure(Exception):
    """A request without an answer. `reason` names it in events: a status, or a word.

    `course` is the next step: "again", "give up" (this prompt), or "end" (the run).
    """

    def __init__(
        self,
        reason: str | int,
        text: str,
        *,
        course: str = "again",
        wait_s: float | None = None,
        asked_s: float | None = None,
        fault: str | None = None,
    ) -> None:
        super().__init__(text)
        self.asked_s = asked_s  # the wait that the server asks for, however long
        self.reason, self.text, self.course, self.wait_s, self.fault = reason, text, course, wait_s, fault

    @property
    def throttles(self) -> bool:
        """Whether the server asked for fewer requests: then all of them wait."""
        return self.reason in THROTTLED


def failed_status(status: int, headers: Mapping[str, str], body: bytes, *, date: float) -> RequestFailure:
    """Return the failure of a status other than 200."""
    message, codes = error_words_of(body)
    if status < 400:
        place = headers.get("location", "")
        message = f"the server sends this request elsewhere: {place}" if place else "not an answer"
    course = _course(status, codes)
    text = f"HTTP {status}: {message}" if message else f"HTTP {status}"
    requested_s = retry_after(headers, date=date)
    wait_s = None if requested_s is None else min(requested_s, MAX_WAIT_S)
    return RequestFailure(status, text, course=course, wait_s=wait_s, asked_s=requested_s)


def _course(status: int, codes: frozenset[str]) -> str:
    if status in ENDING or status < 400 or codes & EXHAUSTED:
        return "end"
    return "again" if status in AGAIN or status >= 500 else "give up"


class _Error(msgspec.Struct):
    message: str | None = None
    type: str | int | None = None
    code: str | int | None = None


class _Body(msgspec.Struct):
    error: _Error | str | None = None
    message: str | None = None
    detail: str | None = None


def error_words_of(body: bytes) -> tuple[str, frozenset[str]]:
    """Return a server's error message and its names for the error, from any format in use."""
    try:
        content = msgspec.json.decode(body, type=_Body)
    except NOT_JSON:
        return body.decode("utf-8", "replace"), frozenset()
    if isinstance(content.error, _Error):
        return content.error.message or "", frozenset({str(content.error.type), str(content.error.code)})
    message = content.error or content.message or content.detail
    return message or body.decode("utf-8", "replace"), frozenset()


GONE_PROMPTS, GONE_TASKS = 20, 3
_KEPT = "answers so far are stored, and the same command resumes the run"


def ending(failed: RequestFailure, endpoint: Endpoint) -> RunError:
    """Return a failure that ends the run: the server refuses every such request."""
    message = endpoint.quoted(failed.text)
    return RunError(f"{endpoint.base_url} refuses to answer: {message}", hint=_hint(failed.reason, endpoint))


_TOKEN = 'export GOOGLE_OAUTH_ACCESS_TOKEN="$(gcloud auth print-access-token)"'
_HINTS: dict[tuple[str, str | int], str] = {
    (
        "azure",
        404,
    ): "check the deployment's name; AZURE_OPENAI_API_VERSION selects the path with the deployment",
    (
        "bedrock",
        403,
    ): "check that AWS_BEARER_TOKEN_BEDROCK has not expired, and that the model is enabled in AWS_REGION",
    ("bedrock", 404): "check the model's id, such as amazon.nova-lite-v1:0, and AWS_REGION",
    ("vertex", 401): f"{_TOKEN}   # a token lasts an hour; {_KEPT}",
    ("vertex", 403): f"{_TOKEN}   # of an account that may use Vertex AI in GOOGLE_CLOUD_PROJECT",
    ("vertex", 404): "check the model's name, such as google/gemini-2.5-flash, and GOOGLE_CLOUD_LOCATION",
}


def _hint(status: str | int, endpoint: Endpoint) -> str:
    key = endpoint.provider.key
    if (endpoint.provider.scheme, status) in _HINTS:
        return _HINTS[endpoint.provider.scheme, status]
    hints: dict[str | int, str] = {
        401: f"set {key} to a key of this server",
        402: f"pay the server's bill; {_KEPT}",
        403: f"check that the key in {key} may use this model",
        404: "check the model's name, and that the base URL ends where the interface begins, often in `/v1`",
        405: "check that the base URL ends where the interface begins, often in `/v1`",
        407: "check the proxy in HTTPS_PROXY or HTTP_PROXY",
        429: f"the account has no credit left; {_KEPT}",
    }
    return hints.get(status, "check `--base-url`")


def nobody(failed: RequestFailure, endpoint: Endpoint, *, has_replied: bool) -> RunError:
    """Return the failure of an unreachable server."""
    message = endpoint.quoted(failed.text)
    if has_replied:
        return RunError(f"{endpoint.base_url} no longer answers: {message}", hint=f"start it again; {_KEPT}")
    place = f" or {endpoint.provider.place}" if endpoint.provider.place else ""
    hint = f"start the server, or name another with `--base-url URL`{place}"
    return RunError(f"nothing answers at {endpoint.base_url}: {message}", hint=hint)


class UnansweredStreak:
    """Consecutive prompts without an answer after all their tries.

    A server that has died behind its gateway would otherwise cost minutes for each remaining prompt. Refusals
    of single prompts do not count, and one task alone ends nothing, since its prompt may be the cause.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._prompts, self._tasks = 0, set[TaskId]()
        self._last = ""

    def add(self, prompt: Prompt, failed: RequestFailure) -> None:
        """Count a skipped prompt."""
        self._prompts += 1
        self._tasks.add(prompt.task_id)
        self._last = self._endpoint.quoted(failed.text)

    def broken(self) -> None:
        """Reset the count after an answer."""
        if self._prompts:
            self._prompts = 0
            self._tasks.clear()

    def check(self) -> None:
        """Raise RunError after too many skipped prompts."""
        if self._prompts >= GONE_PROMPTS and len(self._tasks) >= GONE_TASKS:
            message = (
                f"{self._endpoint.base_url}: the last {self._prompts} prompts got no answer: {self._last}"
            )
            raise RunError(message, hint=f"look at the server; {_KEPT}")
