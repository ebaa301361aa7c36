/* Loses memory: tests the search for leaks, which some options of AddressSanitizer disable. */
#include <stdlib.h>

int main(void) {
    void *volatile last = NULL;
    for (int i = 0; i < 10; i++) last = malloc(16);
    return last == NULL;
}
