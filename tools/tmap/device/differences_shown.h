/* What a device did differently, for people: elements with both values, and the case as a spec. */
#ifndef TMAP_TOOL_DIFFERENCES_SHOWN_H
#define TMAP_TOOL_DIFFERENCES_SHOWN_H

#include "tmap/unstable/emit.h"
#include "tmap/unstable/probe.h"

/* The lines under a differing copy: how it ended, elements, strays, the cause. Axes innermost first, or NULL. */
void finding_print(tmap_sink *sink, const tmap_probe *probe, const tmap_probe_report *report, const char *const *axes);
/* The same as members of the open JSON object. */
void finding_json(tmap_json *json, const tmap_probe *probe, const tmap_probe_report *report);

/* The probe as a spec file with one tensor and one copy. */
void finding_print_spec(tmap_sink *sink, const tmap_probe *probe, const char *name);

#endif
