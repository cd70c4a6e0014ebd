package benchwright.inside;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What became of each test case, told in sealed and numbered lines.
 *
 * What counts is written in one piece after the last test; the lines before it serve a suite that never gets there.
 */
final class Report {
    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private static final int EARLY = 1 << 16;

    private final Seal seal;
    private final Map<String, String[]> cases = new LinkedHashMap<>();
    private final Map<String, String[]> aborted = new LinkedHashMap<>();
    private final Origin origin;
    private int lines;
    private int printed;

    Report(String key, Origin origin) {
        seal = new Seal(key);
        this.origin = origin;
    }

    void started(String name) {
        early("S", name);
    }

    /** One run of a case ended. Of several runs the worst counts: failed, then passed, then skipped. */
    void ended(String name, String state, Throwable why) {
        put(name, state, state.equals("failed") ? kind(why) : "", said(why));
    }

    /** JUnit and our own look at a case do not agree. */
    void tampered(String name, String how) {
        put(name, "failed", "tampered", how);
    }

    /** An assumption did away with one run of a case, or with a class. */
    void aborted(String name, Throwable why) {
        put(name, "skipped", "", said(why));
        droppedValue(name, why);
    }

    /** The same of one value among several, of which the case itself goes on. */
    void droppedValue(String name, Throwable why) {
        String[] now = {"A", name, origin.of(why), said(why)};
        String[] before = aborted.get(name);
        if (before != null && !(Origin.isOurs(before[2]) && !Origin.isOurs(now[2]))) return;
        aborted.put(name, now);
        early(now);
    }

    private void put(String name, String state, String kind, String said) {
        String[] now = {"E", name, state, kind, said};
        String[] before = cases.get(name);
        if (before == null || rank(now) > rank(before)) cases.put(name, now);
        early(cases.get(name));
    }

    boolean has(String name) {
        return cases.containsKey(name);
    }

    /** Write all cases, which of them were aborted, and the end. */
    void finish() {
        StringBuilder text = new StringBuilder();
        for (String[] each : cases.values()) text.append(line(each));
        for (String[] each : aborted.values()) text.append(line(each));
        text.append(line("Z", String.valueOf(cases.size() + aborted.size())));
        print(text.toString());
    }

    /** The run ended before its time: JUnit lets pass what it cannot go on after, such as a full heap. */
    void broken(Throwable why) {
        print(line("X", kind(why), said(why)));
    }

    private void early(String... fields) {
        if (printed < EARLY) print(line(fields));
    }

    private String line(String... fields) {
        String text = Lines.of(fields);
        long sealed = seal.of((lines++ + " " + text).getBytes(StandardCharsets.UTF_8));
        return "\n@" + digits(sealed) + " " + text + "\n";
    }

    private static String digits(long number) {
        StringBuilder text = new StringBuilder();
        for (int shift = 60; shift >= 0; shift -= 4) text.append("0123456789abcdef".charAt((int) (number >>> shift) & 15));
        return text.toString();
    }

    private void print(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        printed += bytes.length;
        try {
            out.write(bytes);
        } catch (IOException error) {
            Runtime.getRuntime().halt(4);
        }
    }

    private static int rank(String[] ended) {
        if (ended[3].equals("tampered")) return 3;
        return ended[2].equals("failed") ? 2 : ended[2].equals("passed") ? 1 : 0;
    }

    /** The first of the throwable and its causes that has a kind of its own decides. */
    private static String kind(Throwable why) {
        Throwable each = why;
        for (int depth = 0; each != null && depth < 8; depth++, each = causeOf(each)) {
            if (each instanceof OutOfMemoryError) return "memory";
            if (each instanceof AssertionError) return "assertion";
            if (isTimeout(each)) return "timeout";
            if (isAbsent(each)) return "environment";
        }
        return "exception";
    }

    private static boolean isTimeout(Throwable why) {
        return why instanceof java.util.concurrent.TimeoutException
                || why.getClass().getName().equals("org.junit.runners.model.TestTimedOutException");
    }

    /** A class that failed to initialise is the code's own fault, though the JVM has the same error for it. */
    private static boolean isAbsent(Throwable why) {
        if (why instanceof NoClassDefFoundError) return !said(why).contains("Could not initialize class");
        return why instanceof ClassNotFoundException
                || why instanceof UnsatisfiedLinkError
                || why instanceof UnsupportedClassVersionError;
    }

    private static Throwable causeOf(Throwable why) {
        try {
            return why.getCause();
        } catch (Throwable error) {
            return null;
        }
    }

    /** The class and message of a throwable, whose methods may be the tested code's own. */
    private static String said(Throwable why) {
        if (why == null) return "";
        try {
            String message = why.getMessage();
            return why.getClass().getName() + (message == null ? "" : ": " + message);
        } catch (Throwable error) {
            return why.getClass().getName();
        }
    }
}
