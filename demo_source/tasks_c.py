"""Tasks 17 to 24: exact arithmetic, graphs and search."""

# ruff: noqa: PLC0415 (a canonical solution must be complete in its body, imports included)
from __future__ import annotations

from demo_source.task import DemoTask


def average_pace(kilometres: list[str]) -> str:
    """Найдите средний темп бегуна.

    Для каждого километра записано время в виде «М:СС». Верните среднее время на километр в том же
    виде; доля секунды округляется до ближайшей целой, ровно половина — вверх. Пробежка не пустая.

    >>> average_pace(["5:10", "5:20"])
    '5:15'
    >>> average_pace(["4:59", "5:00"])
    '5:00'
    """
    total = 0
    for split in kilometres:
        minutes, seconds = split.split(":")
        total += int(minutes) * 60 + int(seconds)
    count = len(kilometres)
    average = (2 * total + count) // (2 * count)
    return f"{average // 60}:{average % 60:02d}"


def next_flash(periods: list[int], after: int) -> int:
    """Найдите, когда маяки снова мигнут вместе.

    В секунду 0 все маяки мигнули одновременно, дальше каждый мигает через свой период. Верните
    первую секунду строго позже after, в которую мигнут все сразу.

    >>> next_flash([4, 6], 12)
    24
    >>> next_flash([5], 3)
    5
    """
    from math import lcm

    together = lcm(*periods)
    return (after // together + 1) * together


def garden_beds(plan: list[str]) -> list[int]:
    """Измерьте грядки на плане огорода.

    На плане «#» — клетка с грядкой, «.» — дорожка. Клетки, которые касаются сторонами, образуют одну
    грядку; касание углами не считается. Верните площади всех грядок в клетках, от большей к меньшей.

    >>> garden_beds(["##.", "..#"])
    [2, 1]
    >>> garden_beds(["...", "..."])
    []
    """
    left = {(y, x) for y, line in enumerate(plan) for x, cell in enumerate(line) if cell == "#"}
    areas = []
    while left:
        queue = [left.pop()]
        area = 0
        while queue:
            y, x = queue.pop()
            area += 1
            near = {(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)} & left
            left -= near
            queue.extend(near)
        areas.append(area)
    return sorted(areas, reverse=True)


def metro_transfers(lines: dict[str, list[str]], start: str, goal: str) -> int:
    """Найдите наименьшее число пересадок в метро.

    В lines для каждой линии перечислены её станции; станция может быть на нескольких линиях, и там
    можно пересесть. Верните, сколько пересадок нужно на пути от start до goal. Если доехать нельзя
    или такой станции нет, верните -1.

    >>> metro_transfers({"красная": ["А", "Б"], "синяя": ["Б", "В"]}, "А", "В")
    1
    >>> metro_transfers({"красная": ["А", "Б"], "синяя": ["В"]}, "А", "В")
    -1
    """
    reached = {line for line, stations in lines.items() if start in stations}
    transfers = 0
    while reached:
        stations = {station for line in reached for station in lines[line]}
        if goal in stations:
            return transfers
        wider = {line for line, stops in lines.items() if stations & set(stops)}
        if wider == reached:
            break
        reached = wider
        transfers += 1
    return -1


def share_bill(total: int, portions: list[int]) -> list[int]:
    """Разделите счёт между гостями пропорционально их порциям.

    Сумма total указана в копейках. Сначала каждый платит свою долю, округлённую вниз. Копейки,
    которых не хватило, добавляются по одной тем, у кого отброшенная часть больше; при равенстве —
    тому, кто раньше в списке. Хотя бы одна порция больше нуля.

    >>> share_bill(1000, [1, 1, 1])
    [334, 333, 333]
    >>> share_bill(100, [1, 2, 3])
    [17, 33, 50]
    """
    whole = sum(portions)
    shares = [total * portion // whole for portion in portions]
    order = sorted(range(len(portions)), key=lambda guest: -(total * portions[guest] % whole))
    for guest in order[: total - sum(shares)]:
        shares[guest] += 1
    return shares


def battery_size(segments: list[int]) -> int:
    """Найдите наименьшую ёмкость батареи самоката, которой хватит на весь маршрут.

    Положительное число — расход заряда на участке, отрицательное — сколько заряда вернётся на
    спуске. Сверх ёмкости батарея не заряжается. В начале она полностью заряжена, и ни на одном
    участке заряда не должно не хватить.

    >>> battery_size([3, -2, 4])
    5
    >>> battery_size([-10, 3])
    3
    """
    spent = worst = 0
    for change in segments:
        spent = max(0, spent + change)
        worst = max(worst, spent)
    return worst


def domino_chain(tiles: list[tuple[int, int]]) -> bool:
    """Определите, можно ли выложить все костяшки домино в одну цепочку.

    Соседние костяшки касаются половинками с одинаковым числом. Костяшки можно переставлять и
    поворачивать. Пустую цепочку выложить можно.

    >>> domino_chain([(1, 2), (3, 2), (3, 4)])
    True
    >>> domino_chain([(1, 2), (3, 4)])
    False
    """

    def extend(end: int | None, left: list[tuple[int, int]]) -> bool:
        if not left:
            return True
        for position, (one, other) in enumerate(left):
            rest = left[:position] + left[position + 1 :]
            if end in (None, one) and extend(other, rest):
                return True
            if end in (None, other) and extend(one, rest):
                return True
        return False

    return extend(None, list(tiles))


def recipe_steps(needs: dict[str, list[str]]) -> list[str]:
    """Расставьте шаги рецепта по порядку.

    В needs для шага перечислены шаги, которые должны быть сделаны до него. Шаг, который встречается
    только среди таких условий, сам ничего не требует. Каждый раз из шагов, за которые уже можно
    взяться, выбирайте тот, что раньше по алфавиту. Если шаги требуют друг друга по кругу, верните
    пустой список.

    >>> recipe_steps({"печь": ["замес"], "крем": []})
    ['замес', 'крем', 'печь']
    >>> recipe_steps({"а": ["б"], "б": ["а"]})
    []
    """
    waiting = {step: set(before) for step, before in needs.items()}
    for before in needs.values():
        for step in before:
            waiting.setdefault(step, set())
    order: list[str] = []
    while waiting:
        ready = sorted(step for step, before in waiting.items() if before <= set(order))
        if not ready:
            return []
        order.append(ready[0])
        del waiting[ready[0]]
    return order


TASKS = [
    DemoTask(
        average_pace,
        [
            {"kilometres": ["5:10", "5:20"]},
            {"kilometres": ["4:59", "5:00"]},
            {"kilometres": ["6:00"]},
            {"kilometres": ["5:00", "5:00", "5:01"]},
            {"kilometres": ["5:00", "5:01", "5:01"]},
            {"kilometres": ["3:58", "4:02", "4:11", "4:09"]},
            {"kilometres": ["0:59", "1:00"]},
            {"kilometres": ["5:00", "5:01"]},
            {"kilometres": ["12:30", "9:45", "10:04"]},
            {"kilometres": ["5:03", "5:06", "5:04", "5:05", "5:05"]},
        ],
    ),
    DemoTask(
        next_flash,
        [
            {"periods": [4, 6], "after": 12},
            {"periods": [5], "after": 3},
            {"periods": [5], "after": 5},
            {"periods": [4, 6], "after": 0},
            {"periods": [4, 6], "after": 11},
            {"periods": [2, 3, 4], "after": 100},
            {"periods": [7, 7, 7], "after": 6},
            {"periods": [10, 15, 21], "after": 1000},
            {"periods": [1], "after": 41},
            {"periods": [86400, 3600], "after": 86399},
        ],
    ),
    DemoTask(
        garden_beds,
        [
            {"plan": ["##.", "..#"]},
            {"plan": ["...", "..."]},
            {"plan": []},
            {"plan": ["#"]},
            {"plan": ["#.#", ".#.", "#.#"]},
            {"plan": ["###", "#.#", "###"]},
            {"plan": ["#....", "##..#", "...##", "#...#"]},
            {"plan": ["##########"]},
            {"plan": ["#.#.#", "#.#.#", "#####"]},
            {"plan": ["..#..", "..#..", "#####", "..#..", "#.#.#"]},
        ],
    ),
    DemoTask(
        metro_transfers,
        [
            {"lines": {"красная": ["А", "Б"], "синяя": ["Б", "В"]}, "start": "А", "goal": "В"},
            {"lines": {"красная": ["А", "Б"], "синяя": ["В"]}, "start": "А", "goal": "В"},
            {"lines": {"красная": ["А", "Б", "В"]}, "start": "В", "goal": "А"},
            {"lines": {"красная": ["А"]}, "start": "А", "goal": "А"},
            {"lines": {"красная": ["А"]}, "start": "Я", "goal": "Я"},
            {"lines": {}, "start": "А", "goal": "Б"},
            {"lines": {"1": ["А", "Б"], "2": ["Б", "В"], "3": ["В", "Г"]}, "start": "А", "goal": "Г"},
            {
                "lines": {
                    "1": ["А", "Б"],
                    "2": ["Б", "В"],
                    "3": ["В", "Г"],
                    "4": ["А", "Д"],
                    "5": ["Д", "Г"],
                },
                "start": "А",
                "goal": "Г",
            },
            {"lines": {"1": ["А", "Б", "В"], "2": ["В", "Б", "Г"]}, "start": "Г", "goal": "А"},
            {"lines": {"1": ["А", "Б"], "2": ["В", "Г"], "3": ["Г", "Д"]}, "start": "А", "goal": "Д"},
            {"lines": {"1": ["А", "Б"], "2": ["А", "В"]}, "start": "А", "goal": "Ж"},
        ],
    ),
    DemoTask(
        share_bill,
        [
            {"total": 1000, "portions": [1, 1, 1]},
            {"total": 100, "portions": [1, 2, 3]},
            {"total": 0, "portions": [2, 5]},
            {"total": 999, "portions": [1]},
            {"total": 5, "portions": [1, 1, 1, 1, 1, 1, 1]},
            {"total": 100, "portions": [0, 3, 0, 4]},
            {"total": 10, "portions": [6, 6, 1]},
            {"total": 101, "portions": [1, 1]},
            {"total": 1, "portions": [1, 5]},
            {"total": 123457, "portions": [7, 11, 13, 17]},
        ],
    ),
    DemoTask(
        battery_size,
        [
            {"segments": [3, -2, 4]},
            {"segments": [-10, 3]},
            {"segments": []},
            {"segments": [-5, -1]},
            {"segments": [7]},
            {"segments": [5, -20, 6]},
            {"segments": [1, 2, 3, -1, 2]},
            {"segments": [4, -1, 4, -9, 8]},
            {"segments": [2, -3, 5, -1, -1, 3, -8, 6]},
            {"segments": [10, -10, 10, -10, 10]},
        ],
    ),
    DemoTask(
        domino_chain,
        [
            {"tiles": [(1, 2), (3, 2), (3, 4)]},
            {"tiles": [(1, 2), (3, 4)]},
            {"tiles": []},
            {"tiles": [(5, 5)]},
            {"tiles": [(1, 1), (2, 2)]},
            {"tiles": [(1, 2), (1, 3), (1, 4)]},
            {"tiles": [(4, 6), (6, 6), (0, 4), (0, 6)]},
            {"tiles": [(1, 2), (2, 1), (3, 4), (4, 3)]},
            {"tiles": [(2, 1), (2, 3), (1, 3), (3, 5)]},
            {"tiles": [(0, 1), (0, 1), (0, 1), (2, 1), (2, 0)]},
        ],
    ),
    DemoTask(
        recipe_steps,
        [
            {"needs": {"печь": ["замес"], "крем": []}},
            {"needs": {"а": ["б"], "б": ["а"]}},
            {"needs": {}},
            {"needs": {"суп": ["бульон", "зажарка"], "зажарка": ["лук"], "бульон": []}},
            {"needs": {"в": [], "а": [], "б": []}},
            {"needs": {"а": ["а"]}},
            {"needs": {"я": [], "а": ["я"], "б": []}},
            {"needs": {"г": ["в"], "в": ["б"], "б": ["а"]}},
            {"needs": {"подача": ["соус", "рис"], "рис": ["вода"], "соус": ["вода"], "вода": []}},
            {"needs": {"а": [], "б": ["в"], "в": ["г"], "г": ["б"]}},
        ],
    ),
]
