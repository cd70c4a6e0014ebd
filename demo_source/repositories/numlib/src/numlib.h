#ifndef NUMLIB_H
#define NUMLIB_H
#include <stddef.h>

long num_gcd(long a, long b);
long num_lcm(long a, long b);
int num_is_prime(int number);
long num_power(long base, int exponent);
long num_clamp(long value, long low, long high);
int num_digit_sum(long number);
long num_reverse(long number);
int num_bits(unsigned long number);
long num_root(long number);
int num_steps(long number);
int txt_count(const char *text, char wanted);
int txt_is_palindrome(const char *text);
void txt_reverse(char *text);
int txt_words(const char *text);
int txt_starts(const char *text, const char *start);
int txt_last(const char *text, char wanted);
long txt_number(const char *text);
int txt_is_balanced(const char *text);
unsigned txt_checksum(const char *text);
int txt_run(const char *text);
long arr_sum(const int *values, int count);
int arr_largest(const int *values, int count);
int arr_count_from(const int *values, int count, int bound);
int arr_is_sorted(const int *values, int count);
void arr_sort(int *values, int count);
int arr_find(const int *values, int count, int wanted);
long arr_best_part(const int *values, int count);
int arr_unique(int *values, int count);
long arr_product(const int *a, const int *b, int count);
void arr_note(int count);

#endif
