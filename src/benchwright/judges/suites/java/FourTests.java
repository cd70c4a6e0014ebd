package benchwright.inside;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Tests of JUnit 4 and 3, by JUnit 4's own runner: an engine of the platform around it costs more and adds nothing. */
final class FourTests extends RunListener implements FourRunners.Watch {
    static final String SILENT = "JUnit reported no failure, yet the test did not return";

    private final Report report;
    private final Set<Description> begun = ConcurrentHashMap.newKeySet();
    private final Set<Description> returned = ConcurrentHashMap.newKeySet();
    private final Set<Description> told = new HashSet<>();

    private FourTests(Report report) {
        this.report = report;
    }

    static void run(List<String> classes, Report report, Long seed) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        for (String name : classes) {
            JUnitCore core = new JUnitCore();
            FourTests tests = new FourTests(report);
            core.addListener(tests);
            try {
                Class<?> test = Class.forName(name, false, loader);
                Request request = Request.runner(new FourRunners(tests).safeRunnerForClass(test));
                core.run(seed == null ? request : shuffled(request, seed));
            } catch (Throwable error) {
                report.ended(SuiteLauncher.bare(name), "failed", error);
            }
        }
    }

    /**
     * By a number drawn for each name: the one way to order that all of JUnit 4 has is a comparison. Random would not
     * do, since its first numbers for two seeds differ by what the seeds differ by.
     */
    private static Request shuffled(Request request, long seed) {
        return request.sortWith((one, other) ->
                Long.compare(drawn(one.getDisplayName(), seed), drawn(other.getDisplayName(), seed)));
    }

    static long drawn(String displayed, long seed) {
        return new SplittableRandom(seed ^ displayed.hashCode()).nextLong();
    }

    @Override
    public void testStarted(Description test) {
        told.remove(test);
        begun.remove(test);
        returned.remove(test);
        report.started(caseOf(test));
    }

    @Override
    public void testFailure(Failure failure) {
        told.add(failure.getDescription());
        report.ended(caseOf(failure.getDescription()), "failed", failure.getException());
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        told.add(failure.getDescription());
        report.aborted(caseOf(failure.getDescription()), failure.getException());
    }

    @Override
    public void testIgnored(Description test) {
        for (Description child : test.getChildren()) testIgnored(child);
        if (test.isTest()) report.ended(caseOf(test), "skipped", null);
    }

    @Override
    public void testFinished(Description test) {
        if (told.contains(test)) return;
        if (begun.contains(test) && !returned.contains(test)) {
            report.tampered(caseOf(test), SILENT);
        } else {
            report.ended(caseOf(test), "passed", null);
        }
    }

    @Override
    public void begun(Description test) {
        begun.add(test);
    }

    @Override
    public void returned(Description test) {
        returned.add(test);
    }

    @Override
    public void classEnded(Description suite, Throwable why) {
        if (why instanceof org.junit.internal.AssumptionViolatedException) {
            report.aborted(caseOf(suite), why);
        } else {
            report.ended(caseOf(suite), "failed", why);
        }
    }

    @Override
    public void assumedAway(Description test, Throwable why) {
        report.droppedValue(caseOf(test), why);
    }

    /** "Class#method"; a parametrised run's "method[1]" belongs to its method, a class's own failure to the class. */
    private static String caseOf(Description test) {
        String name = SuiteLauncher.bare(String.valueOf(test.getClassName()));
        String method = test.getMethodName();
        if (method == null || method.equals("initializationError")) return name;
        int bracket = method.indexOf('[');
        return name + "#" + (bracket > 0 ? method.substring(0, bracket) : method);
    }
}
