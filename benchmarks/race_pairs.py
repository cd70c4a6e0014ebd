"""Twenty small races of our own making: each passes most times, and fails one run in ten to thirty."""

from __future__ import annotations

from typing import NamedTuple


class Race(NamedTuple):
    """A focal file and a test of it that is not steady."""

    name: str
    lang: str
    focal: str
    test: str

    @property
    def paths(self) -> tuple[str, str]:
        """Names of the two files, as the language wants them."""
        if self.lang == "Java":
            return f"{_class(self.name)}.java", f"{_class(self.name)}Test.java"
        suffix = {"Python": ".py", "Go": ".go"}[self.lang]
        test = f"test_{self.name}.py" if self.lang == "Python" else f"{self.name}_test.go"
        return f"{self.name}{suffix}", test


def _class(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _python(name: str, focal: str, test: str) -> Race:
    return Race(name, "Python", focal, f"from {name} import *\n\n\n{test}")


def _go(name: str, focal: str, call: str, expected: str, imports: str = '"sync"') -> Race:
    title = _class(name)
    listed = "".join(f"\t{each}\n" for each in imports.split())
    return Race(
        name,
        "Go",
        f"package races\n\nimport (\n{listed})\n\n{focal}",
        f'package races\n\nimport "testing"\n\nfunc Test{title}(t *testing.T) {{\n'
        f"\tif got := {call}; got != {expected} {{\n\t\tt.Fatal(got)\n\t}}\n}}\n",
    )


def _java(name: str, body: str, call: str, expected: str) -> Race:
    title = _class(name)
    return Race(
        name,
        "Java",
        f"import java.util.*;\nimport java.util.concurrent.*;\n\npublic class {title} {{\n{body}}}\n",
        "import static org.junit.jupiter.api.Assertions.assertEquals;\n\n"
        f"import org.junit.jupiter.api.Test;\n\nclass {title}Test {{\n    @Test\n    void holds() "
        f"throws Exception {{\n        assertEquals({expected}, {title}.{call});\n    }}\n}}\n",
    )


_IN_TWO_PY = """import threading


def in_two(work):
    threads = [threading.Thread(target=work) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


"""
_IN_TWO_JAVA = """    static void inTwo(Runnable work) throws Exception {
        Thread[] threads = {new Thread(work), new Thread(work)};
        for (Thread each : threads) each.start();
        for (Thread each : threads) each.join();
    }

"""

PYTHON = (
    _python(
        "lost_update",
        _IN_TWO_PY
        + """def one():
    return 1


class Counter:
    value = 0

    def add(self):
        now = self.value
        self.value = now + one()


def count(times):
    counter = Counter()
    in_two(lambda: [counter.add() for _ in range(times)])
    return counter.value
""",
        "def test_count():\n    assert count(55000) == 110000\n",
    ),
    _python(
        "lazy_table",
        _IN_TWO_PY
        + """class Table:
    built = 0
    table = None

    def get(self):
        if self.table is None:
            table = {number: number * number for number in range(30000)}
            self.built += 1
            self.table = table
        return self.table


def built():
    shared = Table()
    in_two(shared.get)
    return shared.built
""",
        "def test_built_once():\n    assert built() == 1\n",
    ),
    _python(
        "slept_for",
        """import threading
import time


def answer():
    found = []
    threading.Thread(target=lambda: (time.sleep(0.0175), found.append(42))).start()
    time.sleep(0.02)
    return list(found)
""",
        "def test_answer():\n    assert answer() == [42]\n",
    ),
    _python(
        "finish_order",
        """import threading
import time


def finished():
    done = []

    def work(name, seconds):
        time.sleep(seconds)
        done.append(name)

    threads = [threading.Thread(target=work, args=each) for each in (("a", 0.01), ("b", 0.0103))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return done
""",
        "def test_order():\n    assert finished() == ['a', 'b']\n",
    ),
    _python(
        "told_early",
        """import threading
import time


class Job:
    done = False
    result = None

    def work(self):
        time.sleep(0.0021)
        self.done = True
        self.result = sum(range(7000))


def result():
    job = Job()
    thread = threading.Thread(target=job.work)
    thread.start()
    while not job.done:
        time.sleep(0.001)
    found = job.result
    thread.join()
    return found
""",
        "def test_result():\n    assert result() == 24496500\n",
    ),
    _python(
        "last_ticket",
        _IN_TWO_PY
        + """def price(tickets):
    return sum(range(tickets % 7 + 22000))


def sold():
    left, buyers = [1], []

    def buy():
        if left[0] > 0:
            for _ in range(12):
                price(left[0])
            left[0] -= 1
            buyers.append(1)

    in_two(buy)
    return len(buyers)
""",
        "def test_sold_once():\n    assert sold() == 1\n",
    ),
    _python(
        "timed_out",
        """import asyncio
import time


def _slow():
    time.sleep(0.003)
    return "done"


async def _bounded():
    try:
        return await asyncio.wait_for(asyncio.to_thread(_slow), 0.01)
    except asyncio.TimeoutError:
        return "late"


def bounded():
    return asyncio.run(_bounded())
""",
        "def test_in_time():\n    assert bounded() == 'done'\n",
    ),
    _python(
        "measured",
        """import time


def elapsed(seconds):
    begin = time.perf_counter()
    time.sleep(seconds)
    return time.perf_counter() - begin
""",
        "def test_elapsed():\n    assert elapsed(0.01) < 0.018\n",
    ),
)
GO = (
    _go(
        "go_counter",
        """func Count(times int) int {
	var group sync.WaitGroup
	total := 0
	for i := 0; i < 2; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < times; j++ {
				total++
			}
		}()
	}
	group.Wait()
	return total
}
""",
        "Count(1000000)",
        "2000000",
    ),
    _go(
        "go_select",
        """func Wins() int {
	a, b := make(chan int, 4), make(chan int, 4)
	for i := 0; i < 4; i++ {
		a <- 1
		b <- 0
	}
	wins := 0
	for i := 0; i < 4; i++ {
		select {
		case one := <-a:
			wins += one
		case one := <-b:
			wins += one
		}
	}
	if wins == 0 {
		return 0
	}
	return 1
}
""",
        "Wins()",
        "1",
        "",
    ),
    _go(
        "go_slept",
        """func Slept() int32 {
	var found atomic.Int32
	go func() {
		time.Sleep(5500 * time.Microsecond)
		found.Store(42)
	}()
	time.Sleep(10 * time.Millisecond)
	return found.Load()
}
""",
        "Slept()",
        "42",
        '"sync/atomic" "time"',
    ),
    _go(
        "go_append",
        """func Squares(count int) int {
	var group sync.WaitGroup
	found := []int{}
	for i := 0; i < 2; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < count; j++ {
				found = append(found, j*j)
			}
		}()
	}
	group.Wait()
	return len(found)
}
""",
        "Squares(20000)",
        "40000",
    ),
    _go(
        "go_order",
        """func First() string {
	names := make(chan string, 2)
	for name, pause := range map[string]int{"a": 2000, "b": 5500} {
		go func() {
			time.Sleep(time.Duration(pause) * time.Microsecond)
			names <- name
		}()
	}
	return <-names
}
""",
        "First()",
        '"a"',
        '"time"',
    ),
    _go(
        "go_polled",
        """func Polled(tries int) bool {
	var done atomic.Bool
	go func() { done.Store(true) }()
	for i := 0; i < tries; i++ {
		if done.Load() {
			return true
		}
	}
	return false
}
""",
        "Polled(20000000)",
        "true",
        '"sync/atomic"',
    ),
)
JAVA = (
    _java(
        "java_counter",
        _IN_TWO_JAVA
        + """    private static int total;

    static int count(int times) throws Exception {
        inTwo(() -> { for (int i = 0; i < times; i++) total++; });
        return total;
    }
""",
        "count(45000)",
        "90000",
    ),
    _java(
        "java_map",
        _IN_TWO_JAVA
        + """    static int filled(int count) throws Exception {
        Map<Object, Integer> shared = new HashMap<>();
        inTwo(() -> { for (int i = 0; i < count; i++) shared.put(new Object(), i); });
        return shared.size();
    }
""",
        "filled(1500)",
        "3000",
    ),
    _java(
        "java_slept",
        """    private static volatile int found;

    static int answer() throws Exception {
        new Thread(() -> {
            try {
                Thread.sleep(16);
            } catch (InterruptedException error) {
                return;
            }
            found = 42;
        }).start();
        Thread.sleep(20);
        return found;
    }
""",
        "answer()",
        "42",
    ),
    _java(
        "java_order",
        """    static String order() throws Exception {
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        ExecutorService pool = Executors.newFixedThreadPool(2);
        for (String name : List.of("a", "b")) pool.execute(() -> done.add(name));
        pool.shutdown();
        pool.awaitTermination(10, TimeUnit.SECONDS);
        return String.join("", done);
    }
""",
        "order()",
        '"ab"',
    ),
    _java(
        "java_lazy",
        _IN_TWO_JAVA
        + """    private static List<Integer> table;
    private static int built;

    static List<Integer> table() {
        if (table == null) {
            List<Integer> made = new ArrayList<>();
            for (int i = 0; i < 3000; i++) made.add(i * i);
            built++;
            table = made;
        }
        return table;
    }

    static int built() throws Exception {
        inTwo(JavaLazy::table);
        return built;
    }
""",
        "built()",
        "1",
    ),
    _java(
        "java_list",
        _IN_TWO_JAVA
        + """    static int added(int count) throws Exception {
        List<Integer> shared = new ArrayList<>();
        inTwo(() -> {
            for (int i = 0; i < count; i++) {
                try {
                    shared.add(i);
                } catch (ArrayIndexOutOfBoundsException error) {
                    return;
                }
            }
        });
        return shared.size();
    }
""",
        "added(30000)",
        "60000",
    ),
)
RACES = (*PYTHON, *GO, *JAVA)
