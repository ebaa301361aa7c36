/* generate: the device functions that kernels need besides the instructions: barriers, fences, bulk groups, clusters,
 * swizzles. */
#include "generate/source_parts.h"

#include "text/print.h"

/* The properties of a kernel that make it need a device function. */
typedef enum helper_use {
    USE_SHARED = 1,    /* the box is in shared memory */
    USE_BARRIER = 2,   /* the copy signals a barrier */
    USE_MULTICAST = 4, /* the copy signals barriers of a cluster */
    USE_GROUP = 8,     /* the copy belongs to a bulk group */
    USE_ACQUIRE = 16,  /* the map is in global memory */
    USE_GLOBAL = 32,   /* the copy has no map, but an address in global memory */
    USE_PEER = 64,     /* the copy has no map, but an address in another CTA */
} helper_use;

static const struct {
    unsigned use;
    const char *text;
} helpers[] = {
    {USE_SHARED, "\n"
                 "/* The address in shared memory that the instructions require. */\n"
                 "__device__ inline uint32_t shared_address(const void *pointer) {\n"
                 "    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));\n"
                 "}\n"},
    {USE_SHARED, "\n"
                 "/* Orders the accesses of this thread to shared memory before those of copies. */\n"
                 "__device__ inline void fence_proxy_async() {\n"
                 "    asm volatile(\"fence.proxy.async.shared::cta;\" : : : \"memory\");\n"
                 "}\n"},
    {USE_BARRIER,
     "\n"
     "/* A phase of the barrier ends after this number of arrivals and all expected bytes. */\n"
     "__device__ inline void barrier_init(uint32_t barrier, uint32_t arrivals) {\n"
     "    asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" : : \"r\"(barrier), \"r\"(arrivals) : \"memory\");\n"
     "}\n"
     "\n"
     "/* One arrival. The phase also waits for this number of bytes. */\n"
     "__device__ inline void barrier_arrive_expect(uint32_t barrier, uint32_t bytes) {\n"
     "    asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\"\n"
     "                 :\n"
     "                 : \"r\"(barrier), \"r\"(bytes)\n"
     "                 : \"memory\");\n"
     "}\n"
     "\n"
     "/* Waits for the end of the phase with this parity. The first phase has parity 0, the next 1, then 0 again. */\n"
     "__device__ inline void barrier_wait(uint32_t barrier, uint32_t parity) {\n"
     "    uint32_t done = 0;\n"
     "    while (!done) {\n"
     "        asm volatile(\"{\\n\"\n"
     "                     \".reg .pred p;\\n\"\n"
     "                     \"mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\\n\"\n"
     "                     \"selp.u32 %0, 1, 0, p;\\n\"\n"
     "                     \"}\"\n"
     "                     : \"=r\"(done)\n"
     "                     : \"r\"(barrier), \"r\"(parity)\n"
     "                     : \"memory\");\n"
     "    }\n"
     "}\n"},
    {USE_MULTICAST, "\n"
                    "/* Orders barrier_init before accesses of other CTAs of the cluster to the barrier. */\n"
                    "__device__ inline void fence_barrier_init() {\n"
                    "    asm volatile(\"fence.mbarrier_init.release.cluster;\" : : : \"memory\");\n"
                    "}\n"
                    "\n"
                    "/* Waits for all threads of the cluster. */\n"
                    "__device__ inline void cluster_sync() {\n"
                    "    asm volatile(\"barrier.cluster.arrive.release;\\n\"\n"
                    "                 \"barrier.cluster.wait.acquire;\"\n"
                    "                 :\n"
                    "                 :\n"
                    "                 : \"memory\");\n"
                    "}\n"
                    "\n"
                    "/* The rank of this CTA in its cluster, which is its bit in a mask of CTAs. */\n"
                    "__device__ inline uint32_t cluster_rank() {\n"
                    "    uint32_t rank;\n"
                    "    asm(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n"
                    "    return rank;\n"
                    "}\n"},
    {USE_ACQUIRE,
     "\n"
     "/* Makes changes of the map by earlier kernels visible to the copies of this thread. */\n"
     "__device__ inline void map_acquire(const CUtensorMap *map) {\n"
     "    asm volatile(\"fence.proxy.tensormap::generic.acquire.gpu [%0], 128;\" : : \"l\"(map) : \"memory\");\n"
     "}\n"},
    {USE_GLOBAL, "\n"
                 "/* The address in global memory that the instructions require. */\n"
                 "__device__ inline uint64_t global_address(const void *pointer) {\n"
                 "    return static_cast<uint64_t>(__cvta_generic_to_global(pointer));\n"
                 "}\n"},
    {USE_PEER, "\n"
               "/* The same address in another CTA of the cluster. */\n"
               "__device__ inline uint32_t address_in(uint32_t address, uint32_t cta) {\n"
               "    uint32_t there;\n"
               "    asm(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(there) : \"r\"(address), \"r\"(cta));\n"
               "    return there;\n"
               "}\n"},
    {USE_GROUP, "\n"
                "/* The copies of this thread since the last group become a group. */\n"
                "__device__ inline void bulk_commit_group() {\n"
                "    asm volatile(\"cp.async.bulk.commit_group;\" : : : \"memory\");\n"
                "}\n"
                "\n"
                "/* Waits until the groups of this thread have read shared memory; without .read also until they have "
                "written. */\n"
                "__device__ inline void bulk_wait_group_read() {\n"
                "    asm volatile(\"cp.async.bulk.wait_group.read 0;\" : : : \"memory\");\n"
                "}\n"},
};

static unsigned uses_of(const tmap_map_params *map, const tmap_copy_params *copy) {
    const tmap_op_info *op = tmap_op_get((int)copy->op);
    bool linear = map->mode == TMAP_MODE_LINEAR;
    unsigned uses = linear ? USE_GLOBAL : 0;
    if (linear && op->to_global && copy->dst == TMAP_DST_CLUSTER)
        return USE_SHARED | USE_BARRIER | USE_MULTICAST | USE_PEER;
    if (op->to_shared) uses |= USE_SHARED | USE_BARRIER;
    if (op->to_shared && copy->cta_mask) uses |= USE_MULTICAST;
    if (op->to_global) uses |= USE_SHARED | USE_GROUP;
    if (tmap_acquires_map(copy)) uses |= USE_ACQUIRE;
    return uses;
}

static void put_swizzle_function(tmap_sink *sink, const tmap_swizzle_info *swizzle) {
    tmap_printf(sink,
                "\n"
                "/* The address to which swizzle %s moves the byte of a shared address. */\n"
                "__device__ inline uint32_t swizzle_%s(uint32_t address) {\n"
                "    return ",
                swizzle->name, swizzle->name);
    tmap_put_swizzle(sink, swizzle, "address");
    tmap_puts(sink, ";\n}\n");
}

void tmap_put_helpers(tmap_sink *sink, const tmap_generate_copy *copies, size_t n) {
    unsigned uses = 0, swizzles = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned own = uses_of(copies[i].tensor->params, copies[i].params);
        uses |= own;
        if (own & USE_SHARED) swizzles |= 1u << copies[i].tensor->params->swizzle;
    }
    for (size_t i = 0; i < sizeof helpers / sizeof helpers[0]; i++)
        if (uses & helpers[i].use) tmap_puts(sink, helpers[i].text);
    for (int i = 0; tmap_swizzle_get(i); i++)
        if ((swizzles >> i & 1) && tmap_swizzle_get(i)->taps_n > 0) put_swizzle_function(sink, tmap_swizzle_get(i));
}
