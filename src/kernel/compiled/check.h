/* compiled: the static rules. Each function judges one kernel or the whole text and adds findings of the rule table. */
#pragma once

#include "compiled/copies.h"

#define PTX_WORK_MAX ((uint64_t)1 << 28) /* limit of ptx_check.work; a kernel that needs more is not judged */

/* Texts that the static rules and the execution share. */
#define PTX_FIX_TX        "expect the sum of the bytes of the copies that complete at the mbarrier in one phase"
#define PTX_FIX_FENCE(of) "add fence.proxy.async.shared::cta after the " of ", before the barrier of the threads"

typedef struct ptx_check {
    const tmap_compiled *compiled;
    tmap_judge judge; /* with the target's architecture */
    tmap_diags *diags;
    tmap_diag unseen; /* a finding that does not fit into the list */
    uint64_t work;    /* steps so far of searches that need more than one step for each instruction */
    bool refused, no_memory;
} ptx_check;

/*
 * Adds a finding of a rule about an instruction, at most as severe as `most`, with the message of `format`. With `fix`
 * NULL the caller adds the fix. Returns the finding; if the list has no room, check->unseen.
 */
tmap_diag *ptx_report(ptx_check *check, const char *slug, tmap_severity most, uint32_t instruction, const char *fix,
                      const char *format, ...) TMAP_PRINTF(6, 7);
/* Whether the judge hides the finding: its rule is off. */
bool ptx_is_off(const ptx_check *check, const tmap_diag *diag);
/* Adds `diag`, a finding of the rules of maps and copies, with the place of an instruction. */
tmap_diag *ptx_report_again(ptx_check *check, tmap_diag *diag, uint32_t instruction);
/* Whether `diag` is advice, and the kernel has advice of the same rule in `diags` (may be NULL): it is given once. */
bool ptx_is_advised(const tmap_diags *diags, const tmap_diag *diag, const char *kernel);

/* The end of the shared memory of a thread block, whose first KiB the system uses: the largest of the architectures
 * (0: of all). */
uint64_t ptx_window_end(tmap_archs archs);
/* The rules of maps and copies, for the values of a copy that are known. */
void ptx_check_by_rules(ptx_check *check, const ptx_copy *copy);
void ptx_check_words(ptx_check *check);    /* the words of mnemonics */
void ptx_check_copies(ptx_check *check);   /* forms, operands, maps */
void ptx_check_barriers(ptx_check *check); /* places, inits, bytes */
void ptx_check_order(ptx_check *check);    /* fences, groups */
