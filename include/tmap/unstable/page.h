/*
 * page: one self-contained HTML page on which a user explores a box in shared memory: hover, click, edit. The page
 * calls the library, which is compiled to WebAssembly and embedded; a build without WebAssembly contains the answers to
 * the questions that the page opens with.
 *
 * A question is a URL query ("mode=copy&type=f16&dims=4096,8192&box=64,8&swizzle=128B"), so that every view of a page
 * is a link; an answer is JSON. docs/page.md lists the keys of both.
 *
 * Unstable: these declarations may change or disappear in any release (base.h).
 */
#ifndef TMAP_PAGE_H
#define TMAP_PAGE_H

#include "tmap/unstable/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the answer to a question. Never fails: the answer reports errors of the question. */
TMAP_API void tmap_page_answer(tmap_sink *sink, const char *query) TMAP_NONNULL(1, 2);

/*
 * Writes the question whose answer is a copy, with the title, the axes and the element of `view`, checked for the one
 * architecture of `archs`, or for any architecture if `archs` has none or several.
 */
TMAP_API void tmap_page_query_of_copy(tmap_sink *sink, const tmap_copy *copy, const tmap_view *view, tmap_archs archs)
    TMAP_NONNULL(1, 2, 3);

/*
 * Writes the question for an expression of layouts, drawn over `shape` (outermost first, `rank` sizes; rank 0: chosen
 * automatically) with elements of `bits` bits.
 */
TMAP_API void tmap_page_query_of_layout(tmap_sink *sink, const char *expression, const int64_t *shape, int rank,
                                        int bits) TMAP_NONNULL(1, 2);

/* Returns whether pages of this build compute answers; otherwise they show only their first question. */
TMAP_API bool tmap_page_computes(void);

/* Writes a page that opens with `query`. */
TMAP_API void tmap_page_write(tmap_sink *sink, const char *query) TMAP_NONNULL(1, 2);

#ifdef __cplusplus
}
#endif

#endif
