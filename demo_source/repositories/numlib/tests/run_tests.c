/* Prints a line for each test, and ends with the number of failures. */
#include "numlib.h"
#include <stdio.h>
#include <string.h>

static int failures;
static const int FIVE[] = {3, 1, 4, 1, 5}, SORTED[] = {1, 3, 5, 7}, MIXED[] = {-1, 2, 4, -9};

static void check(const char *name, int holds)
{
    printf("%s %s\n", holds ? "ok" : "FAIL", name);
    fflush(stdout);
    failures += !holds;
}

static char *reversed(const char *text)
{
    static char copy[16];
    strcpy(copy, text);
    txt_reverse(copy);
    return copy;
}

static int sorted_ok(void)
{
    int values[] = {3, 1, 2};
    arr_sort(values, 3);
    return values[0] == 1 && values[1] == 2 && values[2] == 3;
}

static int unique_ok(void)
{
    int values[] = {1, 1, 2, 1};
    return arr_unique(values, 4) == 3 && values[0] == 1 && values[1] == 2 && values[2] == 1;
}

int main(void)
{
    check("num_gcd", num_gcd(12, 18) == 6);
    check("num_lcm", num_lcm(4, 6) == 12);
    check("num_is_prime", num_is_prime(13) && !num_is_prime(9) && !num_is_prime(1));
    check("num_power", num_power(3, 4) == 81 && num_power(7, 0) == 1);
    check("num_clamp", num_clamp(9, 0, 5) == 5 && num_clamp(-9, 0, 5) == 0 && num_clamp(3, 0, 5) == 3);
    check("num_digit_sum", num_digit_sum(1234) == 10);
    check("num_reverse", num_reverse(1230) == 321);
    check("num_bits", num_bits(13) == 3 && num_bits(0) == 0);
    check("num_root", num_root(17) == 4 && num_root(16) == 4);
    check("num_steps", num_steps(6) == 8);
    check("txt_count", txt_count("abca", 'a') == 2);
    check("txt_is_palindrome", txt_is_palindrome("abba") && !txt_is_palindrome("ab"));
    check("txt_reverse", strcmp(reversed("abc"), "cba") == 0);
    check("txt_words", txt_words(" a  b ") == 2 && txt_words("") == 0);
    check("txt_starts", txt_starts("abc", "ab") && !txt_starts("a", "ab"));
    check("txt_last", txt_last("abca", 'a') == 3 && txt_last("b", 'a') == -1);
    check("txt_number", txt_number("120b") == 120 && txt_number("b") == 0);
    check("txt_is_balanced", txt_is_balanced("(a)") && !txt_is_balanced(")(") && !txt_is_balanced("("));
    check("txt_checksum", txt_checksum("ab") == 97 + 2 * 98);
    check("txt_run", txt_run("abbbc") == 3 && txt_run("") == 0);
    check("arr_sum", arr_sum(FIVE, 5) == 14);
    check("arr_largest", arr_largest(FIVE, 5) == 4 && arr_largest(FIVE, 0) == -1);
    check("arr_count_from", arr_count_from(FIVE, 5, 3) == 3);
    check("arr_is_sorted", !arr_is_sorted(FIVE, 5) && arr_is_sorted(FIVE, 1));
    check("arr_sort", sorted_ok());
    check("arr_find", arr_find(SORTED, 4, 5) == 2 && arr_find(SORTED, 4, 4) == -1);
    check("arr_best_part", arr_best_part(MIXED, 4) == 6);
    check("arr_unique", unique_ok());
    check("arr_product", arr_product(SORTED, SORTED, 2) == 10);
    arr_note(5);
    check("canary", 1 + 1 == 2);
    return failures != 0;
}
