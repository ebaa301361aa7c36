/*
 * Executed kernels of few lines. Expected verdicts of tensor memory: PTX ISA 9.1, 9.7.16.6.4 Canonical synchronization
 * patterns, with and without one of their parts. Others: PTX ISA 9.1, wgmma.wait_group,
 * clusterlaunchcontrol.try_cancel, cp.async.bulk; the parameters of a launch are those of cuLaunchKernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "tmap/codec.h"
#include "tmap/unstable/compiled.h"

typedef struct run_of_text {
    char text[6000];
    tmap_compiled *kernels;
    tmap_diags diags;
    tmap_compiled_run run;
} run_of_text;

/* Reads the kernel of a target with this body; `head`: its parameters and directives. */
static void read_kernel(run_of_text *r, const char *target, const char *head, const char *body) {
    memset(r, 0, sizeof *r);
    snprintf(r->text, sizeof r->text,
             ".version 9.0\n.target %s\n.entry k%s {\n.reg .pred %%p<9>;\n.reg .b16 %%h<9>;\n.reg .b32 %%r<30>;\n"
             ".reg .f32 %%f<9>;\n.reg .b64 %%rd<9>;\n.shared .align 8 .b64 bar[4];\n.shared .align 4 .b32 base;\n"
             ".shared .align 1024 .b8 box[4096];\nmov.u32 %%r8, %%tid.x;\nsetp.eq.u32 %%p1, %%r8, 0;\n%s\nret;\n}\n",
             target, head, body);
    assert_int_equal(tmap_compiled_read(r->text, strlen(r->text), NULL, NULL, &r->diags, &r->kernels, NULL), TMAP_OK);
    assert_int_equal(r->diags.count, 0);
}

static void execute(run_of_text *r, const tmap_size_value *params, size_t n) {
    const tmap_compiled_launch launch = {.steps_max = 100000, .params = params, .params_n = n};
    tmap_diags_free(&r->diags);
    r->diags = (tmap_diags){0};
    tmap_status status = tmap_compiled_execute(r->kernels, 0, &launch, NULL, &r->diags, &r->run);
    assert_true(status == TMAP_OK || status == TMAP_REFUSED);
}

static void end(run_of_text *r) {
    tmap_compiled_free(r->kernels);
    tmap_diags_free(&r->diags);
}

/* At least one error or warning is found, and all are of `rule`. `rule` NULL: none is found, and the kernel ends. */
static void expect(run_of_text *r, const char *name, const char *rule) {
    size_t n = 0;
    for (size_t i = 0; i < r->diags.count; i++) {
        const tmap_diag *diag = &r->diags.items[i];
        if (diag->severity == TMAP_ADVICE) continue;
        n++;
        if (!rule || strcmp(diag->rule, rule) != 0) fail_msg("%s: %s: %s", name, diag->rule, diag->message);
    }
    if (rule && n == 0) fail_msg("%s: no finding of %s", name, rule);
    if (!rule && !r->run.ended) fail_msg("%s: it does not end", name);
}

/* ---- Tensor memory: one warp, whose first thread issues the mma ---- */

#define WAIT(n, parity)                                                                                                \
    "wait_" #n ": mbarrier.try_wait.parity.shared.b64 %p2, [bar+" #n "], " #parity ";\n@!%p2 bra wait_" #n ";\n"
#define INIT "@%p1 mbarrier.init.shared.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
#define ALLOC                                                                                                          \
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 64;\nbar.sync 0;\nld.shared.b32 %r0, [base];\n"
#define MMA     "@%p1 tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd1, %rd2, 0x08100010, %p3;\n"
#define COMMIT  "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n"
#define LOAD    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4}, [%r0];\n"
#define STORE   "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r0], {%r4};\n"
#define WAIT_LD "tcgen05.wait::ld.sync.aligned;\n"
#define WAIT_ST "tcgen05.wait::st.sync.aligned;\n"
#define DEALLOC "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r0, 64;\n"
#define BEGIN   INIT "ld.global.u64 %rd1, [%rd0];\nld.global.u64 %rd2, [%rd0];\n" ALLOC
#define DONE    COMMIT WAIT(0, 0)

typedef struct pattern {
    const char *name, *body, *rule;
} pattern;

static const pattern tensor_patterns[] = {
    {"mma, ld", BEGIN MMA DONE LOAD WAIT_LD DEALLOC, NULL},
    {"mma, ld without a wait for the mma", BEGIN MMA COMMIT LOAD WAIT_LD WAIT(0, 0) DEALLOC, "sequence-order"},
    {"ld, mma", BEGIN STORE WAIT_ST LOAD WAIT_LD MMA DONE DEALLOC, NULL},
    /* compilers rely on the registers of a load: NVIDIA's attention of CuTe DSL 4.8 has no wait::ld for some loads */
    {"ld, mma without wait::ld", BEGIN STORE WAIT_ST LOAD MMA DONE WAIT_LD DEALLOC, NULL},
    {"st, ld without wait::st", BEGIN STORE LOAD WAIT_LD WAIT_ST DEALLOC, "sequence-order"},
    {"st, mma without wait::st", BEGIN STORE MMA DONE WAIT_ST DEALLOC, "sequence-order"},
    {"mma, mma", BEGIN MMA MMA DONE DEALLOC, NULL},
    {"st, st", BEGIN STORE WAIT_ST STORE WAIT_ST DEALLOC, NULL},
    {"st, st without wait::st", BEGIN STORE STORE WAIT_ST DEALLOC, "sequence-order"},
    {"mma, dealloc without a wait", BEGIN MMA COMMIT DEALLOC WAIT(0, 0), "sequence-order"},
    {"ld, dealloc without wait::ld", BEGIN MMA DONE LOAD DEALLOC WAIT_LD, NULL},
    {"no dealloc", BEGIN MMA DONE LOAD WAIT_LD, "sequence-allocation"},
    {"ld after the dealloc", BEGIN MMA DONE DEALLOC LOAD WAIT_LD, "sequence-allocation"},
    {"mma of other columns", BEGIN "add.u32 %r0, %r0, 64;\n" MMA DONE "sub.u32 %r0, %r0, 64;\n" DEALLOC,
     "sequence-allocation"},
    {"two allocations of the same columns", BEGIN DEALLOC "bar.sync 0;\n" ALLOC MMA DONE DEALLOC "bar.sync 0;\n", NULL},
};

TEST(tensor_memory_is_ordered) {
    static run_of_text r;
    for (size_t i = 0; i < sizeof tensor_patterns / sizeof *tensor_patterns; i++) {
        read_kernel(&r, "sm_100a", "() .reqntid 32", tensor_patterns[i].body);
        execute(&r, NULL, 0);
        expect(&r, tensor_patterns[i].name, tensor_patterns[i].rule);
        end(&r);
    }
}

/* ---- Others ---- */

#define BULK                                                                                                           \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n@%p1 cp.async.bulk.shared::cluster.global."              \
    "mbarrier::complete_tx::bytes [box], [%rd5], 64, [bar];\n"
#define POINTER "(.param .u64 k_param_0) .reqntid 32"
#define MOVE(place, bytes, barrier)                                                                                    \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [" barrier "], " bytes ";\n@%p1 cp.async.bulk.shared::cluster."      \
    "global.mbarrier::complete_tx::bytes [" place "], [%rd5], 1024, [" barrier "];\n"
#define ROUND(bytes, parity)                                                                                           \
    MOVE("box", bytes, "bar")                                                                                          \
    "wait: mbarrier.try_wait.parity.shared.b64 %p2, [bar], " parity ";\n@!%p2 bra wait;\nld.shared.b32 %r9, [box];\n"  \
    "bar.sync 0;\n"
#define LOOP(bytes, parity)                                                                                            \
    INIT "ld.param.u64 %rd6, [k_param_0];\nld.global.u32 %r1, [%rd6];\nld.global.u32 %r2, [%rd6+4];\n"                 \
         "sub.u32 %r3, %r2, %r1;\nmov.u32 %r5, 0;\nloop: setp.ge.u32 %p3, %r5, %r3;\n@%p3 bra over;\n"                 \
         "shr.u32 %r6, %r5, 6;\nand.b32 %r7, %r6, 1;\n" ROUND(bytes,                                                   \
                                                              parity) "add.u32 %r5, %r5, 64;\nbra loop;\nover:\n"
#define COUNTER(bytes)                                                                                                 \
    INIT "ld.param.u64 %rd6, [k_param_0];\nmov.u32 %r5, 0;\nloop: @%p1 atom.global.add.u32 %r1, [%rd6], 1;\n"          \
         "shfl.sync.idx.b32 %r1, %r1, 0, 31, -1;\nsetp.ge.u32 %p3, %r1, 1000;\n@%p3 bra over;\n"                       \
         "and.b32 %r7, %r5, 1;\n" ROUND(bytes, "%r7") "add.u32 %r5, %r5, 1;\nbra loop;\nover:\n"
#define OF_ZERO(barrier)                                                                                               \
    INIT "ld.param.u32 %r1, [k_param_1];\nsetp.gt.s32 %p3, %r1, 0;\n@%p3 bra some;\n" MOVE(                            \
        "box", "1024", barrier) "bra both;\nsome:\n" MOVE("box", "1024", "bar") "both:\n" WAIT(0, 0)
#define EMPTY "@%p1 mbarrier.init.shared.b64 [bar+8], 1;\n"
#define WGMMA                                                                                                          \
    "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd3, "        \
    "%rd3, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
#define FILL   "mov.u32 %r1, box;\nshr.u32 %r1, %r1, 4;\ncvt.u64.u32 %rd3, %r1;\n"
#define ARRIVE "@%p1 mbarrier.arrive.shared.b64 _, [bar+8];\n"
#define WRITE  "@%p1 st.shared.b32 [box], %r8;\n"
#define IGNORING                                                                                                       \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n@%p1 cp.async.bulk.shared::cta.global."                  \
    "mbarrier::complete_tx::bytes.ignore_oob [box], [%rd5], 64, 0, 0, [bar];\n"
#define CLUSTER "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
#define CANCEL(blocks)                                                                                                 \
    INIT CLUSTER "mov.u32 %r2, %cluster_ctarank;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"           \
                 "setp.eq.and.u32 %p4, %r2, 0, %p1;\n@%p4 clusterlaunchcontrol.try_cancel.async.shared::cta."          \
                 "mbarrier::complete_tx::bytes" blocks ".b128 [box], [bar];\n" WAIT(0, 0) CLUSTER

/* The block continues in place of others; the next response arrives after the phase. */
#define NEXT(parity)                                                                                                   \
    INIT ".reg .b128 %response;\nmov.u32 %r7, 0;\nmore: @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"     \
         "@%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [box], [bar];\n"    \
         "wait: mbarrier.try_wait.parity.shared.b64 %p2, [bar], " parity ";\n@!%p2 bra wait;\n"                        \
         "ld.shared.v2.b64 {%rd1, %rd2}, [box];\nmov.b128 %response, {%rd1, %rd2};\nxor.b32 %r7, %r7, 1;\n"            \
         "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %response;\nbar.sync 0;\n@%p3 bra more;\n"
/* A round for each 1024 of the parameter, in a ring of four stages. */
#define RING(parity)                                                                                                   \
    EMPTY "@%p1 mbarrier.init.shared.b64 [bar+16], 1;\n@%p1 mbarrier.init.shared.b64 [bar+24], 1;\n" INIT              \
          "ld.param.u32 %r6, [k_param_0];\nshr.u32 %r6, %r6, 10;\nmov.u32 %r5, 0;\nloop: setp.ge.u32 %p3, %r5, %r6;\n" \
          "@%p3 bra over;\nand.b32 %r1, %r5, 3;\nmov.u32 %r2, bar;\nmad.lo.u32 %r2, %r1, 8, %r2;\nmov.u32 %r3, box;\n" \
          "mad.lo.u32 %r3, %r1, 64, %r3;\nbfe.u32 %r7, %r5, 2, 1;\n"                                                   \
          "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 64;\n@%p1 cp.async.bulk.shared::cluster.global."        \
          "mbarrier::complete_tx::bytes [%r3], [%rd5], 64, [%r2];\nwait: mbarrier.try_wait.parity.shared.b64 %p2, "    \
          "[%r2], " parity ";\n@!%p2 bra wait;\nld.shared.b32 %r9, [%r3];\nbar.sync 0;\nadd.u32 %r5, %r5, 1;\n"        \
          "bra loop;\nover:\n"
#define AT_Y "mov.u32 %r1, %ctaid.y;\nsetp.eq.u32 %p3, %r1, 0;\n@%p3 bra over;\n"

#define OTHER                                                                                                          \
    "setp.lt.u32 %p5, %r8, 32;\nsetp.eq.u32 %p4, %r8, 32;\n" /* the first warp; the first thread of the second */
#define OTHER_MMA    "@%p4 tcgen05.mma.cta_group::1.kind::f16 [%r0], %rd1, %rd2, 0x08100010, %p3;\n"
#define OTHER_COMMIT "@%p4 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar+16];\n"
#define PUBLISH                                                                                                        \
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [box], 128;\n"
#define MADE /* the address of a map goes to the copy through shared memory */                                         \
    INIT "ld.param.u64 %rd1, [k_param_0];\nst.shared.u64 [box+3072], %rd1;\n" PUBLISH
#define MADE_COPY                                                                                                      \
    "bar.sync 0;\nld.shared.u64 %rd2, [box+3072];\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n"          \
    "@%p1 cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [box], [%rd2, {%r9}], "              \
    "[bar];\n" WAIT(0, 0)
#define MADE_STORE                                                                                                     \
    MADE "@%p1 st.shared.b32 [box], %r8;\nfence.proxy.async.shared::cta;\nfence.proxy.tensormap::generic.acquire.gpu " \
         "[%rd1], 128;\n@%p1 cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r9}], [box];\n"            \
         "cp.async.bulk.commit_group;\n"

/* Each of two blocks copies 64 bytes, which a copy wrote, to place 1024 of the other, and expects 64 there. */
#define PAIR "() .reqntid 32 .reqnctapercluster 2"
#define PEER(bytes)                                                                                                    \
    "@%p1 mbarrier.init.shared.b64 [bar+16], 1;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar+16], 64;\n" INIT    \
    "barrier.cluster.arrive;\nbarrier.cluster.wait;\n" BULK WAIT(                                                      \
        0, 0) "mov.u32 %r3, %cluster_ctarank;\nxor.b32 %r3, %r3, 1;\nmov.u32 %r6, box;\nadd.u32 %r6, %r6, 1024;\n"     \
              "mapa.shared::cluster.u32 %r4, %r6, %r3;\nmov.u32 %r6, bar;\nadd.u32 %r6, %r6, 16;\n"                    \
              "mapa.shared::cluster.u32 %r5, %r6, %r3;\n@%p1 cp.async.bulk.shared::cluster.shared::cta"                \
              ".mbarrier::complete_tx::bytes [%r4], [box], " bytes ", [%r5];\n"
#define READ  "ld.shared.b32 %r7, [box+1024];\n"
#define LEAVE "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"

static const struct {
    const char *name, *target, *head, *body, *rule;
} parts[] = {
    {"mma of two warps", "sm_100a", "() .reqntid 64",
     "@%p1 mbarrier.init.shared.b64 [bar+16], 1;\n" INIT OTHER "@%p5 " ALLOC MMA DONE
     "bar.sync 0;\n" OTHER_MMA OTHER_COMMIT WAIT(16, 0) "bar.sync 0;\n@%p5 " DEALLOC,
     NULL},
    {"likewise, without a wait for the first", "sm_100a", "() .reqntid 64",
     "@%p1 mbarrier.init.shared.b64 [bar+16], 1;\n" INIT OTHER "@%p5 " ALLOC MMA COMMIT
     "bar.sync 0;\n" OTHER_MMA OTHER_COMMIT WAIT(16, 0) WAIT(0, 0) "bar.sync 0;\n@%p5 " DEALLOC,
     "sequence-order"},
    {"a thread reads what another warp writes", "sm_90a", "() .reqntid 64",
     OTHER INIT BULK WAIT(0, 0) WRITE "@%p4 ld.shared.b32 %r1, [box];\n", "sequence-order"},
    {"likewise, after a barrier", "sm_90a", "() .reqntid 64",
     OTHER INIT BULK WAIT(0, 0) WRITE "bar.sync 0;\n@%p4 ld.shared.b32 %r1, [box];\n", NULL},
    {"a thread reads other bytes", "sm_90a", "() .reqntid 64",
     OTHER INIT BULK WAIT(0, 0) WRITE "@%p4 ld.shared.b32 %r1, [box+4];\n", NULL},
    {"the end of an mbarrier before that of a copy", "sm_90a", "() .reqntid 32",
     INIT BULK "@%p1 mbarrier.inval.shared.b64 [bar];\n", "sequence-exit"},
    {"a map that the kernel makes", "sm_90a", "(.param .u64 k_param_0) .reqntid 32",
     MADE "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\n" MADE_COPY, NULL},
    {"likewise, without an acquire", "sm_90a", "(.param .u64 k_param_0) .reqntid 32", MADE MADE_COPY,
     "sequence-map-acquire"},
    {"an acquire of another map", "sm_90a", "(.param .u64 k_param_0) .reqntid 32",
     MADE "fence.proxy.tensormap::generic.acquire.gpu [%rd1+128], 128;\n" MADE_COPY, "sequence-map-acquire"},
    {"a map that changes after the stores that use it", "sm_90a", POINTER,
     MADE_STORE "cp.async.bulk.wait_group 0;\n" PUBLISH, NULL},
    {"likewise, while a store uses it", "sm_90a", POINTER, MADE_STORE PUBLISH "cp.async.bulk.wait_group 0;\n",
     "sequence-order"},
    {"a load that is awaited", "sm_90a", "() .reqntid 32", INIT BULK WAIT(0, 0), NULL},
    {"a load that is not", "sm_90a", "() .reqntid 32", INIT BULK, "sequence-exit"},
    {"one of four warps reports the end of a wgmma", "sm_90a", "() .reqntid 128",
     EMPTY INIT FILL BULK WAIT(0, 0) WGMMA "wgmma.wait_group.sync.aligned 0;\n" ARRIVE "@!%p1 bra done;\n" WAIT(8, 0)
         BULK "done:\n" WAIT(0, 1),
     NULL},
    {"likewise, before the end of the wgmma", "sm_90a", "() .reqntid 128",
     EMPTY INIT FILL BULK WAIT(0, 0) WGMMA ARRIVE "@!%p1 bra done;\n" WAIT(8, 0) BULK
     "done:\nwgmma.wait_group.sync.aligned 0;\n" WAIT(0, 1),
     "sequence-order"},
    {"the response of a cancellation reaches each block", "sm_100a", "() .reqntid 32 .reqnctapercluster 2",
     CANCEL(".multicast::cluster::all"), NULL},
    {"it does not", "sm_100a", "() .reqntid 32 .reqnctapercluster 2", CANCEL(""), "sequence-tx"},
    {"a copy over bytes that threads wrote", "sm_90a", "() .reqntid 32",
     WRITE "fence.proxy.async;\n" INIT BULK WAIT(0, 0), NULL},
    {"likewise, without a fence", "sm_90a", "() .reqntid 32", WRITE INIT BULK WAIT(0, 0), "sequence-async-fence"},
    {"likewise, with a fence of global memory", "sm_90a", "() .reqntid 32",
     WRITE "fence.proxy.async.global;\n" INIT BULK WAIT(0, 0), "sequence-async-fence"},
    {"a block that continues in place of others", "sm_100a", "() .reqntid 32", NEXT("%r7"), NULL},
    {"likewise, with one parity", "sm_100a", "() .reqntid 32", NEXT("0"), "sequence-order"},
    {"a ring that begins again with large numbers only", "sm_90a", "(.param .u32 k_param_0) .reqntid 32", RING("%r7"),
     NULL},
    {"likewise, with one parity", "sm_90a", "(.param .u32 k_param_0) .reqntid 32", RING("0"), "sequence-order"},
    {"a copy of blocks after the first along y", "sm_90a", "() .reqntid 32", AT_Y INIT BULK WAIT(0, 0) "over:\n", NULL},
    {"likewise, without a wait", "sm_90a", "() .reqntid 32", AT_Y INIT BULK "over:\n", "sequence-exit"},
    {"more bytes than an mbarrier counts, in two parts", "sm_90a", "() .reqntid 32",
     INIT "@%p1 mbarrier.expect_tx.shared.b64 [bar], 0xfffff;\n" BULK, "sequence-tx"},
    {"the mbarrier after the bytes that a copy ignores", "sm_100a", "() .reqntid 32", INIT IGNORING WAIT(0, 0), NULL},
    {"a loop as long as two offsets in memory differ", "sm_90a", POINTER, LOOP("1024", "%r7"), NULL},
    {"likewise, with other bytes", "sm_90a", POINTER, LOOP("2048", "%r7"), "sequence-tx"},
    {"likewise, with one parity", "sm_90a", POINTER, LOOP("1024", "0"), "sequence-order"},
    {"a counter in memory", "sm_90a", POINTER, COUNTER("1024"), NULL},
    {"likewise, with other bytes", "sm_90a", POINTER, COUNTER("2048"), "sequence-tx"},
    {"a path that only a size of 0 has", "sm_90a", "(.param .u64 k_param_0, .param .u32 k_param_1) .reqntid 32",
     OF_ZERO("bar"), NULL},
    {"likewise, with another barrier", "sm_90a", "(.param .u64 k_param_0, .param .u32 k_param_1) .reqntid 32",
     OF_ZERO("bar+8"), "sequence-barrier-init"},
    {"a copy over an mbarrier", "sm_90a", POINTER, INIT MOVE("bar+16", "1024", "bar") WAIT(0, 0), NULL},
    {"likewise, that is in use", "sm_90a", POINTER, INIT MOVE("bar", "1024", "bar") WAIT(0, 0), "shared-overlap"},
    {"a float of the text decides", "sm_90a", "() .reqntid 32",
     INIT "mov.f32 %f1, 0f3F800000;\nsetp.gt.f32 %p3, %f1, 0f00000000;\n@%p3 bra over;\ntrap;\nover:\n" BULK WAIT(0, 0),
     NULL},
    {"a copy to the other thread block", "sm_90a", PAIR, PEER("64") WAIT(16, 0) READ LEAVE, NULL},
    {"likewise, of fewer bytes than this block expects", "sm_90a", PAIR, PEER("48") WAIT(16, 0) READ LEAVE,
     "sequence-tx"},
    {"likewise, without a wait", "sm_90a", PAIR, PEER("64") READ WAIT(16, 0) LEAVE, "sequence-order"},
    {"likewise, over its source before it arrived", "sm_90a", PAIR,
     PEER("64") "@%p1 st.shared.b32 [box], %r8;\n" WAIT(16, 0) LEAVE, "sequence-order"},
    {"a place in a cluster of two blocks by one, which nobody states", "sm_90a", "() .reqntid 32",
     INIT CLUSTER "mov.u32 %r3, %cluster_nctaid.y;\nsetp.eq.u32 %p5, %r3, 2;\n@%p5 bra good;\n"
                  "mapa.shared::cluster.u32 %r4, %r8, 1;\n"
                  "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];\ngood:\n" BULK WAIT(0, 0),
     NULL},
};

TEST(parts_of_kernels) {
    static run_of_text r;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        read_kernel(&r, parts[i].target, parts[i].head, parts[i].body);
        execute(&r, NULL, 0);
        expect(&r, parts[i].name, parts[i].rule);
        end(&r);
    }
}

/* ---- Parameters ---- */

/* A parameter that counts the elements of a tensor: 2^19 of each block. Then one of which no chosen number is enough.
 */
TEST(large_numbers_are_chosen) {
    static run_of_text r;
    for (int shift = 19; shift < 30; shift += 8) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "ld.param.u32 %%r5, [k_param_0];\nshr.u32 %%r5, %%r5, %d;\nsetp.eq.u32 %%p3, %%r5, 0;\n@%%p3 bra over;\n"
            "%sover:\n",
            shift, INIT BULK WAIT(0, 0));
        read_kernel(&r, "sm_90a", "(.param .u32 k_param_0) .reqntid 32", text);
        execute(&r, NULL, 0);
        assert_int_equal(r.run.copies_n, shift == 19 ? 1 : 0);
        assert_int_equal(r.diags.count, shift == 19 ? 0 : 1);
        if (shift > 19) assert_string_equal(r.diags.items[0].fix.words, "-D param_0=VALUE");
        end(&r);
    }
}

TEST(prefetches_are_executed) {
    static run_of_text r;
    read_kernel(&r, "sm_90a", "() .reqntid 32", "@%p1 cp.async.bulk.prefetch.L2.global [%rd5], 64;\n");
    execute(&r, NULL, 0);
    assert_int_equal(r.run.copies_n, 1);
    end(&r);
}

TEST(names_of_parameters) {
    static run_of_text r;
    tmap_diag refusal;
    read_kernel(&r, "sm_90a", "(.param .u32 k_param_0, .param .align 64 .b8 k_param_1[160])", "");
    static const char *const good[] = {"k_param_0", "param_0", "0", "k_param_1+156"};
    static const char *const bad[] = {"k_param_2", "", "aram_0", "param_1+160", "param_0+x", "K_param_0"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(tmap_compiled_find_parameter(r.kernels, good[i], &refusal), TMAP_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(tmap_compiled_find_parameter(r.kernels, bad[i], &refusal), TMAP_REFUSED);
    assert_string_equal(refusal.allowed, "param_0, param_1+0");
    end(&r);
}

#define STRUCT "(.param .align 64 .b8 k_param_0[160], .param .u32 k_param_1) .reqntid 32"
#define READS                                                                                                          \
    INIT "ld.param.u64 %rd4, [k_param_0+128];\nsetp.ne.s64 %p3, %rd4, 7;\n@%p3 bra over;\n"                            \
         "ld.param.u32 %r5, [k_param_0+140];\nsetp.ne.u32 %p3, %r5, 9;\n@%p3 bra over;\n" BULK "over:\n"

static void expect_chosen(run_of_text *r, int64_t at_B, const char *fix) {
    assert_true(r->run.ended);
    assert_int_equal(r->run.because_param_B, at_B);
    assert_int_equal(r->diags.count, 1);
    assert_string_equal(r->diags.items[0].rule, "sequence-undecided");
    assert_non_null(strstr(r->diags.items[0].fix.words, fix));
}

/* Advice names the first word that is chosen; a word that is given has 4 or 8 bytes, as its load reads it. */
TEST(words_of_a_struct) {
    static run_of_text r;
    const tmap_size_value words[] = {{"param_0+128", 7}, {"k_param_0+140", 9}};
    read_kernel(&r, "sm_90a", STRUCT, READS);
    execute(&r, NULL, 0);
    expect_chosen(&r, 128, "-D param_0+128=VALUE");
    execute(&r, words, 1);
    expect_chosen(&r, 140, "-D param_0+140=VALUE");
    execute(&r, words, 2);
    expect(&r, "both words", "sequence-exit");
    end(&r);
}

/* The bytes of a launch have the words, and the maps as descriptors. */
TEST(bytes_of_all_parameters) {
    static run_of_text r;
    uint8_t bytes[164] = {0};
    tmap_map map;
    tmap_descriptor descriptor;
    tmap_diag refusal;
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    params.dims_el[0] = params.dims_el[1] = 512;
    params.box_el[0] = 16;
    params.box_el[1] = 8;
    assert_true(tmap_map_params_dense(&params));
    assert_int_equal(tmap_map_init(&map, &params, NULL, NULL), TMAP_OK);
    assert_true(tmap_descriptor_encode(&map, &descriptor));
    memcpy(bytes, &descriptor, sizeof descriptor);
    bytes[128] = 7;
    bytes[140] = 9;
    read_kernel(&r, "sm_90a", STRUCT,
                READS "cvta.param.u64 %rd6, k_param_0;\ncp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
                      "complete_tx::bytes [box], [%rd6, {0, 0}], [bar];\n");
    assert_int_equal(tmap_compiled_give_parameters(r.kernels, 0, bytes, 160, &refusal), TMAP_REFUSED);
    assert_non_null(strstr(refusal.message, "164 bytes of parameters, and 160 are given"));
    assert_int_equal(tmap_compiled_give_parameters(r.kernels, 1, bytes, 164, &refusal), TMAP_BAD_ARGUMENT);
    assert_int_equal(tmap_compiled_give_parameters(r.kernels, 0, bytes, sizeof bytes, &refusal), TMAP_OK);
    tmap_compiled_map given = tmap_compiled_map_get(r.kernels, 0);
    assert_string_equal(given.given_by, "the parameters");
    assert_int_equal(given.params.dims_el[1], 512);
    assert_int_equal(given.params.box_el[0], 16);
    assert_int_equal(tmap_compiled_copy_get(r.kernels, 1).bytes, 16 * 8 * 2);
    execute(&r, NULL, 0);
    assert_int_equal(r.run.copies_n, 2);
    end(&r);
}

/* ---- Executed copies ---- */

enum { TRANSFERS_MAX = 100 };

typedef struct transfers {
    tmap_compiled_transfer items[TRANSFERS_MAX];
    size_t n;
} transfers;

static void keep(void *context, const tmap_compiled_transfer *transfer) {
    transfers *all = context;
    if (!transfer)
        all->n = 0;
    else if (all->n < TRANSFERS_MAX)
        all->items[all->n++] = *transfer;
}

/* ring.cu: block `rank` loads rows 32 * rank of tile k to stage k % 3, half `rank`, of both blocks. */
TEST(copies_have_their_operands) {
    static char text[1 << 20];
    static transfers all;
    const tmap_size_value tiles = {"ring_param_2", 5};
    const tmap_compiled_launch launch = {
        .steps_max = 100000, .params = &tiles, .params_n = 1, .transferred = keep, .context = &all};
    tmap_given_map map = {.origin = "the test", .known = UINT64_MAX, .params = tmap_map_params_tiled(TMAP_TYPE_U16, 2)};
    tmap_compiled *kernels;
    int next[2] = {0};
    FILE *file = fopen(TMAP_SOURCE_DIR "/tests/data/compiled/ring.ptx", "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    map.params.dims_el[0] = map.params.dims_el[1] = 4096;
    map.params.box_el[0] = 64;
    map.params.box_el[1] = 32;
    assert_true(tmap_map_params_dense(&map.params));
    assert_int_equal(tmap_compiled_read(text, strlen(text), NULL, NULL, NULL, &kernels, NULL), TMAP_OK);
    assert_int_equal(tmap_compiled_give(kernels, 0, &map, 1, NULL), TMAP_OK);
    assert_int_equal(tmap_compiled_execute(kernels, 0, &launch, NULL, NULL, NULL), TMAP_OK);
    assert_int_equal(all.n, 10);
    uint64_t first = all.items[0].params.shared - 4096 * all.items[0].block;
    for (size_t i = 0; i < all.n; i++) {
        const tmap_compiled_transfer *t = &all.items[i];
        int k = next[t->block]++;
        assert_true(t->known && t->thread == 0 && t->block < 2);
        assert_int_equal(t->params.at[0], 64 * k);
        assert_int_equal(t->params.at[1], 32 * t->block);
        assert_int_equal(t->params.cta_mask, 3);
        assert_int_equal(t->params.shared, first + 8192 * (unsigned)(k % 3) + 4096 * t->block);
    }
    tmap_compiled_free(kernels);
}
