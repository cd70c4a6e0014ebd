package benchwright.inside;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Values as bytes, in marshal's format 2: those that are equal in Java give the same bytes, all others different ones.
 *
 * A Long is an integer, a Double a float, a text, a boolean and a list are what they are. Every other value is a tuple
 * of its kind and its content: ("Float", 0.5), ("Map", (key, value), …) in the order of the keys' bytes, ("Optional", x).
 */
final class Wire {
    private static final int DEEPEST = 190;
    private static final int LARGEST = 17 << 20; // more than the trusted side reads
    private static final String TUPLES = "org.javatuples.";

    private Wire() {}

    static byte[] written(Object value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(out, value, 0);
        return out.toByteArray();
    }

    static byte[] claim(String stage, String name, String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        head(out, '(', 4);
        for (String each : new String[] {stage, name, text}) text(out, each);
        whole(out, 0);
        return out.toByteArray();
    }

    private static void write(ByteArrayOutputStream out, Object value, int depth) {
        if (depth > DEEPEST) throw new IllegalArgumentException("nested deeper than " + DEEPEST);
        if (out.size() > LARGEST) throw new IllegalArgumentException("larger than " + LARGEST + " bytes");
        if (value == null) out.write('N');
        else if (value instanceof Long number) whole(out, number);
        else if (value instanceof Boolean truth) out.write(truth ? 'T' : 'F');
        else if (value instanceof String text) text(out, text);
        else if (value instanceof Double number) real(out, number);
        else if (value instanceof List<?> list) items(out, '[', list, depth);
        else kind(out, value, depth);
    }

    private static void kind(ByteArrayOutputStream out, Object value, int depth) {
        String name = value.getClass().getSimpleName();
        if (value instanceof Float number) kind(out, "Float", List.of((double) number), depth);
        else if (value instanceof Map<?, ?> map) map(out, map, depth);
        else if (value instanceof Set<?> set) set(out, set, depth);
        else if (value instanceof Optional<?> one) kind(out, "Optional", one.isPresent() ? List.of(one.get()) : List.of(), depth);
        else if (value instanceof Integer || value instanceof Short || value instanceof Byte)
            kind(out, name, List.of(((Number) value).longValue()), depth);
        else if (value instanceof Character letter) kind(out, name, List.of(letter.toString()), depth);
        else if (value.getClass().getName().startsWith(TUPLES) && value instanceof Iterable<?> tuple) {
            List<Object> content = new ArrayList<>();
            for (Object each : tuple) content.add(each);
            kind(out, name, content, depth);
        } else kind(out, "other", List.of(value.getClass().getName()), depth);
    }

    private static void kind(ByteArrayOutputStream out, String name, List<?> content, int depth) {
        head(out, '(', content.size() + 1);
        text(out, name);
        for (Object each : content) write(out, each, depth + 1);
    }

    private static void items(ByteArrayOutputStream out, char tag, List<?> list, int depth) {
        List<byte[]> each = new ArrayList<>();
        int size = out.size();
        for (Object item : list) {
            each.add(bytes(item, depth + 1));
            size += each.get(each.size() - 1).length;
            if (size > LARGEST) throw new IllegalArgumentException("larger than " + LARGEST + " bytes");
        }
        head(out, tag, each.size());
        for (byte[] item : each) out.write(item, 0, item.length);
    }

    private static void map(ByteArrayOutputStream out, Map<?, ?> map, int depth) {
        List<byte[][]> pairs = new ArrayList<>();
        for (Map.Entry<?, ?> each : map.entrySet()) {
            pairs.add(new byte[][] {bytes(each.getKey(), depth + 2), bytes(each.getValue(), depth + 2)});
        }
        pairs.sort((one, other) -> Arrays.compareUnsigned(one[0], other[0]));
        head(out, '(', pairs.size() + 1);
        text(out, "Map");
        for (byte[][] pair : pairs) {
            head(out, '(', 2);
            for (byte[] part : pair) out.write(part, 0, part.length);
        }
    }

    private static void set(ByteArrayOutputStream out, Set<?> set, int depth) {
        List<byte[]> members = new ArrayList<>();
        for (Object each : set) members.add(bytes(each, depth + 1));
        members.sort(Arrays::compareUnsigned);
        head(out, '(', members.size() + 1);
        text(out, "Set");
        for (byte[] each : members) out.write(each, 0, each.length);
    }

    private static byte[] bytes(Object value, int depth) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(out, value, depth);
        return out.toByteArray();
    }

    private static void head(ByteArrayOutputStream out, char tag, int count) {
        out.write(tag);
        number(out, count);
    }

    private static void whole(ByteArrayOutputStream out, long value) {
        if (value == (int) value) {
            head(out, 'i', (int) value);
            return;
        }
        long left = value;
        List<Integer> digits = new ArrayList<>(); // 15 bits each; the remainder of a negative number is negative
        for (; left != 0; left /= 1 << 15) digits.add((int) Math.abs(left % (1 << 15)));
        head(out, 'l', value < 0 ? -digits.size() : digits.size());
        for (int digit : digits) {
            out.write(digit);
            out.write(digit >> 8);
        }
    }

    private static void real(ByteArrayOutputStream out, double value) {
        out.write('g');
        long bits = Double.doubleToLongBits(value);
        number(out, (int) bits);
        number(out, (int) (bits >> 32));
    }

    /** UTF-8; half of a surrogate pair, which no UTF-8 can hold, as three bytes of its own. */
    private static void text(ByteArrayOutputStream out, String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        text.codePoints().forEach(point -> {
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
                bytes.write(0xE0 | point >> 12);
                bytes.write(0x80 | point >> 6 & 0x3F);
                bytes.write(0x80 | point & 0x3F);
            } else {
                byte[] encoded = Character.toString(point).getBytes(StandardCharsets.UTF_8);
                bytes.write(encoded, 0, encoded.length);
            }
        });
        head(out, 'u', bytes.size());
        out.write(bytes.toByteArray(), 0, bytes.size());
    }

    static void number(ByteArrayOutputStream out, int value) {
        for (int shift = 0; shift < 32; shift += 8) out.write(value >> shift);
    }

    static int number(byte[] data, int at) {
        int value = 0;
        for (int i = 3; i >= 0; i--) value = value << 8 | data[at + i] & 0xFF;
        return value;
    }

    /** A place in a request, which the trusted side wrote: the number of a form, then the list of arguments. */
    static final class Reading {
        private final byte[] data;
        private int at = 5; // behind the head of a tuple of two

        Reading(byte[] data) {
            this.data = data;
        }

        int form() {
            return ((Long) value()).intValue();
        }

        Object[] arguments() {
            return ((List<?>) value()).toArray();
        }

        private int count() {
            at += 4;
            return number(data, at - 4);
        }

        private Object value() {
            char tag = (char) data[at++];
            switch (tag) {
                case 'N': return null;
                case 'T': return true;
                case 'F': return false;
                case 'i': return (long) count();
                case 'l': return longer(count());
                case 'g': return Double.longBitsToDouble((count() & 0xFFFFFFFFL) | (long) count() << 32);
                case 'u': return string(count());
                case '[': return new ArrayList<>(items(count()));
                case '(': return made(items(count()));
                default: throw new IllegalArgumentException("a request of another form");
            }
        }

        private List<Object> items(int count) {
            List<Object> found = new ArrayList<>();
            for (int i = 0; i < count; i++) found.add(value());
            return found;
        }

        private long longer(int digits) {
            long value = 0;
            for (int i = 0; i < Math.abs(digits); i++, at += 2) {
                value |= (long) (data[at] & 0xFF | (data[at + 1] & 0xFF) << 8) << (15 * i);
            }
            return digits < 0 ? -value : value;
        }

        private String string(int length) {
            at += length;
            return new String(data, at - length, length, StandardCharsets.UTF_8);
        }

        private static Object made(List<Object> tuple) {
            List<Object> content = tuple.subList(1, tuple.size());
            return MAKERS.getOrDefault(String.valueOf(tuple.get(0)), given -> pair(given)).apply(content);
        }

        private static final Map<String, Function<List<Object>, Object>> MAKERS = Map.of(
                "Float", given -> ((Double) given.get(0)).floatValue(),
                "Integer", given -> ((Long) given.get(0)).intValue(),
                "Optional", given -> given.isEmpty() ? Optional.empty() : Optional.of(given.get(0)),
                "entry", given -> given.toArray(),
                "Map", given -> {
                    Map<Object, Object> map = new LinkedHashMap<>();
                    for (Object each : given) map.put(((Object[]) each)[0], ((Object[]) each)[1]);
                    return new HashMap<>(map);
                });

        /** A pair of javatuples, which this program is not compiled against. */
        private static Object pair(List<Object> content) {
            try {
                Class<?> pair = Class.forName(TUPLES + "Pair", true, Thread.currentThread().getContextClassLoader());
                return pair.getMethod("with", Object.class, Object.class).invoke(null, content.get(0), content.get(1));
            } catch (ReflectiveOperationException error) {
                throw new IllegalStateException(error);
            }
        }
    }
}
