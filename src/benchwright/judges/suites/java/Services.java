package benchwright.inside;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;

/**
 * The loader of all classes, with one list of services of its own: JUnit 5 finds our extension by it and no other.
 *
 * A search of the class path would open each jar, 7 ms of each run, and would look into the folder of the suite.
 */
final class Services extends ClassLoader {
    private static final String LIST = "META-INF/services/org.junit.jupiter.api.extension.Extension";

    Services(ClassLoader parent) {
        super(parent);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        return name.equals(LIST) ? Collections.enumeration(Collections.singleton(list())) : super.getResources(name);
    }

    private static URL list() throws MalformedURLException {
        byte[] text = Returned.class.getName().getBytes(StandardCharsets.UTF_8);
        return new URL("benchwright", "", 0, "extensions", new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) {
                return new URLConnection(url) {
                    @Override
                    public void connect() {}

                    @Override
                    public InputStream getInputStream() {
                        return new ByteArrayInputStream(text);
                    }
                };
            }
        });
    }
}
