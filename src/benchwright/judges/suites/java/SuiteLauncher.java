package benchwright.inside;

import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the test classes that a job file names, and nothing else: no scan of the class path, no listeners found there.
 *
 * The job file: the key of the report, a seed for the order of the tests or nothing, then lines of words: "load" and a
 * class of the suite, "own" and a top-level class of the test file, a framework and a class with tests, or what
 * PlainTests reads. It is gone
 * before the first tested class is loaded, and all of them are loaded before the first is initialised: from then on
 * nothing in a suite can give one of these names to another class.
 */
public final class SuiteLauncher {
    private SuiteLauncher() {}

    /** argv: the job file. */
    public static void main(String[] arguments) throws Exception {
        Path path = Path.of(arguments[0]);
        List<String> job = Files.readAllLines(path);
        Files.delete(path);
        List<String> selected = job.subList(2, job.size());
        Report report = new Report(job.get(0), new Origin(classes(selected, "own")));
        Guard.watch(report);
        Long seed = job.get(1).isEmpty() ? null : Long.valueOf(job.get(1));
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        System.setOut(nowhere);
        System.setErr(nowhere);
        System.setIn(new ByteArrayInputStream(new byte[0]));
        int status = 0;
        try {
            Memory.shut();
            load(classes(selected, "load"));
            run(selected, report, seed);
            report.finish();
        } catch (Throwable error) {
            report.broken(error);
            status = 3;
        }
        // Not exit: hooks and threads that the tests leave behind have no say in how this ends.
        Runtime.getRuntime().halt(status);
    }

    static void run(List<String> selected, Report report, Long seed) {
        List<String> jupiter = classes(selected, "junit5");
        List<String> four = classes(selected, "junit4");
        if (!jupiter.isEmpty()) JupiterTests.run(jupiter, report, seed);
        if (!four.isEmpty()) FourTests.run(four, report, seed);
        for (String line : selected) {
            if (line.startsWith("plain")) PlainTests.run(line, report, seed);
        }
    }

    private static void load(List<String> names) throws ClassNotFoundException {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        for (String name : names) Class.forName(name, false, loader);
    }

    private static List<String> classes(List<String> selected, String word) {
        List<String> names = new ArrayList<>();
        for (String line : selected) {
            if (line.startsWith(word + " ")) names.add(line.substring(word.length() + 1));
        }
        return names;
    }

    /** A class's name as the trusted side writes it: without its package. */
    static String bare(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
