"""Comments that only read their own line of code aloud, and so add nothing to it."""

from __future__ import annotations

from functools import lru_cache

from benchwright.judges.comments.added import AddedComment
from benchwright.judges.comments.given import GivenCode
from benchwright.text.words import stems, words

# What people write for a token when they only read it aloud, in English and in Russian.
_READ_ALOUD = {
    "=": "set assign store save put equal variable присвоить присваиваем записать сохранить равно переменная",
    ":=": "set assign declare store variable присвоить присваиваем объявить объявляем переменная",
    "+=": "increment increase add plus увеличить увеличиваем прибавить прибавляем добавить добавляем",
    "++": "increment increase add one увеличить увеличиваем единица",
    "-=": "decrement decrease subtract minus уменьшить уменьшаем вычесть вычитаем",
    "--": "decrement decrease subtract one уменьшить уменьшаем единица",
    "==": "equal compare check равен равно равны сравнить сравниваем",
    "!=": "equal compare check differ равен равно сравнить отличается",
    "<": "less smaller lower check меньше",
    ">": "greater more larger bigger check больше",
    "<=": "less equal most check меньше равно",
    ">=": "greater equal least check больше равно",
    "if": "check whether condition statement test проверить проверяем проверка условие если",
    "elif": "check whether otherwise condition else проверить проверяем иначе условие",
    "else": "otherwise case иначе случай",
    "for": "loop iterate go through cycle цикл перебрать перебираем перебор пройти проходим каждый",
    "while": "loop repeat until cycle цикл пока повторять повторяем",
    "return": "return result value вернуть возвращаем возвращает возврат результат значение",
    "yield": "yield generate value выдать выдаем значение",
    "raise": "raise throw error exception выбросить бросаем исключение ошибка возбудить",
    "throw": "throw raise error exception new выбросить бросаем исключение ошибка",
    "import": "import module library package импорт импортируем модуль библиотека",
    "def": "define function method define declare определить определяем функция метод",
    "func": "define function method declare определить определяем функция метод",
    "function": "define function declare определить определяем функция",
    "class": "define class declare определить определяем класс",
    "const": "constant variable declare константа объявить объявляем",
    "let": "variable declare переменная объявить объявляем",
    "var": "variable declare переменная объявить объявляем",
    "break": "break exit stop leave loop прервать прерываем выйти выходим цикл",
    "continue": "continue skip next iteration loop продолжить пропустить пропускаем следующий",
    "[": "empty list array index element create initialize пустой список массив элемент создать создаем",
    "{": "empty dict dictionary map object create initialize пустой словарь объект создать создаем",
    "(": "call вызвать вызываем вызов",
    "0": "zero initialize start ноль нуль нулю",
    "1": "one один единица единицу",
    "2": "two два двойка",
}
_STEMS = {token: frozenset(stems(words(said))) for token, said in _READ_ALOUD.items()}
_NONE: frozenset[str] = frozenset()


def is_echo(each: AddedComment, given: GivenCode) -> bool:
    """Whether a comment says no more than its line of code, or for documentation than the declaration."""
    known: set[str] = set()
    for token in given.tokens_by_line.get(each.line, []):
        known |= _STEMS.get(token.text, _NONE) or _stems(token.text)
    return known.issuperset(each.saying.stems)


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stems(words(text)))
