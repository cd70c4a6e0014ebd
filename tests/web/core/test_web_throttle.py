"""Slowing down password guesses, with a clock that the tests set."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchwright.web.core.authentication import (
    ACCOUNT,
    ADDRESS,
    FORGOTTEN_S,
    KEPT,
    LONGEST_KEY,
    Throttle,
    network_of,
)


class _Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def _allowed(throttle: Throttle, time: _Time, seconds: int, account: str, address: str) -> int:
    """Return the number of attempts that are admitted at one per second."""
    allowed = 0
    for _ in range(seconds):
        allowed += throttle.attempt(account, address) == 0
        time.now += 1
    return allowed


def test_one_account_is_guessed_at_slowly_from_everywhere() -> None:
    """A day of guesses from new addresses: the free ones, those after growing waits, then one per minute."""
    time = _Time()
    throttle = Throttle(time)
    allowed = sum(_allowed(throttle, time, 1, "anna", f"192.0.2.{n % 256}.{n}") for n in range(86_400))

    assert allowed <= ACCOUNT.free + 6 + 86_400 / ACCOUNT.longest_s


def test_one_address_guesses_slowly_at_all_accounts() -> None:
    """A list of names with one common password does not succeed faster."""
    time = _Time()
    throttle = Throttle(time)
    allowed = sum(_allowed(throttle, time, 1, f"name{n}", "192.0.2.1") for n in range(86_400))

    assert allowed <= ADDRESS.free + 10 + 86_400 / ADDRESS.longest_s


def test_attempts_at_the_same_moment_are_counted() -> None:
    """Attempts are counted before their passwords are compared, so simultaneous ones are not all admitted."""
    throttle = Throttle(_Time())

    assert [throttle.attempt("anna", "192.0.2.1") for _ in range(8)] == [0] * 5 + [1] * 3


def test_a_success_starts_anew() -> None:
    """The account is reset; the address gets one attempt back, so one valid account does not pay for many
    guesses."""
    time = _Time()
    throttle = Throttle(time)
    for _ in range(200):
        assert throttle.attempt("anna", "192.0.2.1") == 0
        throttle.succeeded("anna", "192.0.2.1")
    for number in range(ADDRESS.free):
        assert throttle.attempt(f"name{number}", "192.0.2.1") == 0
        throttle.succeeded("mine", "198.51.100.1")

    assert throttle.attempt("one more", "192.0.2.1") > 0


def test_all_is_forgotten_after_a_while() -> None:
    """The counts expire after an hour without an attempt."""
    time = _Time()
    throttle = Throttle(time)
    _allowed(throttle, time, 100, "anna", "192.0.2.1")
    time.now += FORGOTTEN_S + 1

    assert [throttle.attempt("anna", "192.0.2.1") for _ in range(5)] == [0] * 5


def test_the_table_does_not_grow() -> None:
    """Its size is bounded for any number of names and addresses."""
    throttle = Throttle(_Time())
    for number in range(KEPT):
        throttle.attempt(f"name{number}" + "x" * 1000, f"192.0.2.{number}")

    assert len(throttle._tried) <= KEPT
    assert max(len(name) for _, name in throttle._tried) <= LONGEST_KEY


def test_networks() -> None:
    """An IPv6 customer has a /64; an invalid address counts as itself."""
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1") == "2001:db8::/64"
    assert network_of("2001:db8:0:1::1") != network_of("2001:db8::1")
    assert (network_of("192.0.2.7"), network_of("")) == ("192.0.2.7", "")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["1.1.1.1", "2.2.2.2"]), st.floats(0, 100))))
def test_the_wait_that_is_told_is_enough(tries: list[tuple[str, str, float]]) -> None:
    """After the reported wait an attempt is admitted."""
    time = _Time()
    throttle = Throttle(time)
    for account, address, pause in tries:
        if wait := throttle.attempt(account, address):
            time.now += wait
            assert throttle.attempt(account, address) == 0
        time.now += pause
