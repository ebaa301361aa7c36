/* layout: scratchpads with partitions and a free dimension. */
#include <inttypes.h>
#include <string.h>

#include "layout/iter_lists.h"

#define PARTITIONS 128
#define BANK_EL    512

static tmap_status check_kinds(const char *kinds, const tmap_shape *shape, tmap_diag *error) {
    int64_t size;
    if (strlen(kinds) != (size_t)shape->rank || strspn(kinds, "PF") != strlen(kinds))
        return tmap_refuse_with(error, 0, "P or F for each dimension",
                                "'%s' does not give P or F for each dimension of a shape of rank %d", kinds,
                                shape->rank);
    return tmap_shape_check(shape, 1, &size, error);
}

/* Row-major among the dimensions of one letter. Returns their product. */
static int64_t fill(const char *kinds, char letter, tmap_axis_id axis, tmap_layout *layout) {
    int64_t stride = 1;
    for (int d = layout->shard.n - 1; d >= 0; d--) {
        tmap_iter *iter = &layout->shard.at[d];
        if (kinds[d] != letter) continue;
        iter->stride = stride;
        iter->axis = tmap_axis_get((int)axis);
        stride *= iter->extent;
    }
    return stride;
}

static tmap_status refuse_partitions(int64_t n, tmap_diag *error) {
    tmap_refuse_operand(error, 1, "the P dimensions have %" PRId64 " partitions; the limit is %d", n, PARTITIONS);
    return tmap_say_fix(error, "at most %d in all P dimensions, or one P dimension that is a multiple of %d",
                        PARTITIONS, PARTITIONS);
}

tmap_status tmap_layout_trainium(const char *kinds, const tmap_shape *shape, tmap_layout *out, tmap_diag *error) {
    tmap_layout made = {.shard = {.n = shape->rank}};
    if (check_kinds(kinds, shape, error) != TMAP_OK) return TMAP_REFUSED;
    for (int d = 0; d < shape->rank; d++) made.shard.at[d].extent = shape->at[d];
    int64_t partitions = fill(kinds, 'P', TMAP_AXIS_ID_P, &made), elements = fill(kinds, 'F', TMAP_AXIS_ID_F, &made);
    const char *first = strchr(kinds, 'P');
    if (partitions > PARTITIONS) {
        if (first != strrchr(kinds, 'P') || partitions % PARTITIONS != 0) return refuse_partitions(partitions, error);
        if (made.shard.n == TMAP_ITERS_MAX) return tmap_refuse_room(error);
        tmap_iter *iter = &made.shard.at[first - kinds];
        memmove(iter + 1, iter, (size_t)(made.shard.n++ - (first - kinds)) * sizeof *iter);
        iter[0] = (tmap_iter){partitions / PARTITIONS, elements, tmap_axis_get(TMAP_AXIS_ID_F)};
        iter[1].extent = PARTITIONS;
    }
    return tmap_layout_put(&made, out, error);
}

/* Refuses offsets and copies on F: they would have to be split into F and Bank, too. */
static tmap_status check_free(const tmap_layout *layout, tmap_diag *error) {
    const tmap_axis *free = tmap_axis_get(TMAP_AXIS_ID_F);
    bool moved = tmap_values_get(&layout->offset, free) != 0;
    for (int i = 0; i < layout->replica.n; i++) moved = moved || tmap_axis_same(layout->replica.at[i].axis, free);
    if (!moved) return TMAP_OK;
    return tmap_refuse_with(error, 0, "add the offset or R to the result, on F and Bank",
                            "the layout has an offset or copies on F");
}

tmap_status tmap_layout_psum(const tmap_layout *layout, tmap_layout *out, tmap_diag *error) {
    tmap_layout made = *layout;
    const tmap_axis *bank = tmap_axis_get(TMAP_AXIS_ID_BANK);
    if (check_free(layout, error) != TMAP_OK) return TMAP_REFUSED;
    made.shard.n = 0;
    for (int i = 0; i < layout->shard.n; i++) {
        tmap_iter iter = layout->shard.at[i];
        bool free = strcmp(iter.axis->name, "F") == 0 && iter.extent > 1 && iter.stride != 0;
        int64_t in_bank = free && BANK_EL % iter.stride == 0 ? BANK_EL / iter.stride : 0;
        if (free && iter.stride % BANK_EL == 0) {
            iter = (tmap_iter){iter.extent, iter.stride / BANK_EL, bank};
        } else if (free && (in_bank < 1 || (iter.extent > in_bank && iter.extent % in_bank != 0))) {
            tmap_refuse_operand(error, 0, "iter %d, %" PRId64 ":%" PRId64 "@F, crosses a bank of %d", i, iter.extent,
                                iter.stride, BANK_EL);
            return tmap_say_fix(error, "strides that divide %d, and extents that fill whole banks", BANK_EL);
        } else if (free && iter.extent > in_bank) {
            if (!tmap_iters_add(&made.shard, (tmap_iter){iter.extent / in_bank, 1, bank}))
                return tmap_refuse_room(error);
            iter.extent = in_bank;
        }
        if (!tmap_iters_add(&made.shard, iter)) return tmap_refuse_room(error);
    }
    return tmap_layout_put(&made, out, error);
}
