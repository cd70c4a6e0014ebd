package benchwright.inside;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.experimental.theories.Theories;
import org.junit.internal.AssumptionViolatedException;
import org.junit.internal.builders.AllDefaultPossibilitiesBuilder;
import org.junit.internal.builders.AnnotatedBuilder;
import org.junit.internal.builders.JUnit4Builder;
import org.junit.runner.Description;
import org.junit.runner.Runner;
import org.junit.runner.notification.RunNotifier;
import org.junit.runners.BlockJUnit4ClassRunner;
import org.junit.runners.JUnit4;
import org.junit.runners.Parameterized;
import org.junit.runners.model.FrameworkMethod;
import org.junit.runners.model.InitializationError;
import org.junit.runners.model.Statement;
import org.junit.runners.parameterized.BlockJUnit4ClassRunnerWithParameters;
import org.junit.runners.parameterized.TestWithParameters;

/**
 * JUnit 4's own runners with a watch around each statement: a test has passed when its statement returned.
 *
 * That no failure was reported is not enough: an exception can say of itself that it holds none.
 */
final class FourRunners extends AllDefaultPossibilitiesBuilder {
    /** What is told of the statements. */
    interface Watch {
        void begun(Description test);

        void returned(Description test);

        void classEnded(Description suite, Throwable why);

        void assumedAway(Description test, Throwable why);
    }

    private final Watch watch;

    FourRunners(Watch watch) {
        super(false);
        this.watch = watch;
    }

    @Override
    protected JUnit4Builder junit4Builder() {
        return new JUnit4Builder() {
            @Override
            public Runner runnerForClass(Class<?> test) throws InitializationError {
                return new Block(test);
            }
        };
    }

    @Override
    protected AnnotatedBuilder annotatedBuilder() {
        return new AnnotatedBuilder(this) {
            @Override
            public Runner buildRunner(Class<? extends Runner> runner, Class<?> test) throws Exception {
                if (runner == BlockJUnit4ClassRunner.class || runner == JUnit4.class) return new Block(test);
                if (runner == Theories.class) return new Theory(test);
                if (runner == Parameterized.class) return parameterized(test);
                return super.buildRunner(runner, test);
            }
        };
    }

    private Runner parameterized(Class<?> test) throws Exception {
        try {
            return new Parameters(test);
        } catch (Exception | Error error) {
            throw error;
        } catch (Throwable error) {
            throw new InitializationError(error);
        }
    }

    private Statement watched(Statement inner, Description test) {
        return new Statement() {
            @Override
            public void evaluate() throws Throwable {
                watch.begun(test);
                inner.evaluate();
                watch.returned(test);
            }
        };
    }

    private Statement watchedClass(Statement inner, Description suite) {
        return new Statement() {
            @Override
            public void evaluate() throws Throwable {
                try {
                    inner.evaluate();
                } catch (Throwable why) {
                    watch.classEnded(suite, why);
                    throw why;
                }
            }
        };
    }

    private final class Block extends BlockJUnit4ClassRunner {
        Block(Class<?> test) throws InitializationError {
            super(test);
        }

        @Override
        protected Statement methodBlock(FrameworkMethod method) {
            return watched(super.methodBlock(method), describeChild(method));
        }

        @Override
        protected Statement classBlock(RunNotifier notifier) {
            return watchedClass(super.classBlock(notifier), getDescription());
        }
    }

    /** A theory drops the values that an assumption does away with: here they are told. */
    private final class Theory extends Theories {
        Theory(Class<?> test) throws InitializationError {
            super(test);
        }

        @Override
        public Statement methodBlock(FrameworkMethod method) {
            Description test = describeChild(method);
            TheoryAnchor anchor =
                    new TheoryAnchor(method, getTestClass()) {
                        @Override
                        protected void handleAssumptionViolation(AssumptionViolatedException why) {
                            watch.assumedAway(test, why);
                            super.handleAssumptionViolation(why);
                        }
                    };
            return watched(anchor, test);
        }

        @Override
        protected Statement classBlock(RunNotifier notifier) {
            return watchedClass(super.classBlock(notifier), getDescription());
        }
    }

    /** The runners of the single parameters, each replaced by one that is watched. */
    private final class Parameters extends Parameterized {
        private List<Runner> replaced;

        Parameters(Class<?> test) throws Throwable {
            super(test);
        }

        @Override
        protected List<Runner> getChildren() {
            if (replaced == null) {
                List<Runner> made = new ArrayList<>();
                for (Runner child : super.getChildren()) made.add(watchable(child));
                replaced = made;
            }
            return replaced;
        }

        @Override
        protected Statement classBlock(RunNotifier notifier) {
            return watchedClass(super.classBlock(notifier), getDescription());
        }
    }

    private Runner watchable(Runner child) {
        if (child.getClass() != BlockJUnit4ClassRunnerWithParameters.class) return child;
        BlockJUnit4ClassRunnerWithParameters one = (BlockJUnit4ClassRunnerWithParameters) child;
        try {
            List<Object> values = Arrays.asList((Object[]) held(one, "parameters"));
            return new OneParameter(new TestWithParameters((String) held(one, "name"), one.getTestClass(), values));
        } catch (ReflectiveOperationException | InitializationError error) {
            throw new IllegalStateException("a runner of another JUnit", error);
        }
    }

    private static Object held(Object runner, String name) throws ReflectiveOperationException {
        Field field = BlockJUnit4ClassRunnerWithParameters.class.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(runner);
    }

    private final class OneParameter extends BlockJUnit4ClassRunnerWithParameters {
        OneParameter(TestWithParameters test) throws InitializationError {
            super(test);
        }

        @Override
        protected Statement methodBlock(FrameworkMethod method) {
            return watched(super.methodBlock(method), describeChild(method));
        }

        @Override
        protected Statement classBlock(RunNotifier notifier) {
            return watchedClass(super.classBlock(notifier), getDescription());
        }
    }
}
