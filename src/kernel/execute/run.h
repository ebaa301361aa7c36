/* execute: one run of a kernel, from its launch to its end. */
#pragma once

#include "execute/machine.h"

/* Runs all warps until they end, stop, or wait for ever. Then judges what is left. */
void run_all(run_machine *m);
