"""Orders, pseudonyms and page tokens, keyed by the project's secret.

A page has a random token in place of the item's number. Only this module can read it, and two pages of the
same item have nothing in common.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from hashlib import blake2b

_NONCE, _NUMBER, _PROOF = 16, 8, 8  # bytes of a token: 43 letters
TOKEN_LETTERS = 43


def new_project_secret() -> str:
    """A random secret of 256 bits."""
    return secrets.token_hex(32)


def order_key(secret: str, judge: str, item: str) -> bytes:
    """The sort key of an item in a judge's own order."""
    return _digest(secret, "order", judge, item, size=16)


def repeat_fraction(secret: str, judge: str, item: str) -> float:
    """A pseudo-random number from 0 to 1 for a judge and an item; an item below the share is repeated."""
    return int.from_bytes(_digest(secret, "repeat", judge, item, size=8)) / 2**64


def shown_order(secret: str, judge: str, item: str, round: str) -> str:
    """The order of a pair's sides for a judge; a repeat swaps it."""
    swapped = _digest(secret, "sides", judge, item, size=1)[0] & 1
    return "ba" if bool(swapped) != (round == "repeat") else "ab"


def pseudonym(secret: str, judge: str) -> str:
    """The name of a judge in exported votes: constant in a project, different between projects."""
    return f"judge-{_digest(secret, 'judge', judge, size=5).hex()}"


def new_page(secret: str, turn: int) -> str:
    """A token for one page of a turn."""
    nonce = secrets.token_bytes(_NONCE)
    return base64.urlsafe_b64encode(nonce + _encrypted(secret, nonce, turn)).decode().rstrip("=")


def turn_of(secret: str, page: str) -> int | None:
    """The turn of a page; None for a token of another project."""
    if len(page) != TOKEN_LETTERS or not page.isascii():
        return None
    try:
        data = base64.urlsafe_b64decode(page + "=")
    except binascii.Error:
        return None
    nonce, sealed = data[:_NONCE], data[_NONCE:]
    pad = _digest(secret, "pad", nonce.hex(), size=_NUMBER)
    turn = int.from_bytes(_xor(sealed[:_NUMBER], pad))
    if turn >= 1 << 63 or not secrets.compare_digest(_encrypted(secret, nonce, turn), sealed):
        return None
    return turn


def _encrypted(secret: str, nonce: bytes, turn: int) -> bytes:
    pad = _digest(secret, "pad", nonce.hex(), size=_NUMBER)
    proof = _digest(secret, "proof", nonce.hex(), str(turn), size=_PROOF)
    return _xor(turn.to_bytes(_NUMBER), pad) + proof


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def _digest(secret: str, *words: str, size: int) -> bytes:
    """A keyed digest. Each word enters with its length."""
    state = blake2b(key=bytes.fromhex(secret), digest_size=size)
    for word in words:
        data = word.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8))
        state.update(data)
    return state.digest()
