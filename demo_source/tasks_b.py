"""Tasks 9 to 16: two or three rules that work together."""

# ruff: noqa: PLC0415 (a canonical solution must be complete in its body, imports included)
from __future__ import annotations

from demo_source.task import DemoTask


def chess_clock(start: int, increment: int, moves: list[int]) -> tuple[int, int]:
    """Верните, сколько секунд осталось на шахматных часах у белых и у чёрных.

    У каждого игрока сначала start секунд. Игроки ходят по очереди, начинают белые; moves — сколько
    секунд занял каждый ход. После своего хода игрок получает increment секунд. Если ход занял
    столько же секунд, сколько оставалось, или больше, у игрока падает флажок: у него остаётся 0,
    и партия сразу заканчивается.

    >>> chess_clock(60, 2, [10, 20, 5])
    (49, 42)
    >>> chess_clock(10, 0, [3, 10, 1])
    (7, 0)
    """
    clocks = [start, start]
    for number, spent in enumerate(moves):
        player = number % 2
        if spent >= clocks[player]:
            clocks[player] = 0
            break
        clocks[player] += increment - spent
    return clocks[0], clocks[1]


def scale_recipe(recipe: dict[str, float], servings: int, wanted: int) -> dict[str, float]:
    """Пересчитайте рецепт на другое число порций.

    В recipe указано, сколько граммов каждого продукта нужно на servings порций. Верните словарь для
    wanted порций в том же порядке; граммы округлите до одного знака. Продукты, которых после
    округления нужно 0 граммов, в новый рецепт не входят.

    >>> scale_recipe({"мука": 300, "сахар": 50}, 4, 6)
    {'мука': 450.0, 'сахар': 75.0}
    >>> scale_recipe({"рис": 90, "шафран": 0.1}, 3, 1)
    {'рис': 30.0}
    """
    scaled = {product: round(grams * wanted / servings, 1) for product, grams in recipe.items()}
    return {product: grams for product, grams in scaled.items() if grams > 0}


def library_fine(due: str, returned: str, per_day: int) -> int:
    """Посчитайте штраф за книгу, которую вернули в библиотеку с опозданием.

    Даты записаны в виде «ГГГГ-ММ-ДД». Просрочены все дни после due до дня returned включительно,
    кроме воскресений: по воскресеньям библиотека закрыта. Первые три просроченных дня бесплатны,
    каждый следующий стоит per_day рублей. Штраф не бывает больше 500 рублей.

    >>> library_fine("2024-03-04", "2024-03-09", 10)
    20
    >>> library_fine("2024-03-04", "2024-03-02", 10)
    0
    """
    from datetime import date, timedelta

    day, last = date.fromisoformat(due), date.fromisoformat(returned)
    late = 0
    while day < last:
        day += timedelta(days=1)
        if day.isoweekday() != 7:
            late += 1
    return min(500, max(0, late - 3) * per_day)


def tide_windows(heights: list[int], draft: int) -> list[tuple[int, int]]:
    """Найдите часы, когда яхта может стоять у причала.

    В heights записана глубина у причала в сантиметрах для каждого часа, начиная с нулевого. Яхте
    нужна глубина не меньше draft. Верните пары (первый час, последний час) для всех непрерывных
    промежутков, когда глубины хватает; оба часа входят в промежуток.

    >>> tide_windows([180, 210, 230, 190, 205], 200)
    [(1, 2), (4, 4)]
    >>> tide_windows([150, 160], 200)
    []
    """
    windows = []
    first = None
    for hour, height in enumerate([*heights, draft - 1]):
        if height >= draft and first is None:
            first = hour
        elif height < draft and first is not None:
            windows.append((first, hour - 1))
            first = None
    return windows


def encode_pattern(row: str) -> str:
    """Сожмите ряд вязания: вместо одинаковых петель подряд пишется их число и одна буква.

    Число 1 не пишется.

    >>> encode_pattern("лллии" + "н" * 12 + "л")
    '3л2и12нл'
    """
    packed = ""
    position = 0
    while position < len(row):
        end = position
        while end < len(row) and row[end] == row[position]:
            end += 1
        packed += (str(end - position) if end - position > 1 else "") + row[position]
        position = end
    return packed


def decode_pattern(pattern: str) -> str:
    """Восстановите ряд вязания, который сжали функцией encode_pattern.

    В описании могут встретиться и числа, которых encode_pattern не пишет: 1 и 0.

    >>> decode_pattern("3л2и12нл")
    'лллииннннннннннннл'
    >>> decode_pattern("1и0л2н")
    'инн'
    """
    row = ""
    number = ""
    for sign in pattern:
        if sign.isdigit():
            number += sign
        else:
            row += sign * (int(number) if number else 1)
            number = ""
    return row


def bus_seats(rows: int, taken: list[str], group: int) -> list[str]:
    """Подберите места в автобусе для группы из group человек.

    В каждом ряду места A и B слева от прохода, C и D справа; ряды нумеруются с единицы, места
    называются «1A», «1B» и так далее. Группа садится в одном ряду на места, идущие подряд. Двое не
    хотят сидеть через проход, а группе из трёх или четырёх человек он не мешает. Выберите первый
    подходящий ряд, а в нём самые левые места. Если таких мест нет, верните пустой список.

    >>> bus_seats(10, ["1A", "1D"], 2)
    ['2A', '2B']
    >>> bus_seats(10, ["1D"], 3)
    ['1A', '1B', '1C']
    """
    blocks = ["AB", "CD"] if group <= 2 else ["ABCD"]
    for row in range(1, rows + 1):
        for block in blocks:
            for first in range(len(block) - group + 1):
                seats = [f"{row}{letter}" for letter in block[first : first + group]]
                if not set(seats) & set(taken):
                    return seats
    return []


def lift_trips(weights: list[int], limit: int) -> int:
    """Посчитайте, сколько раз лифту придётся подняться, чтобы увезти всю очередь.

    Люди заходят строго по очереди. Лифт поднимает не больше limit килограммов и не больше шести
    человек сразу; он отправляется, как только следующий в очереди уже не может войти. Тот, кто один
    весит больше limit, уходит на лестницу и никого не задерживает.

    >>> lift_trips([80, 90, 60, 120], 240)
    2
    >>> lift_trips([50, 300, 50], 200)
    1
    """
    trips = load = people = 0
    for weight in weights:
        if weight > limit:
            continue
        if trips == 0 or load + weight > limit or people == 6:
            trips += 1
            load = people = 0
        load += weight
        people += 1
    return trips


def pages_to_print(request: str) -> list[int]:
    """Разберите запрос на печать и верните номера страниц.

    Запрос — это номера страниц и диапазоны через запятую, вокруг чисел могут стоять пробелы. Концы
    диапазона могут быть записаны в обратном порядке. Верните номера по возрастанию и без повторов.
    Пустой запрос означает, что печатать нечего.

    >>> pages_to_print("1-3, 7, 2")
    [1, 2, 3, 7]
    >>> pages_to_print("12-10")
    [10, 11, 12]
    """
    pages: set[int] = set()
    for part in request.split(","):
        if part.strip():
            ends = [int(number) for number in part.split("-")]
            pages.update(range(min(ends), max(ends) + 1))
    return sorted(pages)


TASKS = [
    DemoTask(
        chess_clock,
        [
            {"start": 60, "increment": 2, "moves": [10, 20, 5]},
            {"start": 10, "increment": 0, "moves": [3, 10, 1]},
            {"start": 300, "increment": 5, "moves": []},
            {"start": 5, "increment": 3, "moves": [5]},
            {"start": 5, "increment": 3, "moves": [4, 1, 4]},
            {"start": 20, "increment": 0, "moves": [25, 3, 2]},
            {"start": 30, "increment": 10, "moves": [1, 2, 3, 4, 5, 6]},
            {"start": 15, "increment": 1, "moves": [7, 7, 8, 9, 1]},
            {"start": 15, "increment": 1, "moves": [7, 7, 9, 1, 1]},
            {"start": 1, "increment": 60, "moves": [0, 0, 60, 61]},
        ],
    ),
    DemoTask(
        scale_recipe,
        [
            {"recipe": {"мука": 300, "сахар": 50}, "servings": 4, "wanted": 6},
            {"recipe": {"рис": 90, "шафран": 0.1}, "servings": 3, "wanted": 1},
            {"recipe": {}, "servings": 2, "wanted": 8},
            {"recipe": {"соль": 5, "вода": 1000}, "servings": 10, "wanted": 1},
            {"recipe": {"дрожжи": 0.5, "мука": 500}, "servings": 12, "wanted": 1},
            {"recipe": {"яблоки": 700, "корица": 2.5}, "servings": 7, "wanted": 7},
            {"recipe": {"творог": 400, "изюм": 33}, "servings": 3, "wanted": 2},
            {"recipe": {"перец": 1, "лавр": 0.4, "мясо": 900}, "servings": 9, "wanted": 1},
            {"recipe": {"свёкла": 350, "лук": 0}, "servings": 5, "wanted": 4},
            {"recipe": {"чай": 3}, "servings": 1, "wanted": 25},
        ],
    ),
    DemoTask(
        library_fine,
        [
            {"due": "2024-03-04", "returned": "2024-03-09", "per_day": 10},
            {"due": "2024-03-04", "returned": "2024-03-02", "per_day": 10},
            {"due": "2024-03-04", "returned": "2024-03-04", "per_day": 10},
            {"due": "2024-03-04", "returned": "2024-03-07", "per_day": 10},
            {"due": "2024-03-08", "returned": "2024-03-12", "per_day": 10},
            {"due": "2024-03-08", "returned": "2024-03-13", "per_day": 10},
            {"due": "2024-02-26", "returned": "2024-03-02", "per_day": 7},
            {"due": "2023-12-29", "returned": "2024-01-08", "per_day": 5},
            {"due": "2024-01-01", "returned": "2024-12-31", "per_day": 3},
            {"due": "2024-05-06", "returned": "2024-05-20", "per_day": 50},
            {"due": "2024-05-05", "returned": "2024-05-12", "per_day": 1},
        ],
    ),
    DemoTask(
        tide_windows,
        [
            {"heights": [180, 210, 230, 190, 205], "draft": 200},
            {"heights": [150, 160], "draft": 200},
            {"heights": [], "draft": 100},
            {"heights": [300, 300, 300], "draft": 200},
            {"heights": [200, 199, 200], "draft": 200},
            {"heights": [100, 250], "draft": 250},
            {"heights": [250, 100, 100, 251, 252, 100], "draft": 250},
            {"heights": [5], "draft": 0},
            {"heights": [120, 140, 160, 180, 160, 140, 120, 140, 160, 180], "draft": 160},
            {"heights": [-10, -5, 0, 3, -1], "draft": -5},
        ],
    ),
    DemoTask(
        decode_pattern,
        [
            {"pattern": "3л2и12нл"},
            {"pattern": "1и0л2н"},
            {"pattern": ""},
            {"pattern": "лин"},
            {"pattern": "10л"},
            {"pattern": "л10и"},
            {"pattern": "0л"},
            {"pattern": "2л2л"},
            {"pattern": "01и10н"},
            {"pattern": "лл3*25о"},
        ],
        shown=(encode_pattern,),
    ),
    DemoTask(
        bus_seats,
        [
            {"rows": 10, "taken": ["1A", "1D"], "group": 2},
            {"rows": 10, "taken": ["1D"], "group": 3},
            {"rows": 3, "taken": [], "group": 1},
            {"rows": 2, "taken": ["1A", "1B", "1C", "1D", "2A"], "group": 1},
            {"rows": 2, "taken": ["1B", "2C"], "group": 3},
            {"rows": 2, "taken": ["1A", "2C"], "group": 3},
            {"rows": 1, "taken": ["1B"], "group": 2},
            {"rows": 12, "taken": [f"{row}A" for row in range(1, 12)], "group": 4},
            {"rows": 4, "taken": [], "group": 5},
            {"rows": 1, "taken": ["1A", "1D"], "group": 2},
            {"rows": 0, "taken": [], "group": 1},
        ],
    ),
    DemoTask(
        lift_trips,
        [
            {"weights": [80, 90, 60, 120], "limit": 240},
            {"weights": [50, 300, 50], "limit": 200},
            {"weights": [], "limit": 400},
            {"weights": [500, 600], "limit": 400},
            {"weights": [100, 100], "limit": 200},
            {"weights": [100, 101], "limit": 200},
            {"weights": [10] * 13, "limit": 1000},
            {"weights": [90, 30, 90, 30, 90, 30], "limit": 120},
            {"weights": [60, 90, 60, 90], "limit": 120},
            {"weights": [70, 70, 70, 70, 70, 70, 70], "limit": 490},
        ],
    ),
    DemoTask(
        pages_to_print,
        [
            {"request": "1-3, 7, 2"},
            {"request": "12-10"},
            {"request": ""},
            {"request": "   "},
            {"request": "5"},
            {"request": "9, 10, 8"},
            {"request": " 2 - 4 ,3-6"},
            {"request": "7-7,7"},
            {"request": "100,20,3"},
            {"request": "1-2,,4"},
        ],
    ),
]
