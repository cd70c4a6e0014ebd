// junit5: failed: Initializer
package shop.cart;
public class Cart {
    private int total, size;
    public static int open() { throw new IllegalStateException("no"); }
    public void add(int price) { total += price; size++; }
    public int total() { return total; }
    public int size() { return size; }
}
// -- test --
package shop.cart;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
class CartTest {
    @Test void adds() { Cart c = new Cart(); c.add(2); c.add(3); assertEquals(5, c.total()); }
    @Test void empty() { assertEquals(0, new Cart().size()); }
}
class MoreTest {
    static final int N = Cart.open();
    @Test void one() { assertEquals(0, new Cart().size()); }
}
