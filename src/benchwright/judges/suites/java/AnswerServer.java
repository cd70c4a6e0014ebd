package benchwright.inside;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.util.function.BiFunction;

/**
 * Answers calls that come one at a time over descriptor 0, a socket: frames in, frames out, values as `Wire` has them.
 *
 * It shares its JVM with the code under test, so a reply is a claim: a value and never a verdict. What a right value
 * is, nothing in this JVM knows.
 */
public final class AnswerServer {
    private static final int LONGEST_TEXT = 400;

    private final DataInputStream in = new DataInputStream(new FileInputStream(FileDescriptor.in));
    private final OutputStream out = new FileOutputStream(FileDescriptor.in);

    private AnswerServer() {}

    /** argv: the class that makes the calls, a BiFunction of a form's number and the arguments. */
    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) throws Exception {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        System.setOut(nowhere);
        System.setErr(nowhere);
        System.setIn(InputStream.nullInputStream());
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        Constructor<?> made = Class.forName(arguments[0], true, loader).getDeclaredConstructor();
        made.setAccessible(true);
        new AnswerServer().serve((BiFunction<Integer, Object[], Object>) made.newInstance());
        Runtime.getRuntime().halt(0);
    }

    private void serve(BiFunction<Integer, Object[], Object> caller) throws IOException {
        send('L', new byte[0]);
        for (byte[] request = received(); request.length > 0; request = received()) {
            Wire.Reading reading = new Wire.Reading(request);
            int form = reading.form();
            Object[] given = reading.arguments();
            answer(caller, form, given);
            Thread.interrupted();
        }
    }

    private void answer(BiFunction<Integer, Object[], Object> caller, int form, Object[] given) throws IOException {
        Object value;
        try {
            value = caller.apply(form, given);
        } catch (Throwable error) {
            send('X', claim("call", error));
            return;
        }
        byte[] payload;
        try {
            payload = Wire.written(value);
        } catch (Throwable error) {
            send('T', claim("value", error));
            return;
        }
        send('V', payload);
    }

    /** Stage, name, text and no line, as the trusted side reads them; want of memory has the name that it knows. */
    private static byte[] claim(String stage, Throwable error) {
        String name = error instanceof OutOfMemoryError ? "MemoryError" : error.getClass().getName();
        String text;
        try {
            text = String.valueOf(error.getMessage());
        } catch (Throwable another) {
            text = "";
        }
        return Wire.claim(stage, name, text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text);
    }

    private byte[] received() throws IOException {
        byte[] head = new byte[4];
        try {
            in.readFully(head);
        } catch (EOFException end) {
            return new byte[0];
        }
        byte[] request = new byte[Wire.number(head, 0)];
        in.readFully(request);
        return request;
    }

    private void send(char kind, byte[] payload) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(payload.length + 5);
        Wire.number(frame, payload.length);
        frame.write(kind);
        frame.write(payload);
        out.write(frame.toByteArray());
    }
}
