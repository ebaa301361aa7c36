/*
 * The integers of the spec format: a number that was read is read again from its decimal form, and a suggested number
 * is read.
 */
#include "text/number.h"
#include "fuzz/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void require_decimal_form(const tmap_integer *number) {
    char text[TMAP_NUMBER_TEXT_MAX];
    int size = snprintf(text, sizeof text, "%s%" PRIu64, number->negative ? "-" : "", number->magnitude);
    tmap_integer again;
    REQUIRE(tmap_number_parse(text, (size_t)size, &again) == TMAP_NUMBER_OK);
    REQUIRE(again.negative == number->negative && again.magnitude == number->magnitude);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const tmap_integer untouched = {true, 42};
    tmap_integer number = untouched;
    char suggestion[TMAP_NUMBER_TEXT_MAX];
    if (tmap_number_parse((const char *)data, size, &number) == TMAP_NUMBER_OK) {
        REQUIRE(!number.negative || number.magnitude != 0);
        require_decimal_form(&number);
    } else {
        REQUIRE(number.negative == untouched.negative && number.magnitude == untouched.magnitude);
        if (tmap_number_suggest((const char *)data, size, suggestion)) {
            REQUIRE(memchr(suggestion, '\0', sizeof suggestion) != NULL);
            REQUIRE(tmap_number_parse(suggestion, strlen(suggestion), &number) == TMAP_NUMBER_OK);
        }
    }
    return 0;
}
