/*
 * NULL for each pointer of the unstable functions that return a status and that the compiler does not reject. The
 * functions return TMAP_BAD_ARGUMENT before they read anything: the other pointers point to zeros.
 */
#include <stddef.h>

#include "null_rows.h"
#include "tmap/unstable/recording.h"
#include "tmap/unstable/tmap.h"

static max_align_t zeros[4096];
static void *const some = zeros;

TEST(drivers) {
    NULL_IN(tmap_driver_encode, driver, BAD, NULL, some, 0, some, some);
    NULL_IN(tmap_driver_encode, params, BAD, some, NULL, 0, some, some);
    NULL_IN(tmap_driver_encode, descriptor, BAD, some, some, 0, NULL, some);
    NULL_IN(tmap_driver_encode, result, BAD, some, some, 0, some, NULL);
    NULL_IN(tmap_driver_replace_address, driver, BAD, NULL, some, 0, some);
    NULL_IN(tmap_driver_replace_address, descriptor, BAD, some, NULL, 0, some);
    NULL_IN(tmap_driver_replace_address, result, BAD, some, some, 0, NULL);
}

TEST(files) {
    NULL_IN(tmap_recording_read, path, BAD, some, 0, NULL, NULL, NULL, some);
    NULL_IN(tmap_recording_read, recording, BAD, some, 0, some, NULL, NULL, NULL);
    NULL_IN(tmap_spec_read, path, BAD, some, 0, NULL, NULL, NULL, some);
    NULL_IN(tmap_spec_read, spec, BAD, some, 0, some, NULL, NULL, NULL);
    NULL_IN(tmap_spec_read_sized, path, BAD, some, 0, NULL, some, 0, NULL, NULL, some);
    NULL_IN(tmap_spec_read_sized, spec, BAD, some, 0, some, some, 0, NULL, NULL, NULL);
    NULL_IN(tmap_spec_check_sizes, conditions, BAD, some, NULL, NULL, NULL);
    NULL_IN(tmap_spec_map, map, BAD, some, 0, NULL, NULL, NULL);
    NULL_IN(tmap_spec_copy_init, out, BAD, some, 0, NULL, NULL, NULL);
    NULL_IN(tmap_spec_replacement_init, out, BAD, some, 0, NULL, NULL, NULL);
    NULL_IN(tmap_spec_format, sink, BAD, some, 0, some, NULL, NULL);
}

TEST(copies) {
    NULL_IN(tmap_copy_traffic, copy, BAD, NULL, NULL, some);
}
