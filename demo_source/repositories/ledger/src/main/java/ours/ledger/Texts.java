package ours.ledger;

/** Texts of entries. */
public final class Texts {
    private Texts() {
    }

    /** A text with its characters in reverse order. */
    public static String reversed(String text) {
        return new StringBuilder(text).reverse().toString();
    }

    /** Cents as euros: 1234 is "12.34". */
    public static String euros(long cents) {
        return cents / 100 + "." + (cents % 100 < 10 ? "0" : "") + cents % 100;
    }

    /** The number of words in a text. */
    public static int words(String text) {
        String plain = text.trim();
        return plain.isEmpty() ? 0 : plain.split("\\s+").length;
    }

    /** A text with its first letter in upper case. */
    public static String capital(String text) {
        if (text.isEmpty()) {
            return text;
        }
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    /** A text of at least a width, filled up on the left. */
    public static String padded(String text, int width, char fill) {
        StringBuilder made = new StringBuilder();
        for (int at = text.length(); at < width; at++) {
            made.append(fill);
        }
        return made.append(text).toString();
    }

    /** How often a character occurs. */
    public static int count(String text, char wanted) {
        int found = 0;
        for (char each : text.toCharArray()) {
            found += each == wanted ? 1 : 0;
        }
        return found;
    }

    /** Whether all brackets are closed in order. */
    public static boolean isBalanced(String text) {
        int open = 0;
        for (char each : text.toCharArray()) {
            open += each == '(' ? 1 : each == ')' ? -1 : 0;
            if (open < 0) {
                return false;
            }
        }
        return open == 0;
    }

    /** The part before a separator; the whole text without one. */
    public static String before(String text, String separator) {
        int at = text.indexOf(separator);
        return at < 0 ? text : text.substring(0, at);
    }

    /** A text without its vowels. */
    public static String withoutVowels(String text) {
        return text.replaceAll("[aeiouAEIOU]", "");
    }

    /** A text in which each letter is moved by a number of places. */
    public static String shifted(String text, int by) {
        StringBuilder made = new StringBuilder();
        for (char each : text.toCharArray()) {
            boolean letter = each >= 'a' && each <= 'z';
            made.append(letter ? (char) ('a' + (each - 'a' + by) % 26) : each);
        }
        return made.toString();
    }
}
