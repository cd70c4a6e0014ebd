package ours.ledger;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** Lists of entries. */
public final class Lists {
    private Lists() {
    }

    /** The entries without repetitions, in order. */
    public static List<String> unique(List<String> entries) {
        return new ArrayList<>(new LinkedHashSet<>(entries));
    }

    /** How often each entry occurs. */
    public static Map<String, Integer> counts(List<String> entries) {
        Map<String, Integer> found = new LinkedHashMap<>();
        for (String each : entries) {
            found.merge(each, 1, Integer::sum);
        }
        return found;
    }

    /** The entries in parts of at most a size. */
    public static List<List<String>> parts(List<String> entries, int size) {
        List<List<String>> found = new ArrayList<>();
        for (int at = 0; at < entries.size(); at += size) {
            found.add(new ArrayList<>(entries.subList(at, Math.min(at + size, entries.size()))));
        }
        return found;
    }

    /** The first longest entry; empty without entries. */
    public static String longest(List<String> entries) {
        String found = "";
        for (String each : entries) {
            if (each.length() > found.length()) {
                found = each;
            }
        }
        return found;
    }

    /** Entries of both lists in turn. */
    public static List<String> zipped(List<String> a, List<String> b) {
        List<String> found = new ArrayList<>();
        for (int at = 0; at < Math.max(a.size(), b.size()); at++) {
            if (at < a.size()) {
                found.add(a.get(at));
            }
            if (at < b.size()) {
                found.add(b.get(at));
            }
        }
        return found;
    }

    /** The entries sorted, the last one first. */
    public static List<String> descending(List<String> entries) {
        List<String> found = new ArrayList<>(entries);
        found.sort(Collections.reverseOrder());
        return found;
    }

    /** Whether the entries are in order. */
    public static boolean isSorted(List<String> entries) {
        for (int at = 1; at < entries.size(); at++) {
            if (entries.get(at - 1).compareTo(entries.get(at)) > 0) {
                return false;
            }
        }
        return true;
    }

    /** The entries moved to the left by a number of places. */
    public static List<String> rotated(List<String> entries, int by) {
        List<String> found = new ArrayList<>(entries);
        Collections.rotate(found, -by);
        return found;
    }

    /** The place of an entry in a sorted list; -1 without it. */
    public static int place(List<String> entries, String wanted) {
        int found = Collections.binarySearch(entries, wanted);
        return Math.max(found, -1);
    }

    /** A label for the log. Nothing reads it yet. */
    public static String label(List<String> entries) {
        return "entries: " + entries.size();
    }
}
