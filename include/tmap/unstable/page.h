/*
 * page: one self-contained HTML page in which a box in shared memory is explored: hovered, clicked, edited. The page
 * asks the library itself, compiled to WebAssembly and embedded; a build without that ships the answers to the
 * questions that it opens with.
 *
 * A question is a URL query ("mode=copy&type=f16&dims=4096,8192&box=64,8&swizzle=128B"), so that every view of a page
 * is a link; an answer is JSON. docs/page.md lists the keys of both.
 * Unstable: what is declared here may change or go in any release (base.h).
 */
#ifndef TMAP_PAGE_H
#define TMAP_PAGE_H

#include "tmap/unstable/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Answers a question. Never fails: what is wrong with the question stands in the answer. */
TMAP_API void tmap_page_answer(tmap_sink *sink, const char *query) TMAP_NONNULL(1, 2);

/* The question that a copy is the answer to, with the title, the axes and the element of `view`; judged for the one
 * architecture of `archs`, or for any when it has none or several. */
TMAP_API void tmap_page_query_of_copy(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view, tmap_archs archs)
    TMAP_NONNULL(1, 2, 3);

/* And an expression of layouts, drawn over `shape` (outermost first, `rank` sizes; 0: chosen) with elements of `bits`.
 */
TMAP_API void tmap_page_query_of_layout(tmap_sink *sink, const char *expression, const int64_t *shape, int rank,
                                        int bits) TMAP_NONNULL(1, 2);

/* What a page may open with: name and question; NULL ends them. */
typedef struct tmap_page_preset {
    const char *group, *name, *query;
} tmap_page_preset;
TMAP_API const tmap_page_preset *tmap_page_preset_get(int preset);

/* True when pages of this build compute; else they show what they open with and the presets. */
TMAP_API bool tmap_page_computes(void);

/* Writes a page that opens with `query`. */
TMAP_API void tmap_page_write(tmap_sink *sink, const char *query) TMAP_NONNULL(1, 2);

#ifdef __cplusplus
}
#endif

#endif
