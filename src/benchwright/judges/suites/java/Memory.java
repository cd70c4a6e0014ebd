package benchwright.inside;

import java.lang.reflect.Field;
import sun.misc.Unsafe;

/**
 * Shuts `sun.misc.Unsafe`, with which twenty lines of a suite could read and change any object of this JVM.
 *
 * By its own means: the field that all its methods go through is set to null, so each of them raises, whoever holds
 * or makes an instance. Leaving out its module (--limit-modules) would cost the archive of classes, 200 ms of each run.
 */
final class Memory {
    private Memory() {}

    /** Nothing is shut where a platform has no such field; the suite is run all the same. */
    static void shut() {
        try {
            Field held = Unsafe.class.getDeclaredField("theUnsafe");
            held.setAccessible(true);
            Unsafe unsafe = (Unsafe) held.get(null);
            Field inner = Unsafe.class.getDeclaredField("theInternalUnsafe");
            unsafe.putObject(unsafe.staticFieldBase(inner), unsafe.staticFieldOffset(inner), null);
        } catch (ReflectiveOperationException | UnsupportedOperationException error) {
            return;
        }
    }
}
