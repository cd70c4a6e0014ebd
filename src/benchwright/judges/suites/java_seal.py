"""The seal on each line of a Java report: SipHash-2-4 under a key drawn for the execution.

What the tests print goes where the report goes, and they can read and write over what is there already. A
line that they make, change, repeat or leave out does not have the seal of its text and number.
"""

from __future__ import annotations

import secrets

_MASK = (1 << 64) - 1


def draw_key() -> str:
    """A key as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def seal(key: str, data: bytes) -> str:
    """The seal as 16 hexadecimal digits. SipHash-2-4: Aumasson and Bernstein, 2012, section 2."""
    first, second = (int.from_bytes(bytes.fromhex(key)[at : at + 8], "little") for at in (0, 8))
    state = (
        *(first ^ 0x736F6D6570736575, second ^ 0x646F72616E646F6D),
        *(first ^ 0x6C7967656E657261, second ^ 0x7465646279746573),
    )
    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 0xFF])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v0, v1, v2, v3 = _round(_round((*state[:3], state[3] ^ word)))
        state = (v0 ^ word, v1, v2, v3)
    state = (*state[:2], state[2] ^ 0xFF, state[3])
    for _ in range(4):
        state = _round(state)
    return f"{state[0] ^ state[1] ^ state[2] ^ state[3]:016x}"


def _round(state: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    v0, v1, v2, v3 = state
    v0 = (v0 + v1) & _MASK
    v2 = (v2 + v3) & _MASK
    v1 = _turned(v1, 13) ^ v0
    v3 = _turned(v3, 16) ^ v2
    v0 = (_turned(v0, 32) + v3) & _MASK
    v2 = (v2 + v1) & _MASK
    return v0, _turned(v1, 17) ^ v2, _turned(v2, 32), _turned(v3, 21) ^ v0


def _turned(word: int, bits: int) -> int:
    return (word << bits | word >> (64 - bits)) & _MASK
