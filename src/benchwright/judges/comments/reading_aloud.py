"""What people say for a token of code when they only read it aloud, in English, Russian and Chinese."""

from __future__ import annotations

from functools import lru_cache

from benchwright.text.words import stems, words

_READ_ALOUD = {
    "=": "set assign store save put equal variable присвоить присваиваем записать сохранить равно переменная 赋值 设置 保存 等于 变量",
    ":=": "set assign declare store variable присвоить присваиваем объявить объявляем переменная 赋值 设置 声明 等于 变量",
    "+=": "increment increase add plus увеличить увеличиваем прибавить прибавляем добавить добавляем 增加 加上 加",
    "++": "increment increase add one увеличить увеличиваем единица 增加 加一",
    "-=": "decrement decrease subtract minus уменьшить уменьшаем вычесть вычитаем 减少 减去",
    "--": "decrement decrease subtract one уменьшить уменьшаем единица 减少 减一",
    "==": "equal compare check равен равно равны сравнить сравниваем 等于 相等 比较",
    "!=": "equal compare check differ равен равно сравнить отличается 不等于 比较",
    "<": "less smaller lower check меньше 小于",
    ">": "greater more larger bigger check больше 大于",
    "<=": "less equal most check меньше равно 小于等于",
    ">=": "greater equal least check больше равно 大于等于",
    "if": "check whether condition statement test проверить проверяем проверка условие если 如果 判断 检查 条件",
    "elif": "check whether otherwise condition else проверить проверяем иначе условие 否则 如果 条件",
    "else": "otherwise case иначе случай 否则 情况",
    "for": "loop iterate go through cycle цикл перебрать перебираем перебор пройти проходим каждый 循环 遍历 每个",
    "while": "loop repeat until cycle цикл пока повторять повторяем 循环 当 直到",
    "return": "return result value вернуть возвращаем возвращает возврат результат значение 返回 返回值 结果",
    "yield": "yield generate value выдать выдаем значение 产生 生成",
    "raise": "raise throw error exception выбросить бросаем исключение ошибка возбудить 抛出 异常 错误",
    "throw": "throw raise error exception new выбросить бросаем исключение ошибка 抛出 异常 错误",
    "import": "import module library package импорт импортируем модуль библиотека 导入 模块",
    "def": "define function method define declare определить определяем функция метод 定义 函数",
    "func": "define function method declare определить определяем функция метод 定义 函数",
    "function": "define function declare определить определяем функция 定义 函数",
    "class": "define class declare определить определяем класс 定义 类",
    "const": "constant variable declare константа объявить объявляем 常量 声明",
    "let": "variable declare переменная объявить объявляем 变量 声明",
    "var": "variable declare переменная объявить объявляем 变量 声明",
    "break": "break exit stop leave loop прервать прерываем выйти выходим цикл 跳出 循环",
    "continue": "continue skip next iteration loop продолжить пропустить пропускаем следующий 继续 下一次",
    "[": "empty list array index element create initialize пустой список массив элемент создать создаем 空 列表 数组 创建",
    "{": "empty dict dictionary map object create initialize пустой словарь объект создать создаем 空 字典 创建",
    "===": "equal compare check strictly равен равно сравнить 等于 相等 比较",
    "!==": "equal compare check differ равен сравнить 不等于 比较",
    "+": "add plus sum sums concatenate сложить складываем плюс сумма прибавить 加 加上 相加",
    "-": "subtract minus difference вычесть минус разность 减 减去",
    "*": "multiply times product умножить умножаем произведение 乘 乘以",
    "/": "divide divided quotient делить делим разделить 除 除以",
    "//": "divide divided floor integer quotient делить делим нацело 除 整除",
    "%": "modulo remainder mod divide остаток делить 取模 余数",
    "!": "not negate отрицание 取反",
    "&&": "both и оба 并且 同时",
    "||": "either или либо 或者",
    "null": "null nil none empty пусто 空 空值",
    "nil": "null nil none empty пусто 空 空值",
    "None": "null nil none empty пусто 空 空值",
    "try": "try attempt попытка попробовать 尝试",
    "except": "catch handle error exception поймать перехватить исключение ошибка 捕获 异常",
    "catch": "catch handle error exception поймать перехватить исключение ошибка 捕获 异常",
    "in": "within through в 遍历",
    "new": "new create instance создать новый 新建 创建 实例",
    "(": "call вызвать вызываем вызов 调用",
    "0": "zero initialize start ноль нуль нулю 零",
    "1": "one один единица единицу 一",
    "2": "two два двойка 二",
}
_STEMS = {token: frozenset(stems(words(said))) for token, said in _READ_ALOUD.items()}
_NONE: frozenset[str] = frozenset()


@lru_cache(maxsize=4096)
def read_aloud(token: str) -> frozenset[str]:
    """Return the stems of how a token is read aloud, its own words included."""
    return _STEMS.get(token, _NONE) | frozenset(stems(words(token)))
