"""Tasks 1 to 8: one idea each, with an edge that a hasty answer misses."""

# ruff: noqa: PLC0415 (a canonical solution must be complete in its body, imports included)
from __future__ import annotations

from demo_source.task import DemoTask


def tram_wait(now: str, departures: list[str]) -> int:
    """Верните, сколько минут осталось ждать ближайшего трамвая.

    Время записано в виде «ЧЧ:ММ», отправления перечислены в любом порядке. На трамвай, который
    отходит прямо сейчас, ещё можно успеть. Если сегодня трамваев больше не будет, пассажир ждёт
    первого завтрашнего: расписание каждый день одинаковое. Если расписание пустое, верните -1.

    >>> tram_wait("08:05", ["08:00", "08:30", "08:12"])
    7
    >>> tram_wait("23:50", ["05:40", "23:30"])
    350
    """

    def minutes(clock: str) -> int:
        hours, rest = clock.split(":")
        return int(hours) * 60 + int(rest)

    if not departures:
        return -1
    return min((minutes(departure) - minutes(now)) % 1440 for departure in departures)


def parcel_price(grams: int, express: bool) -> int:
    """Посчитайте стоимость отправки посылки в рублях.

    Первые 500 граммов стоят 90 рублей, каждые следующие начатые 250 граммов — ещё 35 рублей.
    Срочная доставка дороже в полтора раза, неполный рубль округляется вверх. Посылки тяжелее
    10 килограммов не принимают: для них верните 0.

    >>> parcel_price(500, False)
    90
    >>> parcel_price(760, True)
    240
    """
    if grams > 10_000:
        return 0
    steps = max(0, -((500 - grams) // 250))
    price = 90 + 35 * steps
    return (price * 3 + 1) // 2 if express else price


def is_quiet_hour(now: str, start: str, end: str) -> bool:
    """Определите, действует ли сейчас режим тишины.

    Все моменты записаны в виде «ЧЧ:ММ». Тишина наступает в момент start и заканчивается в момент
    end, который в неё уже не входит. Она может длиться через полночь. Если start и end совпадают,
    режим тишины выключен.

    >>> is_quiet_hour("23:15", "22:00", "07:00")
    True
    >>> is_quiet_hour("07:00", "22:00", "07:00")
    False
    """
    if start <= end:
        return start <= now < end
    return now >= start or now < end


def light_colour(second: int, phases: list[tuple[str, int]]) -> str:
    """Верните цвет, который горит на светофоре в заданную секунду.

    Светофор по кругу повторяет фазы; каждая фаза — это цвет и длительность в секундах. Отсчёт
    начинается с нуля: в секунду 0 только что включилась первая фаза. Фаза нулевой длительности
    пропускается. Хотя бы одна фаза длится больше нуля секунд.

    >>> light_colour(29, [("красный", 30), ("зелёный", 20)])
    'красный'
    >>> light_colour(80, [("красный", 30), ("зелёный", 20)])
    'зелёный'
    """
    left = second % sum(length for _, length in phases)
    for colour, length in phases:
        if left < length:
            return colour
        left -= length
    raise ValueError("у светофора нет ни одной фазы")


def water_used(readings: list[int], digits: int) -> int:
    """Найдите общий расход воды по показаниям счётчика.

    На табло помещается ровно digits цифр; после самого большого числа счётчик снова показывает
    ноль и идёт дальше. Показания сняты по порядку, между двумя соседними счётчик мог перейти
    через ноль не больше одного раза.

    >>> water_used([120, 150, 155], 5)
    35
    >>> water_used([998, 3], 3)
    5
    """
    from itertools import pairwise

    limit = 10**digits
    return sum((after - before) % limit for before, after in pairwise(readings))


def price_tag(kopecks: int) -> str:
    """Запишите сумму, которая дана в копейках, для ценника.

    Рубли делятся пробелами на группы по три цифры справа налево, копейки всегда из двух цифр.
    У отрицательной суммы (скидки) знак минус стоит один раз, перед рублями.

    >>> price_tag(123405)
    '1 234 руб. 05 коп.'
    >>> price_tag(-99)
    '-0 руб. 99 коп.'
    """
    sign = "-" if kopecks < 0 else ""
    rubles, rest = divmod(abs(kopecks), 100)
    grouped = f"{rubles:,}".replace(",", " ")
    return f"{sign}{grouped} руб. {rest:02d} коп."


def count_phrase(count: int, forms: list[str]) -> str:
    """Согласуйте существительное с числом по правилам русского языка.

    В forms три формы слова: для одного, для двух и для пяти предметов. Верните число и подходящую
    форму через пробел. Число неотрицательное.

    >>> count_phrase(21, ["билет", "билета", "билетов"])
    '21 билет'
    >>> count_phrase(12, ["билет", "билета", "билетов"])
    '12 билетов'
    """
    if 11 <= count % 100 <= 14 or count % 10 == 0 or count % 10 >= 5:
        form = forms[2]
    else:
        form = forms[0] if count % 10 == 1 else forms[1]
    return f"{count} {form}"


def jury_score(marks: list[float]) -> float:
    """Вычислите итоговую оценку за прыжок в воду.

    Если судей четверо или больше, отбросьте одну самую высокую и одну самую низкую оценку. Верните
    среднее оставшихся, округлённое до двух знаков. Если оценок нет, верните 0.0.

    >>> jury_score([7.5, 8.0, 6.0, 9.5])
    7.75
    >>> jury_score([8.0, 9.0])
    8.5
    """
    kept = sorted(marks)
    if len(kept) >= 4:
        kept = kept[1:-1]
    return round(sum(kept) / len(kept), 2) if kept else 0.0


TASKS = [
    DemoTask(
        tram_wait,
        [
            {"now": "08:05", "departures": ["08:00", "08:12", "08:30"]},
            {"now": "23:50", "departures": ["05:40", "23:30"]},
            {"now": "12:00", "departures": ["12:00"]},
            {"now": "12:01", "departures": ["12:00"]},
            {"now": "10:10", "departures": ["18:45", "10:09", "11:55", "10:40"]},
            {"now": "06:30", "departures": []},
            {"now": "00:00", "departures": ["23:59", "00:07"]},
            {"now": "23:59", "departures": ["00:00", "12:00"]},
            {"now": "09:58", "departures": ["10:03", "09:57"]},
            {"now": "19:20", "departures": ["07:05", "06:50", "19:19"]},
        ],
    ),
    DemoTask(
        parcel_price,
        [
            {"grams": 500, "express": False},
            {"grams": 760, "express": True},
            {"grams": 1, "express": False},
            {"grams": 501, "express": False},
            {"grams": 750, "express": True},
            {"grams": 751, "express": False},
            {"grams": 1100, "express": True},
            {"grams": 10_000, "express": False},
            {"grams": 10_001, "express": True},
            {"grams": 9_990, "express": True},
            {"grams": 120, "express": True},
        ],
    ),
    DemoTask(
        is_quiet_hour,
        [
            {"now": "23:15", "start": "22:00", "end": "07:00"},
            {"now": "07:00", "start": "22:00", "end": "07:00"},
            {"now": "06:59", "start": "22:00", "end": "07:00"},
            {"now": "22:00", "start": "22:00", "end": "07:00"},
            {"now": "21:59", "start": "22:00", "end": "07:00"},
            {"now": "13:30", "start": "13:00", "end": "15:00"},
            {"now": "15:00", "start": "13:00", "end": "15:00"},
            {"now": "12:59", "start": "13:00", "end": "15:00"},
            {"now": "10:00", "start": "10:00", "end": "10:00"},
            {"now": "00:00", "start": "23:30", "end": "00:30"},
        ],
    ),
    DemoTask(
        light_colour,
        [
            {"second": 29, "phases": [("красный", 30), ("зелёный", 20)]},
            {"second": 80, "phases": [("красный", 30), ("зелёный", 20)]},
            {"second": 0, "phases": [("зелёный", 15), ("жёлтый", 3), ("красный", 20)]},
            {"second": 15, "phases": [("зелёный", 15), ("жёлтый", 3), ("красный", 20)]},
            {"second": 17, "phases": [("зелёный", 15), ("жёлтый", 3), ("красный", 20)]},
            {"second": 18, "phases": [("зелёный", 15), ("жёлтый", 3), ("красный", 20)]},
            {"second": 38, "phases": [("зелёный", 15), ("жёлтый", 3), ("красный", 20)]},
            {"second": 10, "phases": [("красный", 10), ("жёлтый", 0), ("зелёный", 10)]},
            {"second": 0, "phases": [("жёлтый", 0), ("красный", 5)]},
            {"second": 86399, "phases": [("красный", 41), ("зелёный", 37), ("жёлтый", 4)]},
        ],
    ),
    DemoTask(
        water_used,
        [
            {"readings": [120, 150, 155], "digits": 5},
            {"readings": [998, 3], "digits": 3},
            {"readings": [], "digits": 4},
            {"readings": [4711], "digits": 4},
            {"readings": [9, 0], "digits": 1},
            {"readings": [90, 10, 95, 5], "digits": 2},
            {"readings": [0, 99999], "digits": 5},
            {"readings": [500, 500, 500], "digits": 3},
            {"readings": [99999, 99999, 0, 1], "digits": 5},
            {"readings": [12, 4, 3], "digits": 2},
        ],
    ),
    DemoTask(
        price_tag,
        [
            {"kopecks": 123405},
            {"kopecks": -99},
            {"kopecks": 0},
            {"kopecks": 7},
            {"kopecks": 100},
            {"kopecks": 99999},
            {"kopecks": 123456789},
            {"kopecks": -150},
            {"kopecks": -100000000},
            {"kopecks": 100001},
        ],
    ),
    DemoTask(
        count_phrase,
        [
            {"count": 21, "forms": ["билет", "билета", "билетов"]},
            {"count": 12, "forms": ["билет", "билета", "билетов"]},
            {"count": 1, "forms": ["минута", "минуты", "минут"]},
            {"count": 0, "forms": ["минута", "минуты", "минут"]},
            {"count": 4, "forms": ["вагон", "вагона", "вагонов"]},
            {"count": 5, "forms": ["вагон", "вагона", "вагонов"]},
            {"count": 111, "forms": ["книга", "книги", "книг"]},
            {"count": 113, "forms": ["книга", "книги", "книг"]},
            {"count": 1002, "forms": ["рубль", "рубля", "рублей"]},
            {"count": 2011, "forms": ["год", "года", "лет"]},
            {"count": 94, "forms": ["дом", "дома", "домов"]},
        ],
    ),
    DemoTask(
        jury_score,
        [
            {"marks": [7.5, 8.0, 6.0, 9.5]},
            {"marks": [8.0, 9.0]},
            {"marks": []},
            {"marks": [6.5]},
            {"marks": [1.0, 2.0, 6.0]},
            {"marks": [9.0, 9.0, 9.0, 5.0, 5.0]},
            {"marks": [10.0, 10.0, 10.0, 10.0]},
            {"marks": [7.1, 7.2, 7.4, 7.6, 8.9, 3.3]},
            {"marks": [0.0, 0.0, 10.0, 10.0, 4.0]},
            {"marks": [8.3, 8.4, 8.4, 8.5, 8.6, 8.6, 9.1]},
        ],
    ),
]
