"""Plausible mistakes, two a task, tasks 13 to 24: each must fail the hidden tests."""

# ruff: noqa: PLC0415 (an answer must be complete in its body, imports included)
from __future__ import annotations

from collections.abc import Callable
from typing import Any


def decode_pattern__s1(pattern: str) -> str:
    row = ""
    count = 1
    for sign in pattern:
        if sign.isdigit():
            count = int(sign)
        else:
            row += sign * count
            count = 1
    return row


def decode_pattern__s2(pattern: str) -> str:
    import re

    return "".join(letter * int(count) for count, letter in re.findall(r"(\d+)(\D)", pattern))


def bus_seats__s1(rows: int, taken: list[str], group: int) -> list[str]:
    for row in range(1, rows + 1):
        for first in range(5 - group):
            seats = [f"{row}{letter}" for letter in "ABCD"[first : first + group]]
            if not set(seats) & set(taken):
                return seats
    return []


def bus_seats__s2(rows: int, taken: list[str], group: int) -> list[str]:
    for row in range(1, rows):
        free = [f"{row}{letter}" for letter in "ABCD" if f"{row}{letter}" not in taken]
        if len(free) >= group:
            return free[:group]
    return []


def lift_trips__s1(weights: list[int], limit: int) -> int:
    trips = 0
    load = 0
    for weight in weights:
        if weight > limit:
            continue
        if load + weight > limit:
            trips += 1
            load = 0
        load += weight
    return trips + 1 if load else trips


def lift_trips__s2(weights: list[int], limit: int) -> int:
    queue = sorted((weight for weight in weights if weight <= limit), reverse=True)
    trips = 0
    while queue:
        cabin = [queue.pop(0)]
        for weight in list(queue):
            if sum(cabin) + weight <= limit and len(cabin) < 6:
                cabin.append(weight)
                queue.remove(weight)
        trips += 1
    return trips


def pages_to_print__s1(request: str) -> list[int]:
    pages = []
    for part in request.split(","):
        if "-" in part:
            first, last = part.split("-")
            pages += list(range(int(first), int(last) + 1))
        elif part.strip():
            pages.append(int(part))
    return sorted(pages)


def pages_to_print__s2(request: str) -> list[int]:
    pages = set()
    for part in request.split(","):
        ends = part.split("-")
        for page in range(int(ends[0]), int(ends[-1])):
            pages.add(page)
    return sorted(pages)


def average_pace__s1(kilometres: list[str]) -> str:
    seconds = [int(split.split(":")[0]) * 60 + int(split.split(":")[1]) for split in kilometres]
    mean = sum(seconds) // len(seconds)
    return f"{mean // 60}:{mean % 60:02d}"


def average_pace__s2(kilometres: list[str]) -> str:
    seconds = [int(split.split(":")[0]) * 60 + int(split.split(":")[1]) for split in kilometres]
    mean = round(sum(seconds) / len(seconds))
    return f"{mean // 60}:{mean % 60}"


def next_flash__s1(periods: list[int], after: int) -> int:
    common = 1
    for period in periods:
        common *= period
    return (after // common + 1) * common


def next_flash__s2(periods: list[int], after: int) -> int:
    moment = max(after, 1)
    while any(moment % period for period in periods):
        moment += 1
    return moment


def garden_beds__s1(plan: list[str]) -> list[int]:
    left = {(y, x) for y, line in enumerate(plan) for x, cell in enumerate(line) if cell == "#"}
    areas = []
    while left:
        queue = [left.pop()]
        area = 0
        while queue:
            y, x = queue.pop()
            area += 1
            near = {(y + i, x + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} & left
            left -= near
            queue.extend(near)
        areas.append(area)
    return sorted(areas, reverse=True)


def garden_beds__s2(plan: list[str]) -> list[int]:
    beds = []
    for line in plan:
        for piece in line.split("."):
            if piece:
                beds.append(len(piece))
    return sorted(beds, reverse=True)


def metro_transfers__s1(lines: dict[str, list[str]], start: str, goal: str) -> int:
    for stations in lines.values():
        if start in stations and goal in stations:
            return 0
    for stations in lines.values():
        for others in lines.values():
            if start in stations and goal in others and set(stations) & set(others):
                return 1
    return -1


def metro_transfers__s2(lines: dict[str, list[str]], start: str, goal: str) -> int:
    if start == goal:
        return 0
    stations = {start}
    rides = 0
    while goal not in stations:
        wider = stations.union(*(stops for stops in lines.values() if stations & set(stops)))
        if wider == stations:
            return -1
        stations = wider
        rides += 1
    return rides


def share_bill__s1(total: int, portions: list[int]) -> list[int]:
    whole = sum(portions)
    shares = [total * portion // whole for portion in portions]
    shares[0] += total - sum(shares)
    return shares


def share_bill__s2(total: int, portions: list[int]) -> list[int]:
    whole = sum(portions)
    return [round(total * portion / whole) for portion in portions]


def battery_size__s1(segments: list[int]) -> int:
    spent = worst = 0
    for change in segments:
        spent += change
        worst = max(worst, spent)
    return worst


def battery_size__s2(segments: list[int]) -> int:
    return sum(change for change in segments if change > 0)


def domino_chain__s1(tiles: list[tuple[int, int]]) -> bool:
    from itertools import pairwise

    return all(left[1] == right[0] for left, right in pairwise(tiles))


def domino_chain__s2(tiles: list[tuple[int, int]]) -> bool:
    numbers = [number for tile in tiles for number in tile]
    odd = [number for number in set(numbers) if numbers.count(number) % 2]
    return len(odd) in (0, 2)


def recipe_steps__s1(needs: dict[str, list[str]]) -> list[str]:
    order: list[str] = []

    def visit(step: str) -> None:
        if step not in order:
            for before in sorted(needs.get(step, [])):
                visit(before)
            order.append(step)

    for step in sorted(needs):
        visit(step)
    return order


def recipe_steps__s2(needs: dict[str, list[str]]) -> list[str]:
    order: list[str] = []
    while len(order) < len(needs):
        ready = [s for s in sorted(needs) if s not in order and all(b in order for b in needs[s])]
        if not ready:
            return []
        order += ready
    return order


SLIPS: list[tuple[Callable[..., Any], ...]] = [
    (decode_pattern__s1, decode_pattern__s2),
    (bus_seats__s1, bus_seats__s2),
    (lift_trips__s1, lift_trips__s2),
    (pages_to_print__s1, pages_to_print__s2),
    (average_pace__s1, average_pace__s2),
    (next_flash__s1, next_flash__s2),
    (garden_beds__s1, garden_beds__s2),
    (metro_transfers__s1, metro_transfers__s2),
    (share_bill__s1, share_bill__s2),
    (battery_size__s1, battery_size__s2),
    (domino_chain__s1, domino_chain__s2),
    (recipe_steps__s1, recipe_steps__s2),
]
