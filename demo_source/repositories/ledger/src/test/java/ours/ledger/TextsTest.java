package ours.ledger;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.Test;

class TextsTest {
    @Test
    void reversed() {
        assertEquals("cba", Texts.reversed("abc"));
    }

    @Test
    void euros() {
        assertEquals("12.34", Texts.euros(1234));
        assertEquals("0.05", Texts.euros(5));
    }

    @Test
    void words() {
        assertEquals(2, Texts.words(" a  b "));
        assertEquals(0, Texts.words(" "));
    }

    @Test
    void capital() {
        assertEquals("Rent", Texts.capital("rent"));
        assertEquals("", Texts.capital(""));
    }

    @Test
    void padded() {
        assertEquals("007", Texts.padded("7", 3, '0'));
    }

    @Test
    void count() {
        assertEquals(2, Texts.count("abca", 'a'));
    }

    @Test
    void isBalanced() {
        assertTrue(Texts.isBalanced("(a)(b(c))"));
        assertFalse(Texts.isBalanced(")("));
        assertFalse(Texts.isBalanced("("));
    }

    @Test
    void before() {
        assertEquals("a", Texts.before("a=b", "="));
        assertEquals("ab", Texts.before("ab", "="));
    }

    @Test
    void withoutVowels() {
        assertEquals("rnt", Texts.withoutVowels("rent"));
    }

    @Test
    void shifted() {
        assertEquals("bca d", Texts.shifted("abz c", 1));
    }
}
