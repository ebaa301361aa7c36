/* -D NAME=VALUE. Commands open specs in several places, far from their options, so the values are stored here. */
#include "options/size_options.h"

#include <stdio.h>
#include <string.h>

#include "output/exit_code.h"
#include "output/messages.h"
#include "text/words.h"

#define NAME_SIZE 64

static given_sizes given;
static char names[GIVEN_SIZES_MAX][NAME_SIZE];

const given_sizes *sizes_given(void) {
    return &given;
}

static size_t place_of(const char *name, size_t length) {
    size_t i = 0;
    while (i < given.n && !text_is(name, length, names[i])) i++;
    return i;
}

bool take_size(void *at, const char *value) {
    (void)at;
    uint64_t number;
    size_t length = strcspn(value, "=");
    bool good = length > 0 && length < NAME_SIZE && value[length] == '=' && parse_number(value + length + 1, &number);
    if (!good) return wrong_usage("-D requires NAME=VALUE, for example N=4096, not '%s'", value);
    size_t i = place_of(value, length);
    if (i == GIVEN_SIZES_MAX) return wrong_usage("at most %d values of -D", GIVEN_SIZES_MAX);
    snprintf(names[i], NAME_SIZE, "%.*s", (int)length, value);
    given.values[i] = (tmap_size_value){names[i], number};
    if (i == given.n) given.n++;
    return true;
}
