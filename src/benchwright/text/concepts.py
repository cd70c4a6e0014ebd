"""Synonyms of programming terms in English, Russian and Chinese, to recognise paraphrases.

A line is a concept. Concepts show the subject of a text, but neither its truth nor its quality.
"""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.text.words import stems, words

_CONCEPTS = """
item element entry record member элемент запись элементу 元素 条目 记录
group bin bucket cluster partition class collect gather группа группируем корзина собирает 分组 收集
text string character letter word строка текст символ буква слово 文本 字符串 字符
first initial initially beginning head front начальный первый начало сначала голова 首个 最初 开头
last final end tail trailing finish конец последний хвост окончание 末尾 最终 结尾
attempt try retry repeat again попытка повтор повторять снова пробовать заново 尝试 重试 再次
wait pause delay sleep block hold ждать ожидать пауза блокировать задержка 等待 暂停 阻塞
error failure exception fault fail problem ошибка сбой неудача исключение 错误 失败 异常
remove delete drop discard evict erase clear forget удалять удалить убирать вытеснять выбросить 删除 移除 丢弃 丢掉 清除
add append insert push prepend attach добавить добавлять прибавить дописать 添加 追加 插入
queue buffer channel pipe slot очередь буфер канал ячейка место 队列 缓冲
list array slice sequence vector collection список массив ряд последовательность 列表 数组 序列
maximum max largest greatest biggest most longest наибольший максимум самый большой 最大 最多 最长
minimum min smallest least lowest shortest fewest наименьший минимум меньший 最小 最少 最短
loop iterate cycle round pass traverse walk цикл проход круг перебор обход 循环 遍历
cache memory memo store keep remember retain save кэш память хранить помнить запомнить сохранить 缓存 内存 保存 记住
request query ask demand запрос обращение спросить 请求 查询
sort order ordered ascending sorted rank порядок сортировать упорядоченный возрастание 排序 顺序 升序
divide split halve half part share fraction делить разделить доля половина часть раздать 除以 分割 一半
sum total add together amount sums сумма всего итог сложить складывать вместе 总和 合计 求和
average mean median среднее медиана средний 平均 中位数
count number quantity how many size length число количество размер длина сколько 数量 个数 长度 大小
empty none zero null nothing blank missing пустой ноль нуль нет отсутствует 空 零 没有
equal same identical match alike равный одинаковый совпадает тот же 相等 相同 一致
different distinct unequal unlike other другой разный отличный 不同 差异
previous before earlier prior preceding neighbour предыдущий прежний раньше сосед 之前 先前 前一个 相邻
next after later following subsequent следующий далее позже после 之后 随后 下一个
old oldest stale expired past старый древний прошлый истекший 旧 最旧 过期
new fresh recent latest новый свежий пришедший последний 新 最近 最新
return give yield result hand back вернуть возвращать отдать выдать результат 返回 得到
search find look locate seek lookup искать найти поиск 查找 搜索 寻找
middle center centre central mid середина средний посередине 中间 中点
range interval bounds limits span window диапазон интервал промежуток граница окно 范围 区间 窗口
limit bound cap maximum threshold предел граница ограничение порог 限制 上限 阈值
index position place offset location индекс позиция место номер положение 索引 下标 位置
read load fetch get retrieve obtain download читать загружать получить 读取 加载 获取
write output print emit put писать записать вывод 写入 输出
file path disk folder directory document файл путь диск каталог папка 文件 路径 磁盘 目录
key name identifier label id ключ имя название 键 名称 标识
table map dictionary mapping lookup hash таблица словарь отображение карта 映射 字典 表
function callable callback call invoke execute run функция вызов вызвать выполнить 函数 回调 调用
job task worker thread goroutine process задача задание работник поток горутина 任务 线程 工作
parallel concurrent simultaneous once same time одновременно параллельно 并发 同时 并行
lock mutex semaphore guard exclusive замок блокировка семафор 锁 信号量 互斥
start begin launch open create начать запустить открыть создать 开始 启动 打开 创建
stop end close finish quit exit terminate остановить закончить завершить закрыть выйти 停止 结束 关闭 退出
stable order preserved keep preserve maintain стабильный сохранить порядок 稳定 保持
sign negative positive direction minus знак отрицательный положительный направление 符号 负 正
infinite endless forever never ends бесконечный вечный никогда 无限 永远
port address url host endpoint порт адрес ссылка 端口 地址
page document site web страница сайт 页面 网页
white space blank trim strip пробел края обрезать убрать 空格 修剪
lower lowercase small case строчный регистр нижний 小写
upper uppercase capital заглавный верхний прописной 大写
suffix extension ending расширение суффикс окончание 扩展名 后缀
prefix beginning start приставка префикс начало 前缀
copy duplicate clone twice копия дублировать дважды 复制 重复
shared common together общий совместный вместе 共享 共用
cancel abort interrupt clear forget отменить прервать сбросить 取消 中止
timer clock timeout deadline таймер часы время срок 定时器 超时
time second millisecond minute hour day время секунда миллисекунда 时间 毫秒 秒
merge combine join concatenate unite слить объединить соединить 合并 连接
compare comparison check versus сравнить сравнение сверить 比较 对比
convert transform turn parse translate interpret преобразовать разобрать перевести 转换 解析
valid allowed permitted acceptable legal допустимый разрешенный верный 有效 允许 合法
invalid forbidden illegal wrong bad недопустимый неверный запрещенный 无效 非法
odd even parity нечетный четный 奇数 偶数
remainder modulo rest left остаток остальное 余数 剩余
round rounding округлить округление 舍入
multiply product times area умножить произведение площадь 乘积 相乘 面积
width height side dimension ширина высота сторона 宽度 高度 边
money cost price amount coin деньги цена стоимость сумма 价格 费用 钱
user person customer client пользователь человек клиент 用户 客户
server service backend сервер служба 服务器 服务
tree node leaf branch root дерево узел лист ветвь корень 树 节点 叶子 根
graph edge vertex neighbour граф ребро вершина сосед 图 边 顶点
stack heap push pop стек куча 栈 堆
random chance probability случайный вероятность 随机 概率
safe escape sanitize encode quote безопасный экранировать 安全 转义
nested recursive inner deep inside вложенный внутренний рекурсия внутри 嵌套 递归 内部
growing increase longer rising grow larger растущий увеличивать дольше больше 增长 增加
shrink decrease reduce fewer less smaller уменьшать сокращать меньше 减少 缩小
full filled exhausted used up полный заполненный исчерпан 满 用完
free available vacant release свободный доступный освободить 释放 可用 空闲
capacity room reserve allocate space ёмкость вместимость место выделить 容量 预留 分配
unique once distinct single only один единственный однажды 唯一 一次
reject refuse decline deny forbid disallow negative отклонить отклонять отказать отказ запретить отвергать 拒绝 禁止
absent missing lacking without отсутствует нет недостающий пропавший 缺失 缺少
surface area square space площадь поверхность 面积 表面
fee charge pay paid cost price shipping delivery parcel плата платить доставка стоимость посылка 费用 支付 运费
order orders purchase basket cart goods заказ покупка корзина товар 订单 商品
half partial unfinished incomplete part половина недописанный неполный частичный 部分 未完成
atomic step once indivisible swap rename атомарный разом переименовать замена 原子 重命名
real original actual target настоящий исходный оригинал 真实 原始
beside neighbour next adjacent рядом сосед соседний 旁边 邻近
tag markup bracket html entity ampersand special разметка тег скобка амперсанд сущность спецсимвол 标签 标记 转义
browser page insertion show display страница браузер вставка показ показать 浏览器 显示
token jeton credit coin permit жетон токен 令牌
refill replenish add accrue fill пополнять пополняется прибавлять прибавляется наполнять 补充 填充
overflow spill beyond above exceed surplus extra excess capacity лишний сверх переливаться превышать емкость край 溢出 超出
server response status reply сервер ответ статус 服务器 响应
frozen freeze immutable constant unchanged неизменный замораживать заморожен 冻结 不可变
inner nested children inside contained вложенный внутри внутренний содержать 内部 嵌套
outer itself owner parent сам владелец родитель внешний 外部
simple primitive number string plain простой число строка примитив 原始值 简单
visited seen passed already пройденный виденный уже 已访问
divisor factor common делитель делиться делятся общий 约数 公约数
growing longer pauses backoff wait ожидая ожидание паузами дольше 退避
hyphen dash underscore dot separator дефис тире подчеркивание точка 连字符
ascii unicode rune byte character символ байт руна 字符 字节
alphabet name letters alphabetical алфавит имя 字母
cheap price low inexpensive cost дешевый цена низкий 便宜
hidden invisible shown visible скрытый видимый 隐藏 可见
budget afford limit pay money бюджет 预算
all every each whole entire everything весь каждый целиком полностью все 全部 所有 每个
reverse backwards symmetric palindrome mirror обратный наоборот симметричный 反转 倒序 回文
"""


def _by_stem() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate(_CONCEPTS.strip().splitlines()):
        for each in stems(words(line)):
            found.setdefault(each, set()).add(number)
    return {each: frozenset(numbers) for each, numbers in found.items()}


_BY_STEM = _by_stem()
_NONE: frozenset[int] = frozenset()


def concepts(word_stems: Iterable[str]) -> frozenset[int]:
    """Return the numbers of the concepts of stems.

    >>> from benchwright.text.words import stem
    >>> concepts([stem("elements")]) == concepts([stem("items")])
    True
    """
    return frozenset().union(*(_BY_STEM.get(each, _NONE) for each in word_stems))
