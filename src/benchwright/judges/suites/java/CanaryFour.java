import org.junit.Assert;
import org.junit.Test;

/** The two tests that the trusted side adds to a suite of JUnit 4: it renames the class and both methods. */
public class CanaryFour {
    @Test
    public void canaryPasses() {
        Assert.assertEquals("a", "a");
    }

    @Test
    public void canaryFails() {
        Assert.assertEquals("a", "b");
    }
}
