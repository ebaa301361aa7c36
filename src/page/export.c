/* page: the files that a page offers: a copy or a layout as a spec, as C and as SVG. */
#include <string.h>

#include "page/export.h"
#include "spec/scalar.h"
#include "spec/write.h"
#include "text/print.h"
#include "tmap/unstable/emit.h"
#include "tmap/unstable/picture.h"

/* Tensors and copies share one name space, so the tensor must not have the name of the copy. */
static const char *tensor_of(const tmap_question *question) {
    return strcmp(question->name, "tensor") == 0 ? "source" : "tensor";
}

static const char *name_of(const tmap_question *question) {
    return question->name[0] ? question->name : "box";
}

static void put_axes(tmap_sink *sink, const tmap_question *question) {
    if (question->axes_n == 0) return;
    tmap_puts(sink, "    axes: [");
    for (int i = 0; i < question->axes_n; i++) {
        tmap_puts(sink, i > 0 ? ", " : "");
        tmap_scalar_write(sink, question->axes[i], strlen(question->axes[i]));
    }
    tmap_puts(sink, "]\n");
}

static void put_copy_spec(tmap_sink *sink, const tmap_question *question, const tmap_copy *copy) {
    const char *name = name_of(question);
    tmap_spec_write(sink, tensor_of(question), &copy->map.params);
    put_axes(sink, question);
    tmap_spec_write_copies(sink, tensor_of(question), &copy->params, &name, 1);
    if (question->arch > 0) tmap_printf(sink, "arch: %s\n", tmap_arch_get(question->arch - 1)->name);
}

static void put_copy_c(tmap_sink *sink, const tmap_question *question, const tmap_copy *copy) {
    tmap_descriptor descriptor;
    if (tmap_descriptor_encode(&copy->map, &descriptor))
        tmap_emit_descriptor_c(sink, name_of(question), &descriptor);
    else
        tmap_printf(sink, "/* The descriptor of mode %s is not known. */\n",
                    tmap_mode_get((int)copy->map.params.mode)->name);
}

bool tmap_export_copy(tmap_sink *sink, const tmap_question *question, const tmap_copy *copy, const tmap_view *view) {
    if (strcmp(question->only, "yaml") == 0)
        put_copy_spec(sink, question, copy);
    else if (strcmp(question->only, "c") == 0)
        put_copy_c(sink, question, copy);
    else if (strcmp(question->only, "svg") == 0)
        tmap_view_svg(sink, copy, view);
    else
        return false;
    return true;
}

bool tmap_export_layout(tmap_sink *sink, const char *only, const char *text, const tmap_layout *layout,
                        const tmap_picture *picture) {
    if (strcmp(only, "yaml") == 0) {
        tmap_puts(sink, "tmap: 1\nlayouts:\n  layout: ");
        tmap_scalar_write(sink, text, strlen(text));
        tmap_puts(sink, "\n");
    } else if (strcmp(only, "c") == 0) {
        tmap_export_layout_c(sink, layout);
    } else if (strcmp(only, "svg") == 0) {
        tmap_picture drawn = *picture;
        drawn.title = text;
        (void)tmap_picture_svg(sink, layout, &drawn, NULL);
    } else {
        return false;
    }
    return true;
}
