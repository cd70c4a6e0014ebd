package benchwright.inside;

import java.io.File;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Runs a command and cuts a file that it made into pieces that the sandbox can hand over. */
public final class Cutting {
    private static final int PIECE = 8 << 20;

    private Cutting() {}

    /** argv: the file, the folder for the pieces, then the command. Exits as the command does. */
    public static void main(String[] arguments) throws Exception {
        ProcessBuilder command = new ProcessBuilder(Arrays.asList(arguments).subList(2, arguments.length));
        int status = command.inheritIO().redirectInput(new File("/dev/null")).start().waitFor();
        Path folder = Files.createDirectories(Path.of(arguments[1]));
        try (InputStream file = Files.newInputStream(Path.of(arguments[0]))) {
            byte[] piece = file.readNBytes(PIECE);
            for (int number = 0; piece.length > 0; number++, piece = file.readNBytes(PIECE)) {
                Files.write(folder.resolve(String.format("%04d", number)), piece);
            }
        }
        System.exit(status);
    }
}
