package ours.ledger;

import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ListsTest {
    @Test
    void unique() {
        assertEquals(List.of("a", "b"), Lists.unique(List.of("a", "b", "a")));
    }

    @Test
    void counts() {
        assertEquals(Map.of("a", 2, "b", 1), Lists.counts(List.of("a", "b", "a")));
    }

    @Test
    void parts() {
        assertEquals(List.of(List.of("a", "b"), List.of("c")), Lists.parts(List.of("a", "b", "c"), 2));
    }

    @Test
    void longest() {
        assertEquals("bb", Lists.longest(List.of("a", "bb", "cc")));
    }

    @Test
    void zipped() {
        assertEquals(List.of("a", "x", "b"), Lists.zipped(List.of("a", "b"), List.of("x")));
    }

    @Test
    void descending() {
        assertEquals(List.of("c", "b", "a"), Lists.descending(List.of("b", "a", "c")));
    }

    @Test
    void isSorted() {
        assertTrue(Lists.isSorted(List.of("a", "b")));
        assertFalse(Lists.isSorted(List.of("b", "a")));
    }

    @Test
    void rotated() {
        assertEquals(List.of("b", "c", "a"), Lists.rotated(List.of("a", "b", "c"), 1));
    }

    @Test
    void place() {
        assertEquals(1, Lists.place(List.of("a", "b"), "b"));
        assertEquals(-1, Lists.place(List.of("a", "c"), "d"));
    }
}
