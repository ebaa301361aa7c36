/* Makes recordings of copies from a file's nodes. */
#pragma once

#include "spec/node.h"
#include "tmap/unstable/recording.h"

/* The node with the kind of the file; NULL if the file has none. */
const tmap_node *tmap_recording_kind(const tmap_node *root);
/* Whether the file's kind is a recording of copies. */
/* As tmap_tree_build, for a recording. Returns false after a report: the text is not YAML, or no recording. */
bool tmap_recording_build(tmap_tree *tree, const char *text, size_t size, tmap_report *report);
/* Reports a kind that no recording has. */
void tmap_refuse_recording_kind(const tmap_node *kind, tmap_report *report);
bool tmap_recording_is(const tmap_node *root);
/* The part of the recording that could be read; NULL when an allocation fails. Findings go to the report. */
tmap_recording *tmap_recording_of_node(const tmap_node *root, const tmap_allocator *allocator, tmap_report *report);
