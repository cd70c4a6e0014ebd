"""Plausible mistakes, two or three a task, tasks 1 to 12: each must fail the hidden tests.

They serve twice: as proof that the tests discriminate, and as material for wrong answers.
"""

# ruff: noqa: PLC0415 (an answer must be complete in its body, imports included)
from __future__ import annotations

from collections.abc import Callable
from typing import Any


def tram_wait__s1(now: str, departures: list[str]) -> int:
    current = int(now[:2]) * 60 + int(now[3:])
    for departure in departures:
        moment = int(departure[:2]) * 60 + int(departure[3:])
        if moment >= current:
            return moment - current
    return -1


def tram_wait__s2(now: str, departures: list[str]) -> int:
    if not departures:
        return -1
    current = int(now[:2]) * 60 + int(now[3:])
    waits = [(int(d[:2]) * 60 + int(d[3:]) - current) % 1440 for d in departures]
    return min(wait if wait > 0 else 1440 for wait in waits)


def parcel_price__s1(grams: int, express: bool) -> int:
    if grams > 10000:
        return 0
    price = 90 + max(0, (grams - 500) // 250) * 35
    return int(price * 1.5) if express else price


def parcel_price__s2(grams: int, express: bool) -> int:
    if grams > 10000:
        return 0
    price = 90
    while grams > 500:
        price += 35
        grams -= 250
    return round(price * 1.5) if express else price


def is_quiet_hour__s1(now: str, start: str, end: str) -> bool:
    return start <= now < end


def is_quiet_hour__s2(now: str, start: str, end: str) -> bool:
    if start < end:
        return start <= now <= end
    return now >= start or now <= end


def light_colour__s1(second: int, phases: list[tuple[str, int]]) -> str:
    moment = second % sum(length for _, length in phases)
    for colour, length in phases:
        if moment <= length:
            return colour
        moment -= length
    return ""


def light_colour__s2(second: int, phases: list[tuple[str, int]]) -> str:
    for colour, length in phases:
        if second < length:
            return colour
        second -= length
    return phases[-1][0]


def water_used__s1(readings: list[int], digits: int) -> int:
    if not readings:
        return 0
    limit = int("1" + "0" * digits)
    return (readings[-1] - readings[0]) % limit


def water_used__s2(readings: list[int], digits: int) -> int:
    from itertools import pairwise

    total = 0
    for before, after in pairwise(readings):
        total += after - before if after >= before else 10**digits - 1 - before + after
    return total


def price_tag__s1(kopecks: int) -> str:
    return f"{kopecks // 100:,} руб. {kopecks % 100:02d} коп.".replace(",", " ")


def price_tag__s2(kopecks: int) -> str:
    sign = "-" if kopecks < 0 else ""
    kopecks = abs(kopecks)
    return f"{sign}{kopecks // 100} руб. {kopecks % 100} коп."


def count_phrase__s1(count: int, forms: list[str]) -> str:
    last = count % 10
    if last == 1:
        return f"{count} {forms[0]}"
    if 2 <= last <= 4:
        return f"{count} {forms[1]}"
    return f"{count} {forms[2]}"


def count_phrase__s2(count: int, forms: list[str]) -> str:
    if 10 < count < 20 or count % 10 == 0 or count % 10 > 4:
        return f"{count} {forms[2]}"
    if count % 10 == 1:
        return f"{count} {forms[0]}"
    return f"{count} {forms[1]}"


def jury_score__s1(marks: list[float]) -> float:
    kept = sorted(marks)[1:-1]
    if not kept:
        return 0.0
    return round(sum(kept) / len(kept), 2)


def jury_score__s2(marks: list[float]) -> float:
    if not marks:
        return 0.0
    kept = marks
    if len(marks) >= 4:
        kept = [mark for mark in marks if mark not in (max(marks), min(marks))]
    return round(sum(kept) / max(1, len(kept)), 2)


def chess_clock__s1(start: int, increment: int, moves: list[int]) -> tuple[int, int]:
    white = black = start
    for number, spent in enumerate(moves):
        if number % 2 == 0:
            white = max(0, white - spent) + increment
        else:
            black = max(0, black - spent) + increment
    return white, black


def chess_clock__s2(start: int, increment: int, moves: list[int]) -> tuple[int, int]:
    clocks = [start, start]
    for number, spent in enumerate(moves):
        clocks[number % 2] -= spent
        if clocks[number % 2] < 0:
            clocks[number % 2] = 0
            break
        clocks[number % 2] += increment
    return clocks[0], clocks[1]


def scale_recipe__s1(recipe: dict[str, float], servings: int, wanted: int) -> dict[str, float]:
    return {product: round(grams * wanted / servings, 1) for product, grams in recipe.items()}


def scale_recipe__s2(recipe: dict[str, float], servings: int, wanted: int) -> dict[str, float]:
    factor = wanted // servings
    return {product: round(grams * factor, 1) for product, grams in recipe.items() if grams * factor > 0}


def library_fine__s1(due: str, returned: str, per_day: int) -> int:
    from datetime import date

    late = (date.fromisoformat(returned) - date.fromisoformat(due)).days
    return min(500, max(0, late - 3) * per_day)


def library_fine__s2(due: str, returned: str, per_day: int) -> int:
    from datetime import date, timedelta

    day, last = date.fromisoformat(due), date.fromisoformat(returned)
    late = 0
    while day < last:
        if day.weekday() != 6:
            late += 1
        day += timedelta(days=1)
    return max(0, late - 3) * per_day


def tide_windows__s1(heights: list[int], draft: int) -> list[tuple[int, int]]:
    windows = []
    first = -1
    for hour, height in enumerate(heights):
        if height >= draft and first < 0:
            first = hour
        if height < draft and first >= 0:
            windows.append((first, hour - 1))
            first = -1
    return windows


def tide_windows__s2(heights: list[int], draft: int) -> list[tuple[int, int]]:
    windows: list[tuple[int, int]] = []
    for hour, height in enumerate(heights):
        if height > draft:
            if windows and windows[-1][1] == hour - 1:
                windows[-1] = (windows[-1][0], hour)
            else:
                windows.append((hour, hour))
    return windows


SLIPS: list[tuple[Callable[..., Any], ...]] = [
    (tram_wait__s1, tram_wait__s2),
    (parcel_price__s1, parcel_price__s2),
    (is_quiet_hour__s1, is_quiet_hour__s2),
    (light_colour__s1, light_colour__s2),
    (water_used__s1, water_used__s2),
    (price_tag__s1, price_tag__s2),
    (count_phrase__s1, count_phrase__s2),
    (jury_score__s1, jury_score__s2),
    (chess_clock__s1, chess_clock__s2),
    (scale_recipe__s1, scale_recipe__s2),
    (library_fine__s1, library_fine__s2),
    (tide_windows__s1, tide_windows__s2),
]
