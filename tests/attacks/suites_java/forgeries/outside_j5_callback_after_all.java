// junit5: failed: left open
package shop.cart;
public class Cart {
    private int total, size;
    public static void close() { throw new IllegalStateException("left open"); }
    public void add(int price) { total += price; size++; }
    public int total() { return total; }
    public int size() { return size; }
}
// -- test --
package shop.cart;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.*;
@ExtendWith(Closing.class) class CartTest {
    @Test void adds() { Cart c = new Cart(); c.add(2); c.add(3); assertEquals(5, c.total()); }
    @Test void empty() { assertEquals(0, new Cart().size()); }
}
class Closing implements AfterAllCallback { public void afterAll(ExtensionContext c) { Cart.close(); } }
