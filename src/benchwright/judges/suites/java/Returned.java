package benchwright.inside;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * The tests of JUnit 5 whose methods returned, as an extension around all others sees them.
 *
 * The engine makes it, by the list that Services gives it, so what it saw is kept for the class.
 */
public final class Returned implements InvocationInterceptor {
    private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

    /** Whether the test or factory of this unique id returned. */
    static boolean has(String id) {
        return SEEN.contains(id);
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> inner, ReflectiveInvocationContext<Method> method, ExtensionContext test)
            throws Throwable {
        proceed(inner, test);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> inner, ReflectiveInvocationContext<Method> method, ExtensionContext test)
            throws Throwable {
        proceed(inner, test);
    }

    @Override
    public <T> T interceptTestFactoryMethod(
            Invocation<T> inner, ReflectiveInvocationContext<Method> method, ExtensionContext test)
            throws Throwable {
        return proceed(inner, test);
    }

    @Override
    public void interceptDynamicTest(
            Invocation<Void> inner, DynamicTestInvocationContext dynamic, ExtensionContext test) throws Throwable {
        proceed(inner, test);
    }

    private static <T> T proceed(Invocation<T> inner, ExtensionContext test) throws Throwable {
        T result = inner.proceed();
        SEEN.add(test.getUniqueId());
        return result;
    }
}
