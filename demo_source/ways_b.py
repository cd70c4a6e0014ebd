"""Other right ways to solve the tasks: a second algorithm or style for each, tasks 13 to 24."""

# ruff: noqa: PLC0415 (a solution must be complete in its body, imports included)
from __future__ import annotations

from collections.abc import Callable
from typing import Any


def decode_pattern__2(pattern: str) -> str:
    import re

    return "".join(
        letter * (int(count) if count else 1) for count, letter in re.findall(r"(\d*)(\D)", pattern)
    )


def bus_seats__2(rows: int, taken: list[str], group: int) -> list[str]:
    busy = set(taken)
    if group == 1:
        options = ["A", "B", "C", "D"]
    elif group == 2:
        options = ["AB", "CD"]
    elif group == 3:
        options = ["ABC", "BCD"]
    elif group == 4:
        options = ["ABCD"]
    else:
        return []
    for row in range(1, rows + 1):
        for option in options:
            seats = [str(row) + letter for letter in option]
            if all(seat not in busy for seat in seats):
                return seats
    return []


def lift_trips__2(weights: list[int], limit: int) -> int:
    from collections import deque

    queue = deque(weight for weight in weights if weight <= limit)
    trips = 0
    while queue:
        cabin: list[int] = []
        while queue and len(cabin) < 6 and sum(cabin) + queue[0] <= limit:
            cabin.append(queue.popleft())
        trips += 1
    return trips


def pages_to_print__2(request: str) -> list[int]:
    result: list[int] = []
    for chunk in request.replace(" ", "").split(","):
        if not chunk:
            continue
        if "-" in chunk:
            left, right = map(int, chunk.split("-"))
            if left > right:
                left, right = right, left
            numbers = list(range(left, right + 1))
        else:
            numbers = [int(chunk)]
        result += [number for number in numbers if number not in result]
    result.sort()
    return result


def average_pace__2(kilometres: list[str]) -> str:
    from fractions import Fraction
    from math import floor

    seconds = [60 * int(m) + int(s) for m, s in (split.split(":") for split in kilometres)]
    mean = floor(Fraction(sum(seconds), len(seconds)) + Fraction(1, 2))
    minutes, rest = divmod(mean, 60)
    return str(minutes) + ":" + str(rest).zfill(2)


def next_flash__2(periods: list[int], after: int) -> int:
    from math import gcd

    common = 1
    for period in periods:
        common = common * period // gcd(common, period)
    moment = common
    if after >= common:
        moment = after - after % common + common
    return moment


def garden_beds__2(plan: list[str]) -> list[int]:
    grid = [list(line) for line in plan]

    def flood(y: int, x: int) -> int:
        if not (0 <= y < len(grid) and 0 <= x < len(grid[y])) or grid[y][x] != "#":
            return 0
        grid[y][x] = "."
        return 1 + flood(y + 1, x) + flood(y - 1, x) + flood(y, x + 1) + flood(y, x - 1)

    areas = [flood(y, x) for y in range(len(grid)) for x in range(len(grid[y])) if grid[y][x] == "#"]
    areas.sort()
    return areas[::-1]


def metro_transfers__2(lines: dict[str, list[str]], start: str, goal: str) -> int:
    from collections import deque

    queue = deque((name, 0) for name in lines if start in lines[name])
    seen = {name for name, _ in queue}
    while queue:
        name, transfers = queue.popleft()
        if goal in lines[name]:
            return transfers
        for other, stations in lines.items():
            if other not in seen and any(station in stations for station in lines[name]):
                seen.add(other)
                queue.append((other, transfers + 1))
    return -1


def share_bill__2(total: int, portions: list[int]) -> list[int]:
    everything = sum(portions)
    result = []
    remainders = []
    for portion in portions:
        whole, remainder = divmod(total * portion, everything)
        result.append(whole)
        remainders.append(remainder)
    left = total - sum(result)
    while left > 0:
        lucky = remainders.index(max(remainders))
        result[lucky] += 1
        remainders[lucky] = -1
        left -= 1
    return result


def battery_size__2(segments: list[int]) -> int:
    # наибольшая сумма подряд идущих участков, пустой отрезок тоже годится
    sums = [0]
    for change in segments:
        sums.append(sums[-1] + change)
    best = 0
    for right in range(len(sums)):
        for left in range(right):
            best = max(best, sums[right] - sums[left])
    return best


def domino_chain__2(tiles: list[tuple[int, int]]) -> bool:
    # цепочка — это эйлеров путь: граф связен, нечётных вершин не больше двух
    if not tiles:
        return True
    degree: dict[int, int] = {}
    for a, b in tiles:
        degree[a] = degree.get(a, 0) + 1
        degree[b] = degree.get(b, 0) + 1
    reached = {tiles[0][0]}
    for _ in tiles:
        for a, b in tiles:
            if a in reached or b in reached:
                reached |= {a, b}
    odd = [vertex for vertex in degree if degree[vertex] % 2 == 1]
    return len(reached) == len(degree) and len(odd) <= 2


def recipe_steps__2(needs: dict[str, list[str]]) -> list[str]:
    import heapq

    blocked: dict[str, int] = {}
    opens: dict[str, list[str]] = {}
    for step, before in needs.items():
        blocked[step] = len(set(before))
        for other in set(before):
            opens.setdefault(other, []).append(step)
    heap = [step for step in {*needs, *opens} if blocked.get(step, 0) == 0]
    heapq.heapify(heap)
    order = []
    while heap:
        step = heapq.heappop(heap)
        order.append(step)
        for other in opens.get(step, []):
            blocked[other] -= 1
            if blocked[other] == 0:
                heapq.heappush(heap, other)
    return order if len(order) == len({*needs, *opens}) else []


WAYS: list[Callable[..., Any]] = [
    decode_pattern__2,
    bus_seats__2,
    lift_trips__2,
    pages_to_print__2,
    average_pace__2,
    next_flash__2,
    garden_beds__2,
    metro_transfers__2,
    share_bill__2,
    battery_size__2,
    domino_chain__2,
    recipe_steps__2,
]
