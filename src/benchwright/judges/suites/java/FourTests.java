package benchwright.inside;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Tests of JUnit 4 and 3, by JUnit 4's own runner: an engine of the platform around it costs more and adds nothing. */
final class FourTests extends RunListener {
    private final Report report;

    private FourTests(Report report) {
        this.report = report;
    }

    static void run(List<String> classes, Report report, Long seed) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        for (String name : classes) {
            JUnitCore core = new JUnitCore();
            core.addListener(new FourTests(report));
            try {
                Request request = Request.aClass(Class.forName(name, false, loader));
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
        return request.sortWith((one, other) -> Long.compare(drawn(one, seed), drawn(other, seed)));
    }

    private static long drawn(Description test, long seed) {
        return new SplittableRandom(seed ^ test.getDisplayName().hashCode()).nextLong();
    }

    @Override
    public void testStarted(Description test) {
        report.started(caseOf(test));
    }

    @Override
    public void testFailure(Failure failure) {
        report.ended(caseOf(failure.getDescription()), "failed", failure.getException());
    }

    @Override
    public void testAssumptionFailure(Failure failure) {
        report.ended(caseOf(failure.getDescription()), "skipped", failure.getException());
    }

    @Override
    public void testIgnored(Description test) {
        for (Description child : test.getChildren()) testIgnored(child);
        if (test.isTest()) report.ended(caseOf(test), "skipped", null);
    }

    @Override
    public void testFinished(Description test) {
        if (!report.has(caseOf(test))) report.ended(caseOf(test), "passed", null);
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
