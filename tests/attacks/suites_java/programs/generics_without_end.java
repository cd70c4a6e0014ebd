// Types that take javac exponentially long: each level of inference tries all overloads of the next.
package shop.cart;
import java.util.function.*;
public class Cart {
    static <T> T pick(Function<T, T> f, Supplier<T> s) { return s.get(); }
    static <T> T pick(Supplier<T> s, Function<T, T> f) { return s.get(); }
    static <A, B> B both(Function<A, B> f, Function<B, A> g, A a) { return f.apply(a); }
    static <A, B> B both(Function<A, B> f, BiFunction<A, B, A> g, A a) { return f.apply(a); }
    public int total() {
        return 4 + (both(a17 -> both(a16 -> both(a15 -> both(a14 -> both(a13 -> both(a12 -> both(a11 -> both(a10 -> both(a9 -> both(a8 -> both(a7 -> both(a6 -> both(a5 -> both(a4 -> both(a3 -> both(a2 -> both(a1 -> both(a0 -> 1, b0 -> 1, 1), b1 -> 1, 1), b2 -> 1, 1), b3 -> 1, 1), b4 -> 1, 1), b5 -> 1, 1), b6 -> 1, 1), b7 -> 1, 1), b8 -> 1, 1), b9 -> 1, 1), b10 -> 1, 1), b11 -> 1, 1), b12 -> 1, 1), b13 -> 1, 1), b14 -> 1, 1), b15 -> 1, 1), b16 -> 1, 1), b17 -> 1, 1));
    }
    public void add(int price) {}
    public int size() { return 0; }
}
