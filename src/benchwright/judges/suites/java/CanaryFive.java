import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** The two tests that the trusted side adds to a suite of JUnit 5: it renames the class and both methods. */
class CanaryFive {
    @Test
    void canaryPasses() {
        Assertions.assertEquals("a", "a");
    }

    @Test
    void canaryFails() {
        Assertions.assertEquals("a", "b");
    }
}
