"""Other right ways to solve the tasks: a second algorithm or style for each, tasks 1 to 12."""

# ruff: noqa: PLC0415 (a solution must be complete in its body, imports included)
from __future__ import annotations

from collections.abc import Callable
from typing import Any


def tram_wait__2(now: str, departures: list[str]) -> int:
    from bisect import bisect_left

    times = sorted(60 * int(item[:2]) + int(item[3:]) for item in departures)
    if not times:
        return -1
    current = 60 * int(now[:2]) + int(now[3:])
    index = bisect_left(times, current)
    if index == len(times):
        return times[0] + 24 * 60 - current
    return times[index] - current


def parcel_price__2(grams: int, express: bool) -> int:
    import math

    if grams > 10000:
        return 0
    price = 90
    remaining = grams - 500
    while remaining > 0:
        price += 35
        remaining -= 250
    if express:
        return math.ceil(price * 1.5)
    return price


def is_quiet_hour__2(now: str, start: str, end: str) -> bool:
    def to_minutes(moment: str) -> int:
        hours, minutes = map(int, moment.split(":"))
        return hours * 60 + minutes

    begin = to_minutes(start)
    length = (to_minutes(end) - begin) % 1440
    passed = (to_minutes(now) - begin) % 1440
    return passed < length


def light_colour__2(second: int, phases: list[tuple[str, int]]) -> str:
    from itertools import accumulate

    ends = list(accumulate(length for _, length in phases))
    moment = second % ends[-1]
    return next(colour for (colour, _), end in zip(phases, ends, strict=True) if moment < end)


def water_used__2(readings: list[int], digits: int) -> int:
    total = 0
    for i in range(1, len(readings)):
        difference = readings[i] - readings[i - 1]
        if difference < 0:
            # счётчик перешёл через ноль
            difference += 10**digits
        total += difference
    return total


def price_tag__2(kopecks: int) -> str:
    amount = abs(kopecks)
    digits = str(amount // 100)
    groups = []
    while digits:
        groups.append(digits[-3:])
        digits = digits[:-3]
    text = " ".join(reversed(groups)) + " руб. " + str(amount % 100).zfill(2) + " коп."
    return "-" + text if kopecks < 0 else text


def count_phrase__2(count: int, forms: list[str]) -> str:
    last_two = count % 100
    last = count % 10
    if last_two in (11, 12, 13, 14):
        return f"{count} {forms[2]}"
    if last == 1:
        return f"{count} {forms[0]}"
    if last in (2, 3, 4):
        return f"{count} {forms[1]}"
    return f"{count} {forms[2]}"


def jury_score__2(marks: list[float]) -> float:
    if not marks:
        return 0.0
    remaining = list(marks)
    if len(remaining) >= 4:
        remaining.remove(max(remaining))
        remaining.remove(min(remaining))
    return round(sum(remaining) / len(remaining), 2)


def chess_clock__2(start: int, increment: int, moves: list[int]) -> tuple[int, int]:
    white, black = start, start
    whites_turn = True
    for spent in moves:
        left = (white if whites_turn else black) - spent
        left = 0 if left <= 0 else left + increment
        if whites_turn:
            white = left
        else:
            black = left
        if left == 0:
            break
        whites_turn = not whites_turn
    return (white, black)


def scale_recipe__2(recipe: dict[str, float], servings: int, wanted: int) -> dict[str, float]:
    result = {}
    for product, grams in recipe.items():
        amount = round(grams / servings * wanted, 1)
        if amount != 0:
            result[product] = amount
    return result


def library_fine__2(due: str, returned: str, per_day: int) -> int:
    from datetime import date

    first = date.fromisoformat(due).toordinal() + 1
    last = date.fromisoformat(returned).toordinal()
    # порядковый номер воскресенья делится на семь без остатка
    days = [number for number in range(first, last + 1) if number % 7 != 0]
    paid = len(days[3:])
    return min(paid * per_day, 500)


def tide_windows__2(heights: list[int], draft: int) -> list[tuple[int, int]]:
    from itertools import groupby

    result = []
    for enough, group in groupby(range(len(heights)), key=lambda hour: heights[hour] >= draft):
        hours = list(group)
        if enough:
            result.append((hours[0], hours[-1]))
    return result


WAYS: list[Callable[..., Any]] = [
    tram_wait__2,
    parcel_price__2,
    is_quiet_hour__2,
    light_colour__2,
    water_used__2,
    price_tag__2,
    count_phrase__2,
    jury_score__2,
    chess_clock__2,
    scale_recipe__2,
    library_fine__2,
    tide_windows__2,
]
