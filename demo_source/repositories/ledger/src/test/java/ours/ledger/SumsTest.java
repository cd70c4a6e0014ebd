package ours.ledger;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.Test;

class SumsTest {
    @Test
    void total() {
        assertEquals(6, Sums.total(new long[] {1, 2, 3}));
    }

    @Test
    void largest() {
        assertEquals(-1, Sums.largest(new long[] {-5, -1}));
        assertEquals(0, Sums.largest(new long[0]));
    }

    @Test
    void withInterest() {
        assertEquals(1050, Sums.withInterest(1000, 5));
    }

    @Test
    void countFrom() {
        assertEquals(2, Sums.countFrom(new long[] {1, 5, 9}, 5));
    }

    @Test
    void balances() {
        assertArrayEquals(new long[] {5, 3, 10}, Sums.balances(new long[] {5, -2, 7}));
    }

    @Test
    void divisor() {
        assertEquals(6, Sums.divisor(12, 18));
    }

    @Test
    void isPrime() {
        assertTrue(Sums.isPrime(13));
        assertFalse(Sums.isPrime(9));
        assertFalse(Sums.isPrime(1));
    }

    @Test
    void shares() {
        assertArrayEquals(new long[] {4, 3, 3}, Sums.shares(10, 3));
    }

    @Test
    void digitSum() {
        assertEquals(10, Sums.digitSum(1234));
    }

    @Test
    void clamp() {
        assertEquals(5, Sums.clamp(9, 0, 5));
        assertEquals(0, Sums.clamp(-9, 0, 5));
    }
}
