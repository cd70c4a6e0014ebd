"""How guessing is slowed down, with a clock that the tests set."""

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
    """How many guesses come through that one tries each second."""
    allowed = 0
    for _ in range(seconds):
        allowed += throttle.attempt(account, address) == 0
        time.now += 1
    return allowed


def test_one_account_is_guessed_at_slowly_from_everywhere() -> None:
    """A day of guesses from new addresses: the free ones, those of the growing waits, then one a minute."""
    time = _Time()
    throttle = Throttle(time)
    allowed = sum(_allowed(throttle, time, 1, "anna", f"192.0.2.{n % 256}.{n}") for n in range(86_400))

    assert allowed <= ACCOUNT.free + 6 + 86_400 / ACCOUNT.longest_s


def test_one_address_guesses_slowly_at_all_accounts() -> None:
    """So a list of names and one common password leads nowhere either."""
    time = _Time()
    throttle = Throttle(time)
    allowed = sum(_allowed(throttle, time, 1, f"name{n}", "192.0.2.1") for n in range(86_400))

    assert allowed <= ADDRESS.free + 10 + 86_400 / ADDRESS.longest_s


def test_attempts_at_the_same_moment_are_counted() -> None:
    """They are counted before their passwords are compared, so they do not all come through."""
    throttle = Throttle(_Time())

    assert [throttle.attempt("anna", "192.0.2.1") for _ in range(8)] == [0] * 5 + [1] * 3


def test_a_success_starts_anew() -> None:
    """For the account; the address gets one attempt back, so one good account does not pay for many guesses."""
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
    """An hour without an attempt."""
    time = _Time()
    throttle = Throttle(time)
    _allowed(throttle, time, 100, "anna", "192.0.2.1")
    time.now += FORGOTTEN_S + 1

    assert [throttle.attempt("anna", "192.0.2.1") for _ in range(5)] == [0] * 5


def test_the_table_does_not_grow() -> None:
    """However many names and addresses are tried."""
    throttle = Throttle(_Time())
    for number in range(KEPT):
        throttle.attempt(f"name{number}" + "x" * 1000, f"192.0.2.{number}")

    assert len(throttle._tried) <= KEPT
    assert max(len(name) for _, name in throttle._tried) <= LONGEST_KEY


def test_networks() -> None:
    """Of IPv6 a customer has a /64; what is no address counts as it is."""
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff:1") == "2001:db8::/64"
    assert network_of("2001:db8:0:1::1") != network_of("2001:db8::1")
    assert (network_of("192.0.2.7"), network_of("")) == ("192.0.2.7", "")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["1.1.1.1", "2.2.2.2"]), st.floats(0, 100))))
def test_the_wait_that_is_told_is_enough(tries: list[tuple[str, str, float]]) -> None:
    """Whoever waits as long as they are told may try."""
    time = _Time()
    throttle = Throttle(time)
    for account, address, pause in tries:
        if wait := throttle.attempt(account, address):
            time.now += wait
            assert throttle.attempt(account, address) == 0
        time.now += pause
