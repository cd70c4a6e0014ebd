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
 * The job file: the key of the report, a seed for the order of the tests or nothing, then one line for each class, with
 * the framework before it. It is gone before the first tested class is loaded.
 */
public final class SuiteLauncher {
    private SuiteLauncher() {}

    /** argv: the job file. */
    public static void main(String[] arguments) throws Exception {
        Path path = Path.of(arguments[0]);
        List<String> job = Files.readAllLines(path);
        Files.delete(path);
        Report report = new Report(job.get(0));
        Long seed = job.get(1).isEmpty() ? null : Long.valueOf(job.get(1));
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        System.setOut(nowhere);
        System.setErr(nowhere);
        System.setIn(new ByteArrayInputStream(new byte[0]));
        int status = 0;
        try {
            run(job.subList(2, job.size()), report, seed);
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
    }

    private static List<String> classes(List<String> selected, String framework) {
        List<String> names = new ArrayList<>();
        for (String line : selected) {
            if (line.startsWith(framework + " ")) names.add(line.substring(framework.length() + 1));
        }
        return names;
    }

    /** A class's name as the trusted side writes it: without its package. */
    static String bare(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
