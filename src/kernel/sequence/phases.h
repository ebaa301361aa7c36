/* sequence: the phases of the events of an execution; calls of order.c. */
#pragma once

#include "sequence/order.h"

/* Notes that another execution may have another phase of a step, if `varies`. */
void tmap_order_vary(tmap_order *order, uint32_t step, bool varies);
/* Call before an event changes the sets of the order. */
void tmap_order_judge_phase(tmap_order *order, const tmap_machine *machine, const tmap_event *event);
/* Ends a phase of a barrier by an event of a step. */
void tmap_order_end_phase(tmap_order *order, size_t barrier, uint32_t step);
