/* Numbers. */
#include "numlib.h"

/* Return the greatest common divisor of two positive numbers. */
long num_gcd(long a, long b)
{
    while (b != 0) {
        long rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Return the least common multiple of two positive numbers. */
long num_lcm(long a, long b)
{
    return a / num_gcd(a, b) * b;
}

/* Return 1 for a prime number, else 0. */
int num_is_prime(int number)
{
    if (number < 2)
        return 0;
    for (int each = 2; each * each <= number; each++)
        if (number % each == 0)
            return 0;
    return 1;
}

/* Return a power with a whole exponent of at least 0. */
long num_power(long base, int exponent)
{
    long result = 1;
    while (exponent-- > 0)
        result *= base;
    return result;
}

/* Return the number moved into the range from low to high. */
long num_clamp(long value, long low, long high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

/* Return the sum of the decimal digits of a number from 0. */
int num_digit_sum(long number)
{
    int sum = 0;
    while (number > 0) {
        sum += number % 10;
        number /= 10;
    }
    return sum;
}

/* Return the number with its decimal digits in reverse order. */
long num_reverse(long number)
{
    long result = 0;
    while (number > 0) {
        result = result * 10 + number % 10;
        number /= 10;
    }
    return result;
}

/* Return how many bits of a number are set. */
int num_bits(unsigned long number)
{
    int count = 0;
    while (number) {
        count += number & 1;
        number >>= 1;
    }
    return count;
}

/* Return the largest whole number whose square is not above the number. */
long num_root(long number)
{
    long root = 0;
    while ((root + 1) * (root + 1) <= number)
        root++;
    return root;
}

/* Return the number of steps of the Collatz sequence down to 1. */
int num_steps(long number)
{
    int steps = 0;
    while (number != 1) {
        number = number % 2 ? 3 * number + 1 : number / 2;
        steps++;
    }
    return steps;
}
