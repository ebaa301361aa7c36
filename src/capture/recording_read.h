/* Recordings of copies from a file's nodes. */
#pragma once

#include "spec/node.h"
#include "tmap/unstable/recording.h"

/* What a file says of its kind; NULL when it says nothing. */
const tmap_node *tmap_recording_kind(const tmap_node *root);
/* Whether a file says that it is a recording of copies. */
bool tmap_recording_is(const tmap_node *root);
/* What could be read; NULL when there is no memory. Findings go to the report. */
tmap_recording *tmap_recording_of_node(const tmap_node *root, const tmap_allocator *allocator, tmap_report *report);
