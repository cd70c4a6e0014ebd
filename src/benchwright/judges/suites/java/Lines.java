package benchwright.inside;

/** Text as one line of fields: what would break the line is written as a backslash, a u and four digits. */
final class Lines {
    static final int LONGEST = 300;

    private Lines() {}

    static String of(String... fields) {
        StringBuilder line = new StringBuilder();
        for (String field : fields) {
            if (line.length() > 0) line.append('\t');
            escape(field, line);
        }
        return line.toString();
    }

    /** A field as it was before it was escaped. */
    static String plain(String field) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < field.length(); at++) {
            if (field.charAt(at) != '\\') {
                text.append(field.charAt(at));
            } else {
                text.append((char) Integer.parseInt(field.substring(at + 2, at + 6), 16));
                at += 5;
            }
        }
        return text.toString();
    }

    private static void escape(String field, StringBuilder line) {
        String text = field == null ? "" : field;
        int end = Math.min(text.length(), LONGEST);
        for (int at = 0; at < end; at++) {
            char one = text.charAt(at);
            if (one >= ' ' && one != '\\' && one != 0x7f) {
                line.append(one);
            } else {
                line.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) line.append("0123456789abcdef".charAt(one >> shift & 15));
            }
        }
    }
}
