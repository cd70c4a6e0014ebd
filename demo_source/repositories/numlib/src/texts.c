/* Texts. */
#include "numlib.h"
#include <string.h>

/* Return how often a character occurs in a text. */
int txt_count(const char *text, char wanted)
{
    int count = 0;
    for (; *text; text++)
        count += *text == wanted;
    return count;
}

/* Return 1 if a text reads the same in both directions. */
int txt_is_palindrome(const char *text)
{
    size_t last = strlen(text);
    for (size_t at = 0; at < last / 2; at++)
        if (text[at] != text[last - 1 - at])
            return 0;
    return 1;
}

/* Reverse a text in place. */
void txt_reverse(char *text)
{
    size_t length = strlen(text);
    for (size_t at = 0; at < length / 2; at++) {
        char kept = text[at];
        text[at] = text[length - 1 - at];
        text[length - 1 - at] = kept;
    }
}

/* Return the number of words, separated by spaces. */
int txt_words(const char *text)
{
    int count = 0, inside = 0;
    for (; *text; text++) {
        if (*text != ' ' && !inside)
            count++;
        inside = *text != ' ';
    }
    return count;
}

/* Return 1 if a text begins with another one. */
int txt_starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Return the place of the last occurrence of a character, or -1. */
int txt_last(const char *text, char wanted)
{
    int found = -1;
    for (int at = 0; text[at]; at++)
        if (text[at] == wanted)
            found = at;
    return found;
}

/* Return the value of a decimal number at the start of a text. */
long txt_number(const char *text)
{
    long value = 0;
    while (*text >= '0' && *text <= '9')
        value = value * 10 + (*text++ - '0');
    return value;
}

/* Return 1 if all round brackets are closed in order. */
int txt_is_balanced(const char *text)
{
    int open = 0;
    for (; *text; text++) {
        open += (*text == '(') - (*text == ')');
        if (open < 0)
            return 0;
    }
    return open == 0;
}

/* Return a checksum: the sum of all characters times their place. */
unsigned txt_checksum(const char *text)
{
    unsigned sum = 0;
    for (unsigned at = 1; *text; at++, text++)
        sum += at * (unsigned char)*text;
    return sum;
}

/* Return the length of the longest run of one character. */
int txt_run(const char *text)
{
    int best = 0, run = 0;
    for (int at = 0; text[at]; at++) {
        run = at && text[at] == text[at - 1] ? run + 1 : 1;
        if (run > best)
            best = run;
    }
    return best;
}
