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
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.RunWith;
@RunWith(Enclosed.class) public class CartTest {
    public static class Empty { @Test public void none() { assertEquals(0, new Cart().size()); } }
    public static class Full { @AfterClass public static void all() { Cart.close(); } @Test public void none() { assertEquals(0, new Cart().total()); } }
}
