package benchwright.inside;

import java.io.FileWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Compiles many pairs of files in one JVM, each as a task of its own that sees JUnit and its own files only.
 *
 * The job file: the folder for the report, seconds of processor time for a pair, the class path, then a line for each
 * pair: its folder and its sources. A pair that takes longer ends the whole process, with all pairs before it done.
 */
public final class BatchCompiler {
    private static final List<String> OPTIONS =
            List.of("-proc:none", "-implicit:none", "-nowarn", "-Xlint:none", "-Xmaxerrs", "20", "-encoding", "UTF-8");
    private static final int SHOWN = 20;

    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final StandardJavaFileManager files =
            compiler.getStandardFileManager(null, Locale.ENGLISH, StandardCharsets.UTF_8);
    private final KnownFiles known = new KnownFiles(files);
    private final Writer report;
    private final double limit;
    private volatile String current = "";
    private volatile double begun;

    private BatchCompiler(Writer report, double limit) {
        this.report = report;
        this.limit = limit;
    }

    /** argv: the job file. */
    public static void main(String[] arguments) throws IOException {
        Locale.setDefault(Locale.ENGLISH);
        List<String> job = Files.readAllLines(Path.of(arguments[0]));
        int failed = compile(job);
        Runtime.getRuntime().halt(failed);
    }

    static int compile(List<String> job) throws IOException {
        try (Writer report = new FileWriter(job.get(0), StandardCharsets.UTF_8)) {
            BatchCompiler batch = new BatchCompiler(report, Double.parseDouble(job.get(1)));
            batch.files.setLocationFromPaths(StandardLocation.CLASS_PATH, paths(job.get(2).split(":")));
            batch.files.setLocationFromPaths(StandardLocation.SOURCE_PATH, List.of());
            batch.watch();
            for (String line : job.subList(3, job.size())) batch.compileOne(line.split("\t"));
            batch.current = "";
        }
        return 0;
    }

    private void compileOne(String[] pair) throws IOException {
        Path out = Files.createDirectories(Path.of("out", pair[0]));
        Path sources = Path.of("in", pair[0]);
        List<Path> paths = new ArrayList<>();
        for (String name : Arrays.asList(pair).subList(1, pair.length)) paths.add(sources.resolve(Lines.plain(name)));
        begun = spent();
        current = pair[0];
        files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(out));
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        StringWriter crash = new StringWriter();
        String state = "failed";
        try {
            boolean well = compiler.getTask(crash, known, said, OPTIONS, null, files.getJavaFileObjectsFromPaths(paths)).call();
            state = well ? "done" : "failed";
        } catch (Throwable error) {
            crash.write(error.toString());
        }
        tell(pair[0], state, said, crash.toString(), count(out));
    }

    private synchronized void tell(
            String pair, String state, DiagnosticCollector<JavaFileObject> said, String crash, long made)
            throws IOException {
        int shown = 0;
        for (Diagnostic<? extends JavaFileObject> each : said.getDiagnostics()) {
            if (each.getKind() != Diagnostic.Kind.ERROR || shown++ == SHOWN) continue;
            String file = each.getSource() == null ? "" : Path.of(each.getSource().getName()).getFileName().toString();
            String line = String.valueOf(each.getLineNumber());
            write("error", pair, each.getCode(), file, line, each.getMessage(Locale.ENGLISH));
        }
        write(state, pair, String.valueOf(made), crash.strip());
        report.flush();
    }

    private void write(String... fields) throws IOException {
        report.write(Lines.of(fields) + "\n");
    }

    private static long count(Path folder) throws IOException {
        try (Stream<Path> below = Files.walk(folder)) {
            return below.filter(Files::isRegularFile).count();
        }
    }

    /** End the process when one pair has had its time: a thread that compiles cannot be stopped. */
    private void watch() {
        Thread thread = new Thread(this::watching, "watch");
        thread.setDaemon(true);
        thread.start();
    }

    private void watching() {
        try {
            while (true) {
                Thread.sleep(50);
                if (!current.isEmpty() && spent() - begun > limit) {
                    end();
                }
            }
        } catch (InterruptedException | IOException error) {
            Runtime.getRuntime().halt(5);
        }
    }

    private synchronized void end() throws IOException {
        if (spent() - begun <= limit) return;
        write("timeout", current, "0", "");
        report.flush();
        Runtime.getRuntime().halt(0);
    }

    /** Seconds of processor time of this process: without a class of java.management, which takes 30 ms to load. */
    private static double spent() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    }

    private static List<Path> paths(String[] names) {
        List<Path> paths = new ArrayList<>();
        for (String name : names) paths.add(Path.of(name));
        return paths;
    }
}
