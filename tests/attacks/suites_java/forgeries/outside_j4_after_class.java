// junit4: failed: left open
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
import static org.junit.Assert.*;
import org.junit.*;
public class CartTest {
    @Test public void adds() { Cart c = new Cart(); c.add(2); c.add(3); assertEquals(5, c.total()); }
    @Test public void empty() { assertEquals(0, new Cart().size()); }
    @AfterClass public static void all() { Cart.close(); }
}
