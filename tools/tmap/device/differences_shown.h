/* What a device did differently, for people: elements with both values, and the case as a spec. */
#pragma once

#include "output/result.h"
#include "tmap/unstable/probe.h"
#include "util/json.h"

/* How a copy differs: in text the lines under it, with elements, strays and the cause; in JSON members of the open
 * object. Axes innermost first, or NULL. */
void finding_write(result_sink *out, const tmap_probe *probe, const tmap_probe_report *report, const char *const *axes);

/* The probe as a spec file with one tensor and one copy. */
void finding_print_spec(tmap_sink *sink, const tmap_probe *probe, const char *name);
