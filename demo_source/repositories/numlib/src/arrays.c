/* Arrays. */
#include "numlib.h"

static int last_count;

/* Return the sum of an array. */
long arr_sum(const int *values, int count)
{
    long sum = 0;
    for (int at = 0; at < count; at++)
        sum += values[at];
    return sum;
}

/* Return the place of the largest value; -1 for an empty array. */
int arr_largest(const int *values, int count)
{
    int best = count ? 0 : -1;
    for (int at = 1; at < count; at++)
        if (values[at] > values[best])
            best = at;
    return best;
}

/* Return how many values are at least a bound. */
int arr_count_from(const int *values, int count, int bound)
{
    int found = 0;
    for (int at = 0; at < count; at++)
        found += values[at] >= bound;
    return found;
}

/* Return 1 if no value is below the one before it. */
int arr_is_sorted(const int *values, int count)
{
    for (int at = 1; at < count; at++)
        if (values[at] < values[at - 1])
            return 0;
    return 1;
}

/* Sort an array in ascending order. */
void arr_sort(int *values, int count)
{
    for (int at = 1; at < count; at++) {
        int value = values[at], place = at;
        for (; place && values[place - 1] > value; place--)
            values[place] = values[place - 1];
        values[place] = value;
    }
}

/* Return the place of a value in a sorted array, or -1. */
int arr_find(const int *values, int count, int wanted)
{
    int low = 0;
    while (low < count) {
        int middle = low + (count - low) / 2;
        if (values[middle] == wanted)
            return middle;
        if (values[middle] < wanted)
            low = middle + 1;
        else
            count = middle;
    }
    return -1;
}

/* Return the largest sum of neighbouring values; at least 0. */
long arr_best_part(const int *values, int count)
{
    long best = 0, sum = 0;
    for (int at = 0; at < count; at++) {
        sum = sum + values[at] > 0 ? sum + values[at] : 0;
        if (sum > best)
            best = sum;
    }
    return best;
}

/* Remove repeated neighbours in place, and return the new length. */
int arr_unique(int *values, int count)
{
    int kept = 0;
    for (int at = 0; at < count; at++)
        if (!kept || values[kept - 1] != values[at])
            values[kept++] = values[at];
    return kept;
}

/* Return the scalar product of two arrays. */
long arr_product(const int *a, const int *b, int count)
{
    long sum = 0;
    for (int at = 0; at < count; at++)
        sum += (long)a[at] * b[at];
    return sum;
}

/* Remember the size of the last array. No test reads it. */
void arr_note(int count)
{
    last_count = count;
}
