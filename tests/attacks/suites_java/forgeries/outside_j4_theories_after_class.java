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
import org.junit.experimental.theories.*;
import org.junit.runner.RunWith;
@RunWith(Theories.class) public class CartTest {
    @DataPoints public static int[] points = {1, 2};
    @AfterClass public static void all() { Cart.close(); }
    @Theory public void sums(int n) { assertEquals(0, new Cart().total()); }
}
