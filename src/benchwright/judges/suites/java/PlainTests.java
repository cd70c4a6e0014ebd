package benchwright.inside;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.internal.AssumptionViolatedException;
import org.junit.runners.model.MultipleFailureException;
import org.opentest4j.TestAbortedException;

/**
 * Classes whose only words to JUnit are a test's mark, set-up before each and clean-up after each.
 *
 * What JUnit would find in them was read from their class files outside; so it is not asked, which takes three quarters
 * of a run. A test has passed when its method and those around it have returned; all else goes as in JUnit.
 */
abstract class PlainTests {
    private final Report report;
    private final Class<?> type;
    private final Method before;
    private final Method after;

    private PlainTests(Report report, String[] plan) throws ReflectiveOperationException {
        this.report = report;
        type = Class.forName(plan[1], false, Thread.currentThread().getContextClassLoader());
        before = method(plan[2]);
        after = method(plan[3]);
    }

    /** One class: "plain5" or "plain4", its name, the methods before and after each test or "-", the tests. */
    static void run(String line, Report report, Long seed) {
        String[] plan = line.split(" ");
        String name = SuiteLauncher.bare(plan[1]);
        try {
            PlainTests tests = plan[0].equals("plain5") ? new Five(report, plan) : new Four(report, plan);
            for (String test : tests.ordered(plan, seed)) tests.one(name + "#" + test, tests.method(test));
        } catch (ReflectiveOperationException error) {
            report.ended(name, "failed", error);
        }
    }

    /** JUnit's order is by the hash of a name, then by the name. */
    private List<String> ordered(String[] plan, Long seed) {
        List<String> tests = new ArrayList<>(Arrays.asList(plan).subList(4, plan.length));
        tests.sort(Comparator.<String>comparingInt(String::hashCode).thenComparing(Comparator.naturalOrder()));
        if (seed != null) shuffle(tests, seed);
        return tests;
    }

    private void one(String test, Method method) {
        report.started(test);
        List<Throwable> raised = new ArrayList<>();
        try {
            Object instance = made();
            if (called(before, instance, raised)) called(method, instance, raised);
            called(after, instance, raised);
        } catch (Throwable why) {
            raised.add(why);
        }
        if (raised.isEmpty()) {
            report.ended(test, "passed", null);
        } else {
            raised(test, raised);
        }
    }

    private Object made() throws Throwable {
        Constructor<?> constructor = opened(type.getDeclaredConstructor());
        try {
            return constructor.newInstance();
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }

    private boolean called(Method method, Object instance, List<Throwable> raised) {
        if (method == null) return true;
        try {
            method.invoke(instance);
            return true;
        } catch (InvocationTargetException error) {
            raised.add(error.getCause());
        } catch (Throwable why) {
            raised.add(why);
        }
        return false;
    }

    private Method method(String name) throws ReflectiveOperationException {
        return name.equals("-") ? null : opened(type.getDeclaredMethod(name));
    }

    private static <T extends AccessibleObject> T opened(T member) {
        member.setAccessible(true);
        return member;
    }

    abstract void shuffle(List<String> tests, long seed);

    /** A test did not return, or what is around it did not: all that was raised, at least one. */
    abstract void raised(String test, List<Throwable> raised);

    /** As the engine of JUnit 5 has it: the first counts, but an assumption gives way to a failure. */
    private static final class Five extends PlainTests {
        Five(Report report, String[] plan) throws ReflectiveOperationException {
            super(report, plan);
        }

        @Override
        void shuffle(List<String> tests, long seed) {
            Collections.shuffle(tests, new Random(seed));
        }

        @Override
        void raised(String test, List<Throwable> raised) {
            Throwable first = raised.get(0);
            for (Throwable each : raised) {
                if (each instanceof OutOfMemoryError) throw (OutOfMemoryError) each;
                if (isAbort(first)) first = each;
            }
            if (isAbort(first)) {
                super.report.aborted(test, raised.get(0));
            } else {
                super.report.ended(test, "failed", first);
            }
        }

        private static boolean isAbort(Throwable why) {
            return why instanceof TestAbortedException || why instanceof AssumptionViolatedException;
        }
    }

    /** As the runner of JUnit 4 has it: each is a failure, and one that holds a list of others is these. */
    private static final class Four extends PlainTests {
        Four(Report report, String[] plan) throws ReflectiveOperationException {
            super(report, plan);
        }

        @Override
        void shuffle(List<String> tests, long seed) {
            String type = "(" + super.type.getName() + ")";
            tests.sort((one, other) -> Long.compare(FourTests.drawn(one + type, seed), FourTests.drawn(other + type, seed)));
        }

        @Override
        void raised(String test, List<Throwable> raised) {
            try {
                MultipleFailureException.assertEmpty(raised);
            } catch (AssumptionViolatedException why) {
                super.report.aborted(test, why);
            } catch (Throwable why) {
                if (failures(test, why) == 0) super.report.tampered(test, FourTests.SILENT);
            }
        }

        private int failures(String test, Throwable why) {
            if (!(why instanceof MultipleFailureException)) {
                super.report.ended(test, "failed", why);
                return 1;
            }
            int count = 0;
            for (Throwable each : ((MultipleFailureException) why).getFailures()) count += failures(test, each);
            return count;
        }
    }
}
