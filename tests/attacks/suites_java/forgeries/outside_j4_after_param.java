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
import java.util.*;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
@RunWith(Parameterized.class) public class CartTest {
    @Parameterized.Parameters public static Collection<Object[]> data() { return Arrays.asList(new Object[][] {{1}, {2}}); }
    @Parameterized.AfterParam public static void after() { Cart.close(); }
    @Parameterized.Parameter public int n;
    @Test public void sums() { assertEquals(0, new Cart().total()); }
}
