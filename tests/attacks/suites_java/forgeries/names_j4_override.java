// junit4: tampered: Override, which the test takes from java.lang
package shop.cart;
@interface Override {}
public class Cart {
    private int total, size;
    public void add(int price) { total += price; size++; }
    public int total() { return total + 1; }
    public int size() { return size; }
}
// -- test --
package shop.cart;
import static org.junit.Assert.*;
import org.junit.*;
public class CartTest {
    @Test public void adds() { Cart c = new Cart(); c.add(2); c.add(3); assertEquals(5, c.total()); }
    @Test public void empty() { assertEquals(0, new Cart().size()); }
    @Override public String toString() { return ""; }
}
