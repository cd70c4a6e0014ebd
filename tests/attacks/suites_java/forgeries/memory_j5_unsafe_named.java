// junit5: tampered: sun.misc.Unsafe
package shop.cart;
public class Cart {
    private int total, size;
    static Object u; static { try { var f = sun.misc.Unsafe.class.getDeclaredField("theUnsafe"); f.setAccessible(true); u = f.get(null); } catch (Exception e) {} }
    public void add(int price) { total += price; size++; }
    public int total() { return total + 1; }
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
