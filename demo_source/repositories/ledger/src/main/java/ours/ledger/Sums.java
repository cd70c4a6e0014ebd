package ours.ledger;

/** Sums of amounts in cents. */
public final class Sums {
    private Sums() {
    }

    /** The sum of all amounts. */
    public static long total(long[] amounts) {
        long sum = 0;
        for (long each : amounts) {
            sum += each;
        }
        return sum;
    }

    /** The largest amount; 0 without amounts. */
    public static long largest(long[] amounts) {
        long found = amounts.length == 0 ? 0 : amounts[0];
        for (long each : amounts) {
            found = Math.max(found, each);
        }
        return found;
    }

    /** An amount with interest in per cent, rounded down. */
    public static long withInterest(long amount, int percent) {
        return amount + amount * percent / 100;
    }

    /** The amounts of at least a bound, counted. */
    public static int countFrom(long[] amounts, long bound) {
        int count = 0;
        for (long each : amounts) {
            if (each >= bound) {
                count++;
            }
        }
        return count;
    }

    /** The balance after each amount. */
    public static long[] balances(long[] amounts) {
        long[] found = new long[amounts.length];
        long balance = 0;
        for (int at = 0; at < amounts.length; at++) {
            balance += amounts[at];
            found[at] = balance;
        }
        return found;
    }

    /** The greatest common divisor of two positive numbers. */
    public static long divisor(long a, long b) {
        while (b != 0) {
            long rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }

    /** Whether a number is prime. */
    public static boolean isPrime(int number) {
        if (number < 2) {
            return false;
        }
        for (int each = 2; each * each <= number; each++) {
            if (number % each == 0) {
                return false;
            }
        }
        return true;
    }

    /** An amount in equal shares; the first ones get the rest. */
    public static long[] shares(long amount, int count) {
        long[] found = new long[count];
        for (int at = 0; at < count; at++) {
            found[at] = amount / count + (at < amount % count ? 1 : 0);
        }
        return found;
    }

    /** The sum of the digits of a number from 0. */
    public static int digitSum(long number) {
        int sum = 0;
        while (number > 0) {
            sum += (int) (number % 10);
            number /= 10;
        }
        return sum;
    }

    /** A number moved into the range from low to high. */
    public static long clamp(long value, long low, long high) {
        return Math.max(low, Math.min(value, high));
    }
}
