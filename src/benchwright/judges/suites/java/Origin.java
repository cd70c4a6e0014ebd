package benchwright.inside;

import java.util.List;

/**
 * Where an exception that aborts a test comes from: the test file, JUnit itself, or other code of the suite.
 *
 * The nearest frame that is neither JUnit's nor the platform's decides, so what the tests hand to the focal code to be
 * called back from there is theirs.
 */
final class Origin {
    static final String TEST = "test";
    static final String JUNIT = "junit";
    static final String OTHER = "other";
    private static final String[] TOOLS = {"org.junit.", "org.opentest4j.", "junit.framework.", "org.hamcrest."};
    private static final String[] PLATFORM = {"java.", "javax.", "jdk.", "sun."};
    private static final String OWN = "benchwright.inside.";

    private final List<String> tests;

    /** The top-level classes of the test file, by their full names. */
    Origin(List<String> tests) {
        this.tests = tests;
    }

    String of(Throwable why) {
        if (why == null || !begins(why.getClass().getName(), TOOLS)) return OTHER;
        for (StackTraceElement frame : why.getStackTrace()) {
            String name = frame.getClassName();
            if (begins(name, TOOLS) || begins(name, PLATFORM)) continue;
            return name.startsWith(OWN) ? JUNIT : isOfTests(name) ? TEST : OTHER;
        }
        return OTHER;
    }

    static boolean isOurs(String origin) {
        return !origin.equals(OTHER);
    }

    private boolean isOfTests(String name) {
        for (String each : tests) {
            if (name.equals(each) || name.startsWith(each + "$")) return true;
        }
        return false;
    }

    private static boolean begins(String name, String[] prefixes) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) return true;
        }
        return false;
    }
}
