package benchwright.inside;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Loads once all classes that compiling and running need, so that the JVM can archive them at its exit.
 *
 * The sample has a loader of its own: a JVM makes no archive while a folder is on its class path.
 */
public final class Training {
    private Training() {}

    /** argv: the compiler's job file, the folder that it fills with classes, then the lines of a launcher's job. */
    public static void main(String[] arguments) throws Exception {
        BatchCompiler.compile(Files.readAllLines(Path.of(arguments[0])));
        List<String> selected = Arrays.asList(arguments).subList(2, arguments.length);
        URL[] folder = {Path.of(arguments[1]).toUri().toURL()};
        Thread.currentThread().setContextClassLoader(new URLClassLoader(folder));
        Report report = new Report("0".repeat(32), new Origin(List.of("Five", "Four")));
        Guard.watch(report);
        Guard.enter("Five#passes");
        Guard.leave("Five#passes");
        SuiteLauncher.run(selected, report, 1L);
        report.finish();
        new Wire.Reading(Wire.written(new Object[] {})); // what answers calls is loaded with it
        Class.forName("benchwright.inside.AnswerServer");
        Memory.shut();
    }
}
