package benchwright.inside;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.engine.JupiterTestEngine;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Tests of JUnit 5, by the platform's own launcher with one engine. */
final class JupiterTests implements TestExecutionListener {
    private final Report report;
    private final ClassLoader loader;
    private TestPlan plan;

    private JupiterTests(Report report, ClassLoader loader) {
        this.report = report;
        this.loader = loader;
    }

    static void run(List<String> classes, Report report, Long seed) {
        LauncherConfig config =
                LauncherConfig.builder()
                        .enableTestEngineAutoRegistration(false)
                        .enableTestExecutionListenerAutoRegistration(false)
                        .enableLauncherSessionListenerAutoRegistration(false)
                        .enableLauncherDiscoveryListenerAutoRegistration(false)
                        .enablePostDiscoveryFilterAutoRegistration(false)
                        .addTestEngines(new JupiterTestEngine())
                        .build();
        LauncherDiscoveryRequestBuilder request =
                LauncherDiscoveryRequestBuilder.request().enableImplicitConfigurationParameters(false);
        for (String name : classes) request.selectors(DiscoverySelectors.selectClass(name));
        request.configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true");
        if (seed != null) shuffle(request, seed);
        // The list of extensions is read when the engine begins, before any class of the suite is initialised.
        Thread thread = Thread.currentThread();
        ClassLoader loader = thread.getContextClassLoader();
        thread.setContextClassLoader(new Services(loader));
        LauncherFactory.create(config).execute(request.build(), new JupiterTests(report, loader));
        thread.setContextClassLoader(loader);
    }

    private static void shuffle(LauncherDiscoveryRequestBuilder request, long seed) {
        request.configurationParameter(
                "junit.jupiter.testmethod.order.default", "org.junit.jupiter.api.MethodOrderer$Random");
        request.configurationParameter("junit.jupiter.execution.order.random.seed", String.valueOf(seed));
    }

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        plan = started;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (plan.getParent(test).isEmpty()) Thread.currentThread().setContextClassLoader(loader);
        if (test.isTest()) report.started(caseOf(test));
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        MethodSource method = methodOf(test);
        if (method != null) report.ended(caseOf(test), "skipped", null);
        for (TestIdentifier child : plan.getChildren(test)) executionSkipped(child, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Throwable why = result.getThrowable().orElse(null);
        switch (result.getStatus()) {
            case FAILED -> report.ended(caseOf(test), "failed", why);
            case ABORTED -> report.aborted(caseOf(test), why);
            default -> {
                // Of a container only a factory without a test, or a method that ran not once, is left to tell.
                boolean last = test.isTest() || methodOf(test) != null && !report.has(caseOf(test));
                if (last) succeeded(test);
            }
        }
    }

    private void succeeded(TestIdentifier test) {
        if (Returned.has(test.getUniqueId())) {
            report.ended(caseOf(test), "passed", null);
        } else {
            report.tampered(caseOf(test), "JUnit reported a success, yet the test did not return");
        }
    }

    /** The method that a test, or one of its several runs, belongs to; a class where a class as a whole failed. */
    private String caseOf(TestIdentifier test) {
        for (TestIdentifier each = test; each != null; each = plan.getParent(each).orElse(null)) {
            MethodSource method = methodOf(each);
            if (method != null) return SuiteLauncher.bare(method.getClassName()) + "#" + method.getMethodName();
            Optional<TestSource> source = each.getSource();
            if (source.isPresent() && source.get() instanceof ClassSource) {
                return SuiteLauncher.bare(((ClassSource) source.get()).getClassName());
            }
        }
        return "";
    }

    private static MethodSource methodOf(TestIdentifier test) {
        Optional<TestSource> source = test.getSource();
        return source.isPresent() && source.get() instanceof MethodSource ? (MethodSource) source.get() : null;
    }
}
