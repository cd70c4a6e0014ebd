"""The batch interfaces of OpenAI and Anthropic: paths, bodies, and how states and results are read.

Formats: https://platform.openai.com/docs/api-reference/batch and
https://docs.anthropic.com/en/api/creating-message-batches. Ids from a reply are data: they are quoted, and no
URL from a reply is used, because requests carry the key.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar
from urllib.parse import quote

import msgspec

from benchwright.errors import DataError
from benchwright.http_client import HttpReply
from benchwright.models.http.batch_file import StoredBatch
from benchwright.models.http.endpoint import BatchKind
from benchwright.models.http.failures import RequestFailure, error_words_of, failed_status
from benchwright.models.http.messages import malformed_reply, parse_reply
from benchwright.store.strict_json import NOT_JSON, JsonOrigin, parse_value

if TYPE_CHECKING:
    from benchwright.models.http.connection import ApiConnection

PAGE, PAGES = 100, 50  # of a list of batches
CLOCK_SKEW = timedelta(hours=1)  # between this machine and the provider, at most
MAX_ID, MAX_SHOWN = 200, 300  # characters
MAX_BYTES = 100 << 20  # of one batch: below both providers' limits, and it is held in memory


_Parsed = TypeVar("_Parsed", bound=msgspec.Struct)


class BatchState(NamedTuple):
    """The state of a batch. `paths` are those of its results, once it has ended."""

    state: str  # in the provider's words
    has_ended: bool
    total: int = 0
    processed: int = 0  # answered or failed
    paths: tuple[str, ...] = ()
    failure: RequestFailure | None = None  # of all requests without a result


class BatchResult(NamedTuple):
    """A result: the body of a reply with status 200, or the failure of the request."""

    custom_id: str
    body: bytes = b""
    failure: RequestFailure | None = None


class BatchSearch(NamedTuple):
    """Result of a search for a submitted batch. `unsure`: ids that may be its, known when they end."""

    id: str = ""
    unsure: tuple[str, ...] = ()


class BatchInterface(Protocol):
    """The batches of a provider. Every method raises RequestFailure where the provider does not answer."""

    max_requests: int
    max_bytes: int

    def line(self, custom_id: str, body: bytes) -> bytes:
        """Return a request of a batch; `body` is that of a single request."""
        ...

    def submit(self, connection: ApiConnection, label: str, lines: Sequence[bytes]) -> str:
        """Submit a batch and return the provider's id."""
        ...

    def find(self, connection: ApiConnection, batch: StoredBatch, known: set[str]) -> BatchSearch:
        """Search for a batch whose submission got no reply. `known` are ids of other batches."""
        ...

    def state(self, connection: ApiConnection, batch_id: str) -> BatchState:
        """Return the state of a batch."""
        ...

    def read(self, line: bytes) -> BatchResult:
        """Read a line of the results. Raises RequestFailure for one that cannot be read."""
        ...


class _Counts(msgspec.Struct):
    total: int = 0
    completed: int = 0
    failed: int = 0
    processing: int = 0  # Anthropic's
    succeeded: int = 0
    errored: int = 0
    canceled: int = 0
    expired: int = 0


class _BatchError(msgspec.Struct):
    code: str | None = None
    message: str | None = None


class _BatchErrors(msgspec.Struct):
    data: list[_BatchError] = []


class _OpenAIBatch(msgspec.Struct):
    id: str
    status: str
    output_file_id: str | None = None
    error_file_id: str | None = None
    errors: _BatchErrors | None = None
    request_counts: _Counts | None = None
    metadata: dict[str, Any] | None = None


class _OpenAIBatches(msgspec.Struct):
    data: list[_OpenAIBatch] = []
    has_more: bool = False


class _UploadedFile(msgspec.Struct):
    id: str


class _Response(msgspec.Struct):
    status_code: int = 0
    body: msgspec.Raw = msgspec.Raw(b"null")


class _OpenAILine(msgspec.Struct):
    custom_id: str
    response: _Response | None = None
    error: _BatchError | None = None


_ENDED = frozenset({"completed", "expired", "cancelled", "failed"})
# Reasons for which a provider rejects a batch as a whole, and takes it later.
_PASSING = frozenset(
    {"token_limit_exceeded", "request_limit_exceeded", "rate_limit_exceeded", "server_error"}
)
_CANCELLED = RequestFailure("cancelled", "the batch was cancelled at the provider", course="give up")
_EXPIRED = RequestFailure("expired", "the batch expired before this request was processed")
_NO_RESULT = RequestFailure("no-result", "the batch ended without a result for this request")


class OpenAIBatches:
    """OpenAI's batches: a file of requests is uploaded, and then a batch of it is created.

    The label is in the batch's metadata, by which it is found again.
    """

    max_requests = 50_000
    max_bytes = MAX_BYTES

    def __init__(self, path: str) -> None:
        self._url = f"/v1{path}"

    def line(self, custom_id: str, body: bytes) -> bytes:
        """Return a line of the file."""
        head = msgspec.json.encode({"custom_id": custom_id, "method": "POST", "url": self._url})
        return head[:-1] + b',"body":' + body + b"}"

    def submit(self, connection: ApiConnection, label: str, lines: Sequence[bytes]) -> str:
        """Upload the file and create the batch."""
        data = b"\n".join(lines) + b"\n"
        reply = connection.upload("/files", {"purpose": "batch"}, f"{label}.jsonl", data)
        fields = {
            "input_file_id": _checked_id(_read(reply, _UploadedFile).id),
            "endpoint": self._url,
            "completion_window": "24h",
            "metadata": {"benchwright": label},
        }
        reply = connection.post("/batches", msgspec.json.encode(fields))
        return _checked_id(_read(reply, _OpenAIBatch).id)

    def find(self, connection: ApiConnection, batch: StoredBatch, known: set[str]) -> BatchSearch:
        """Search the list of batches for the label."""
        query = {"limit": str(PAGE)}
        for _ in range(PAGES):
            page = _read(connection.get("/batches", query), _OpenAIBatches)
            for each in page.data:
                if (each.metadata or {}).get("benchwright") == batch.label:
                    return BatchSearch(_checked_id(each.id))
            if not (page.has_more and page.data):
                break
            query["after"] = page.data[-1].id
        return BatchSearch()

    def state(self, connection: ApiConnection, batch_id: str) -> BatchState:
        """Return the state of a batch, with the files of results and errors."""
        found = _read(connection.get(f"/batches/{_quoted(batch_id)}", {}), _OpenAIBatch)
        counts, files = found.request_counts or _Counts(), (found.output_file_id, found.error_file_id)
        return BatchState(
            state=found.status[:MAX_SHOWN],
            has_ended=found.status in _ENDED,
            total=counts.total,
            processed=counts.completed + counts.failed,
            paths=tuple(f"/files/{_quoted(_checked_id(each))}/content" for each in files if each),
            failure=_openai_failure(found),
        )

    def read(self, line: bytes) -> BatchResult:
        """Read a line of the file of results, or of that of errors."""
        found = _parse_line(line, _OpenAILine)
        if found.response is not None:
            return _result(found.custom_id, found.response)
        error = found.error or _BatchError()
        failure = {"batch_expired": _EXPIRED, "batch_cancelled": _CANCELLED}.get(str(error.code))
        text = error.message or error.code or "the provider gives no reason"
        return BatchResult(found.custom_id, failure=failure or RequestFailure(str(error.code), text))


def _openai_failure(batch: _OpenAIBatch) -> RequestFailure:
    if batch.status == "expired":
        return _EXPIRED
    if batch.status in ("cancelled", "cancelling"):
        return _CANCELLED
    errors = batch.errors.data if batch.errors else []
    if batch.status != "failed":
        return _NO_RESULT
    reasons = "; ".join(error.message or error.code or "" for error in errors[:3]) or "no reason given"
    passing = all(error.code in _PASSING for error in errors)
    return RequestFailure(
        "batch-failed",
        f"the provider rejected the batch: {reasons[:MAX_SHOWN]}",
        course="again" if passing else "give up",
    )


def _result(custom_id: str, response: _Response) -> BatchResult:
    if response.status_code == 200:
        return BatchResult(custom_id, body=bytes(response.body))
    failure = failed_status(response.status_code, {}, bytes(response.body), date=time.time())
    if failure.course == "end":  # of a single request: the others may have answers
        failure.course = "give up"
    return BatchResult(custom_id, failure=failure)


class _AnthropicBatch(msgspec.Struct):
    id: str
    processing_status: str
    created_at: str = ""
    request_counts: _Counts | None = None


class _AnthropicBatches(msgspec.Struct):
    data: list[_AnthropicBatch] = []
    has_more: bool = False
    last_id: str | None = None


class _AnthropicResult(msgspec.Struct):
    type: str
    message: msgspec.Raw = msgspec.Raw(b"")
    error: msgspec.Raw = msgspec.Raw(b"{}")


class _AnthropicLine(msgspec.Struct):
    custom_id: str
    result: _AnthropicResult


class _ErrorType(msgspec.Struct):
    type: str | None = None


_PERMANENT = frozenset(
    {"invalid_request_error", "not_found_error", "permission_error", "authentication_error", "billing_error"}
)


class AnthropicBatches:
    """Anthropic's message batches. They carry no metadata; the label is part of the custom_ids.

    A batch whose submission got no reply is known by its first result only, so not before it ends.
    """

    max_requests = 100_000
    max_bytes = MAX_BYTES
    _path = "/v1/messages/batches"

    def line(self, custom_id: str, body: bytes) -> bytes:
        """Return a request of the body."""
        return msgspec.json.encode({"custom_id": custom_id})[:-1] + b',"params":' + body + b"}"

    def submit(self, connection: ApiConnection, label: str, lines: Sequence[bytes]) -> str:
        """Create the batch."""
        reply = connection.post(self._path, b'{"requests":[' + b",".join(lines) + b"]}")
        return _checked_id(_read(reply, _AnthropicBatch).id)

    def find(self, connection: ApiConnection, batch: StoredBatch, known: set[str]) -> BatchSearch:
        """Search among unknown batches of this size that were created since the plan."""
        unsure = []
        for each in self._created_since(connection, batch.planned):
            if each.id in known or _total(each) != len(batch.requests):
                continue
            if each.processing_status != "ended":
                unsure.append(each.id[:MAX_ID])
            elif self._first_id(connection, each.id).startswith(f"{batch.label}-"):
                return BatchSearch(_checked_id(each.id))
        return BatchSearch(unsure=tuple(unsure))

    def _created_since(self, connection: ApiConnection, planned: str) -> Iterator[_AnthropicBatch]:
        """Yield listed batches, the latest first, until those created before a plan."""
        query, since = {"limit": str(PAGE)}, datetime.fromisoformat(planned) - CLOCK_SKEW
        for _ in range(PAGES):
            page = _read(connection.get(self._path, query), _AnthropicBatches)
            for each in page.data:
                if _is_before(each.created_at, since):
                    return
                yield each
            if not (page.has_more and page.data):
                return
            query["after_id"] = page.last_id or page.data[-1].id

    def _first_id(self, connection: ApiConnection, batch_id: str) -> str:
        """Return the custom_id of the first readable result; empty without one."""
        with closing(connection.lines(self._results(batch_id))) as lines:
            for line in islice(lines, PAGE):
                try:
                    return self.read(line).custom_id
                except RequestFailure:  # a malformed line says nothing of the others
                    continue
        return ""

    def _results(self, batch_id: str) -> str:
        return f"{self._path}/{_quoted(_checked_id(batch_id))}/results"

    def state(self, connection: ApiConnection, batch_id: str) -> BatchState:
        """Return the state of a batch."""
        found = _read(connection.get(f"{self._path}/{_quoted(batch_id)}", {}), _AnthropicBatch)
        counts, has_ended = found.request_counts or _Counts(), found.processing_status == "ended"
        return BatchState(
            state=found.processing_status[:MAX_SHOWN],
            has_ended=has_ended,
            total=_total(found),
            processed=_total(found) - counts.processing,
            paths=(self._results(batch_id),) if has_ended else (),
            failure=_NO_RESULT,
        )

    def read(self, line: bytes) -> BatchResult:
        """Read a line of the results."""
        found = _parse_line(line, _AnthropicLine)
        result = found.result
        if result.type == "succeeded":
            return BatchResult(found.custom_id, body=bytes(result.message))
        if result.type in ("expired", "canceled"):
            failure = _EXPIRED if result.type == "expired" else _CANCELLED
            return BatchResult(found.custom_id, failure=failure)
        return BatchResult(found.custom_id, failure=_anthropic_failure(bytes(result.error)))


def _anthropic_failure(error: bytes) -> RequestFailure:
    text, codes = error_words_of(error)
    try:
        codes |= {str(msgspec.json.decode(error, type=_ErrorType).type)}
    except NOT_JSON:
        codes |= set()
    reason = next((each for each in codes if each.endswith("_error")), "errored")
    course = "give up" if codes & _PERMANENT else "again"
    return RequestFailure(reason, text or "the provider gives no reason", course=course)


def _total(batch: _AnthropicBatch) -> int:
    counts = batch.request_counts or _Counts()
    return counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired


def _is_before(created: str, since: datetime) -> bool:
    """Return whether a provider's time is before another; False for one that cannot be read."""
    try:
        return datetime.fromisoformat(created) < since
    except (ValueError, TypeError):
        return False


def batch_interface(kind: BatchKind, path: str) -> BatchInterface:
    """Return the batch interface of a provider; `path` is that of a single request."""
    return AnthropicBatches() if kind == "anthropic" else OpenAIBatches(path)


def _read(reply: HttpReply, kind: type[_Parsed]) -> _Parsed:
    """Decode a reply. Raises RequestFailure for another status than 200 or 201, and for a malformed one."""
    if reply.status not in (200, 201):
        raise failed_status(reply.status, reply.headers, reply.body, date=time.time())
    return parse_reply(reply.body, kind)


def _parse_line(line: bytes, kind: type[_Parsed]) -> _Parsed:
    """Decode a line of results; half a surrogate pair in it costs one character."""
    try:
        return msgspec.json.decode(line, type=kind)
    except NOT_JSON as error:
        reason = str(error)
    try:
        value = parse_value(line, JsonOrigin("", 0), surrogates="replace")
        return msgspec.json.decode(msgspec.json.encode(value), type=kind)
    except (DataError, *NOT_JSON):
        raise malformed_reply("wrong-shape", f"a line of the results: {reason[:MAX_SHOWN]}") from None


def _checked_id(batch_id: str) -> str:
    """Return an id of the provider. Raises RequestFailure for one that cannot be stored or sent."""
    if not batch_id or len(batch_id) > MAX_ID or not (batch_id.isascii() and batch_id.isprintable()):
        raise malformed_reply("wrong-shape", "it has no usable id")
    return batch_id


def _quoted(text: str) -> str:
    return quote(text, safe="")
