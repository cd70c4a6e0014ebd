"""What is shuffled and named for each judge by the project's secret: nobody else can tell what it stands for.

A page has a token of its own in place of the item's number. It can be read only here, and two pages that show
one item have nothing in common.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from hashlib import blake2b

_NONCE, _NUMBER, _PROOF = 16, 8, 8  # bytes of a token: 43 letters
TOKEN_LETTERS = 43


def new_project_secret() -> str:
    """256 bits."""
    return secrets.token_hex(32)


def order_key(secret: str, judge: str, item: str) -> bytes:
    """Items sorted by it stand in an order of the judge's own."""
    return _digest(secret, "order", judge, item, size=16)


def share_of(secret: str, judge: str, item: str) -> float:
    """A number from 0 to 1 for a judge and an item; those below a share are repeated."""
    return int.from_bytes(_digest(secret, "repeat", judge, item, size=8)) / 2**64


def shown_order(secret: str, judge: str, item: str, round: str) -> str:
    """Which side of a pair stands first for a judge; a repeat swaps what the judge saw the first time."""
    swapped = _digest(secret, "sides", judge, item, size=1)[0] & 1
    return "ba" if bool(swapped) != (round == "repeat") else "ab"


def pseudonym(secret: str, judge: str) -> str:
    """What a judge is called in votes that leave the station: the same in one project, another in another."""
    return f"judge-{_digest(secret, 'judge', judge, size=5).hex()}"


def new_page(secret: str, turn: int) -> str:
    """A token for one page that shows a turn."""
    nonce = secrets.token_bytes(_NONCE)
    return base64.urlsafe_b64encode(nonce + _sealed(secret, nonce, turn)).decode().rstrip("=")


def turn_of(secret: str, page: str) -> int | None:
    """The turn of a page; None for a token that this project has not made."""
    if len(page) != TOKEN_LETTERS or not page.isascii():
        return None
    try:
        data = base64.urlsafe_b64decode(page + "=")
    except binascii.Error:
        return None
    nonce, sealed = data[:_NONCE], data[_NONCE:]
    pad = _digest(secret, "pad", nonce.hex(), size=_NUMBER)
    turn = int.from_bytes(_xor(sealed[:_NUMBER], pad))
    if turn >= 1 << 63 or not secrets.compare_digest(_sealed(secret, nonce, turn), sealed):
        return None
    return turn


def _sealed(secret: str, nonce: bytes, turn: int) -> bytes:
    pad = _digest(secret, "pad", nonce.hex(), size=_NUMBER)
    proof = _digest(secret, "proof", nonce.hex(), str(turn), size=_PROOF)
    return _xor(turn.to_bytes(_NUMBER), pad) + proof


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def _digest(secret: str, *words: str, size: int) -> bytes:
    """Keyed, and each word with its length, so that words cut elsewhere give another."""
    state = blake2b(key=bytes.fromhex(secret), digest_size=size)
    for word in words:
        data = word.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8))
        state.update(data)
    return state.digest()
