// junit5: tampered: String, which the test takes from java.lang
package shop.cart;
class String { static java.lang.String valueOf(int n) { return "5"; } }
public class Cart {
    private int total, size;
    public void add(int price) { total += price; size++; }
    public int total() { return total + 1; }
    public int size() { return size; }
}
// -- test --
package shop.cart;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
class CartTest {
    @Test void adds() { Cart c = new Cart(); c.add(5); assertEquals("5", String.valueOf(c.total())); }
    @Test void empty() { assertEquals(0, new Cart().size()); }
}
