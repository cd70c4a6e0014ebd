"""Calls of a data set's check that are known from an execution that passed, and sent before it makes them.

A check calls a program once at a time and waits for each value: two changes of process per call, which is
nearly all of the cost of a test with a thousand calls. If a program passed, its replies are recorded. Another
program then receives the same calls in blocks. If it gives the same replies, the same check accepts it too.
If not, the check runs, with the replies as they arrive. If that check makes other calls than the recorded
ones, the program is executed again, one call at a time.

A recording has the trust of the verdict that came with it, since the judge makes both. It stays in the memory
of the process that asked. No file contains it: someone who can write that file would decide verdicts.
The replies in it were chosen by a program. They are compared as bytes, and read only as values of the program
that is judged, within the bounds of every value. Of a large reply only the digest is recorded. If a program
differs later, the check needs the reply itself, so the program is executed again, one call at a time.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple, NoReturn

import msgspec

from benchwright.contracts import CallsSpec
from benchwright.records import Outcome
from benchwright.sandbox.claims import ReplyFrame, Session, read_loaded, read_reply
from benchwright.sandbox.inside.wire import frame
from benchwright.sandbox.untrusted import UntrustedBytes
from benchwright.sandbox.zygote import AnswerEnded, RunningAnswer

MAX_RECORDED = 4 << 20  # bytes of all calls and replies of one check; with more, nothing is recorded
MAX_NUMBER = 1 << 14  # calls
MAX_REPLY = 16 << 10  # bytes of one reply; of a larger one the digest is recorded
_SEAL = sha256().digest_size
_HEADER = 5  # bytes before a text in MessagePack
_DIGEST_BYTES = 1 + _HEADER + _HEADER + _SEAL  # a ReplyDigest in MessagePack
_MAX_PACKED = MAX_RECORDED + _HEADER * 2 * (MAX_NUMBER + 1)
_BLOCK_BYTES = 64 << 10  # of the calls, and of the replies, that are under way: less than a socket holds
_FIRST_BLOCKS, _BLOCK = (1, 8, 64), 256  # calls: most programs that fail do so early
_LOADED = frame(b"L", b"")


class ReplyDigest(NamedTuple):
    """The size and the SHA-256 of a large reply."""

    size: int
    digest: bytes


class RecordedCalls(NamedTuple):
    """The encoded calls of a check in order, and the encoded reply to each."""

    calls: list[bytes]
    replies: list[bytes | ReplyDigest]

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges of the calls that are sent together. A call with a large reply is sent alone."""
        first, number = 0, 0
        while first < len(self.calls):
            most = _FIRST_BLOCKS[number] if number < len(_FIRST_BLOCKS) else _BLOCK
            last, sizes = first, (0, 0)
            while last < min(first + most, len(self.calls)):
                sizes = sizes[0] + len(self.calls[last]), sizes[1] + _share(self.replies[last])
                if max(sizes) > _BLOCK_BYTES and last > first:
                    break
                last += 1
            yield first, last
            first, number = last, number + 1


def _share(reply: bytes | ReplyDigest) -> int:
    """Return the bytes of a block that a reply takes: all of them if it is large."""
    return _BLOCK_BYTES + 1 if isinstance(reply, ReplyDigest) else len(reply)


Check = tuple[str, str, str]


def check_of(spec: CallsSpec) -> Check:
    """Return what determines the calls of a check, apart from the values that it receives."""
    return spec.test, spec.prelude, spec.entry_point


def pack_recorded(recorded: RecordedCalls, check: Check) -> bytes:
    """Return compressed calls and replies, with a digest of them and of the check."""
    body = zlib.compress(msgspec.msgpack.encode(recorded), 1)
    return _seal(body, check) + body


def unpack_recorded(packed: bytes, check: Check) -> RecordedCalls | None:
    """Return what `pack_recorded` packed; None if it is damaged, too large or of another check."""
    body = packed[_SEAL:]
    if packed[:_SEAL] != _seal(body, check):
        return None
    inflate = zlib.decompressobj()
    try:
        plain = inflate.decompress(body, _MAX_PACKED)
        recorded = msgspec.msgpack.decode(plain, type=RecordedCalls)
    except (zlib.error, msgspec.MsgspecError):
        return None
    whole = inflate.eof and not inflate.unused_data
    fits = 0 < len(recorded.calls) == len(recorded.replies) <= MAX_NUMBER
    return recorded if whole and fits else None


def _seal(body: bytes, check: Check) -> bytes:
    return sha256(msgspec.msgpack.encode((check, body))).digest()


class RecordingSession(Session):
    """Single calls, which are recorded."""

    def __init__(self, running: RunningAnswer) -> None:
        super().__init__(running)
        self._recorded, self._size = RecordedCalls([], []), 0

    def _exchange(self) -> ReplyFrame:
        kind, payload, error, kinds = super()._exchange()
        is_large = len(payload) > MAX_REPLY
        added = len(self.sent) + (_DIGEST_BYTES if is_large else len(payload))
        self._size += added if kind == "value" else MAX_RECORDED + 1
        if self._size <= MAX_RECORDED and self.calls <= MAX_NUMBER:
            self._recorded.calls.append(self.sent)
            reply = ReplyDigest(len(payload), payload.digest()) if is_large else payload.reveal()
            self._recorded.replies.append(reply)
        return kind, payload, error, kinds

    def packed(self, check: Check) -> bytes:
        """Return all calls with their replies; empty if one raised, or if they are too many or too large."""
        whole = 0 < self.calls == len(self._recorded.calls)
        return pack_recorded(self._recorded, check) if whole else b""


class ReplayedSession(Session):
    """Single calls. The recorded ones are sent before the check makes them.

    `differs`: the check made other calls, or needs a large reply that was only compared, so the program has
    to be executed one call at a time.
    """

    def __init__(self, running: RunningAnswer, recorded: RecordedCalls) -> None:
        super().__init__(running)
        self._recorded = recorded
        self._equal = self._ahead = 0  # calls with the recorded reply, and calls that were sent
        self._is_loaded = False
        self.differs = False

    def is_same(self) -> bool:
        """Return whether all replies are the recorded ones. Raises AnswerEnded."""
        # Before a call is sent: a program that cannot be loaded ends, and sending would fail.
        self._is_loaded = self._running.skips(_LOADED)
        if not self._is_loaded:
            return False
        for first, last in self._recorded.blocks():
            self._ahead = last
            self._running.send(*self._recorded.calls[first:last])
            if not self._are_next(self._recorded.replies[first:last]):
                return False
            self._equal = last
        return True

    def _are_next(self, replies: list[bytes | ReplyDigest]) -> bool:
        """Return whether the replies of one block are read next; a large one is alone in its block."""
        if isinstance(large := replies[0], ReplyDigest):
            kind, payload = self._running.read()
            if (kind, len(payload), payload.digest()) != (b"V", *large):
                self._abandon()
            return True
        stream = (frame(b"V", each) for each in replies if isinstance(each, bytes))
        return self._running.skips(b"".join(stream))

    def _abandon(self) -> NoReturn:
        self.differs = True
        raise AnswerEnded(Outcome.wrong, "the recorded calls do not decide about this program")

    @property
    def is_complete(self) -> bool:
        """Whether the check has made all calls that were sent."""
        return self.calls >= self._ahead

    def _begin(self) -> None:
        if not self._is_loaded:
            read_loaded(self._running)
            self._is_loaded = True
        elif self.is_complete:
            super()._begin()

    def _exchange(self) -> ReplyFrame:
        number = self.calls - 1
        if number >= self._ahead:
            return super()._exchange()
        if self.sent != self._recorded.calls[number]:
            self._abandon()
        if number >= self._equal:
            return read_reply(self._running)
        if isinstance(reply := self._recorded.replies[number], ReplyDigest):
            self._abandon()
        return "value", UntrustedBytes(reply), "", ()
