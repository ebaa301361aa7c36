/* tmap draw: a box in shared memory as a picture. */
#include <string.h>
#include <unistd.h>

#include "commands/draw_address.h"
#include "commands/draw_layout.h"
#include "commands/layout_names.h"
#include "files/files.h"
#include "options/command.h"
#include "output/messages.h"
#include "output/refusal.h"
#include "specs/used_facts.h"
#include "text/number.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/page.h"

typedef struct draw_options {
    judging_options judging;
    const char *element, *svg_path, *png_path, *pdf_path, *latex_path, *html_path;
    picture_file file; /* of the paths */
    optional_number address, global_address;
    struct line_range {
        uint64_t first, n;
    } lines;
    layout_drawing layout;
    bool json;
} draw_options;

/* Reads "A-B" or "A". */
static bool take_lines(void *at, const char *value) {
    struct line_range *lines = at;
    uint64_t end;
    size_t length = strcspn(value, "-");
    const char *rest = value[length] == '-' ? value + length + 1 : value;
    if (tmap_parse_number(value, length, &lines->first) && parse_number(rest, &end) && lines->first <= end &&
        end < UINT32_MAX) {
        lines->n = end - lines->first + 1;
        return true;
    }
    return wrong_usage("--lines requires numbers of lines of the box or rows of the layout, 'A-B', not '%s'", value);
}

static const option_row options[] = {
    {"--element", "I,J,...", "mark an element of the box and print the steps to its place",
     offsetof(draw_options, element), NULL},
    {"--address", "ADDRESS", "print the element at a shared address, or report a gap", offsetof(draw_options, address),
     take_number},
    {"--global-address", "ADDRESS", "print the element at a global address (an offset, if the tensor has no address)",
     offsetof(draw_options, global_address), take_number},
    {"--lines", "A-B", "draw all lines A to B of the box, or rows A to B of the layout", offsetof(draw_options, lines),
     take_lines},
    {"--svg", "FILE", "write the picture as SVG to FILE", offsetof(draw_options, svg_path), NULL},
    {"--png", "FILE", "write the picture as PNG to FILE, by rsvg-convert", offsetof(draw_options, png_path), NULL},
    {"--pdf", "FILE", "write the picture as PDF to FILE, by rsvg-convert", offsetof(draw_options, pdf_path), NULL},
    {"--latex", "FILE", "write a LaTeX document with a TikZ picture to FILE", offsetof(draw_options, latex_path), NULL},
    {"--shape", "N,M", "layouts: the shape of the tensor, outermost first", offsetof(draw_options, layout.picture),
     take_picture_shape},
    {"--color-by", "WHAT", "layouts: the colour shows the thread, lane, bank or line",
     offsetof(draw_options, layout.picture), take_picture_color},
    {"--memory", NULL, "layouts: 128-byte lines of shared memory and their elements",
     offsetof(draw_options, layout.picture.memory), NULL},
    {"--type", "TYPE", "layouts: the element type, for banks and lines (default: 32 bits)",
     offsetof(draw_options, layout.picture), take_picture_type},
    {"--access", "ACCESS", "layouts: mark the lanes of an access, as in conflicts(); ACCESS:N: instruction N, from 0",
     offsetof(draw_options, layout.access), NULL},
    {"--html", "FILE", "write an interactive page to FILE; the page works without a network",
     offsetof(draw_options, html_path), NULL, TMAP_PART_PAGE},
    {"--json", NULL, "print the box, and the place of the element, as JSON", offsetof(draw_options, json), NULL},
    JUDGING_OPTIONS(draw_options, judging),
    ASSUME_OPTION(draw_options, judging.judge.assume),
    {0},
};

/* ---- The subject ------------------------------------------------------------------------------------------------ */

/* The first operation in a tensor's ops; a load if it has none. */
static tmap_op op_of(const tmap_map_params *params) {
    for (int op = 0; op < TMAP_OP_COUNT; op++) {
        if ((params->ops >> op & 1) != 0 && tmap_op_get(op)->emulated) return (tmap_op)op;
    }
    return TMAP_OP_LOAD;
}

/* For a tensor: the copy of its first box to shared address 0. */
static tmap_status copy_of_tensor(spec_document *doc, size_t index, const tmap_judge *judge, tmap_copy *copy) {
    tmap_map map;
    tmap_status status = tmap_spec_map(doc->spec, index, judge, &doc->diags, &map);
    if (status != TMAP_OK) return status;
    if (map.params.mode == TMAP_MODE_LINEAR) return TMAP_UNAVAILABLE;
    tmap_copy_params params = {.op = op_of(&map.params), .at_n = (int)map.params.rank, .rows = {0, 1, 2, 3}};
    tmap_image_dims images = tmap_image_dims_of(&map.params);
    for (int i = 0; i < images.walked_n && map.params.mode != TMAP_MODE_TILED; i++) {
        params.at[images.first_spatial + i] = map.params.lower_corner[i];
    }
    tmap_judge named = *judge;
    named.path = doc->path;
    named.subject = tmap_spec_tensor_get(doc->spec, index).name;
    return tmap_copy_init(copy, &map, &params, &named, &doc->diags);
}

typedef struct box_drawing {
    const char *name;
    tmap_copy copy;
    tmap_view view;
    tmap_spec_tensor tensor;
    tmap_archs archs;
    used_facts facts;
    found_byte byte;
} box_drawing;

static int prepare(spec_document *doc, const char *name, const draw_options *o, box_drawing *drawing) {
    bool is_copy;
    size_t index;
    int code = document_find(doc, name, &is_copy, &index);
    if (code != EXIT_CLEAN) return code;
    const tmap_judge *judge = &o->judging.judge;
    tmap_status status = is_copy ? tmap_spec_copy_init(doc->spec, index, judge, &doc->diags, &drawing->copy)
                                 : copy_of_tensor(doc, index, judge, &drawing->copy);
    if (status == TMAP_UNAVAILABLE && !is_copy)
        return complain(EXIT_USAGE, "%s has mode linear and no box: use the name of one of its copies", name);
    if (status != TMAP_OK) return code_of(status);
    if (drawing->copy.footprint_B == 0)
        return complain(EXIT_USAGE, "%s is a %s, which has no box in shared memory", name, drawing->copy.op->name);
    size_t tensor = is_copy ? tmap_spec_copy_get(doc->spec, index).tensor : index;
    drawing->name = name;
    drawing->tensor = tmap_spec_tensor_get(doc->spec, tensor);
    drawing->archs = document_archs(doc, judge);
    drawing->facts = facts_of_copy(&drawing->copy, drawing->archs);
    tmap_mark mark = is_copy ? tmap_spec_copy_get(doc->spec, index).mark : drawing->tensor.mark;
    facts_refuse(doc, &o->judging, &drawing->facts, name, mark);
    return EXIT_CLEAN;
}

/* ---- --element -------------------------------------------------------------------------------------------------- */

/* The dimension of an axis. Reports an unknown name and returns -1. */
static int find_axis(const box_drawing *drawing, const char *name) {
    const char *axes[TMAP_RANK_MAX];
    for (int i = 0; i < drawing->copy.rank; i++) axes[i] = tmap_view_box_axis(&drawing->copy, drawing->tensor.axes, i);
    return choose_among("axis", name, axes, (size_t)drawing->copy.rank);
}

/* Reads one part of --element: "3" for dimension `dim`, or "m=3" for the axis m. */
static bool take_index(box_drawing *drawing, char *part, int dim, uint32_t *seen) {
    char *equals = strchr(part, '=');
    if (equals) {
        *equals = '\0';
        dim = find_axis(drawing, part);
        if (dim < 0) return false;
    }
    const char *digits = equals ? equals + 1 : part;
    uint64_t value;
    if (dim >= drawing->copy.rank || !parse_number(digits, &value))
        return wrong_usage("--element requires %d numbers, innermost first, or axis=number for each",
                           drawing->copy.rank);
    if (value >= drawing->copy.counts[dim])
        return wrong_usage("--element %s: index %llu is outside the box, whose size in this dimension is %u",
                           tmap_view_box_axis(&drawing->copy, drawing->tensor.axes, dim), (unsigned long long)value,
                           drawing->copy.counts[dim]);
    drawing->view.element[dim] = (uint32_t)value;
    *seen |= 1u << dim;
    return true;
}

static int take_element(box_drawing *drawing, const char *text) {
    char parts[256];
    if (snprintf(parts, sizeof parts, "%s", text) >= (int)sizeof parts) parts[0] = '\0';
    uint32_t seen = 0;
    int dim = 0;
    char *rest = NULL;
    for (char *part = strtok_r(parts, ",", &rest); part; part = strtok_r(NULL, ",", &rest), dim++) {
        if (!take_index(drawing, part, dim, &seen)) return EXIT_USAGE;
    }
    drawing->view.has_element = true;
    if (dim == drawing->copy.rank && seen == (1u << drawing->copy.rank) - 1) return EXIT_CLEAN;
    return complain(EXIT_USAGE,
                    "--element requires one index for each of the %d dimensions of the box, innermost first",
                    drawing->copy.rank);
}

/* ---- Output ----------------------------------------------------------------------------------------------------- */

static void print_json(tmap_sink *sink, const box_drawing *drawing) {
    const tmap_copy *copy = &drawing->copy;
    uint64_t counts[TMAP_RANK_MAX];
    for (int i = 0; i < TMAP_RANK_MAX; i++) counts[i] = copy->counts[i];
    tmap_json json = json_result_begin(sink);
    json_field_string(&json, "name", drawing->name);
    json_field_string(&json, "swizzle", copy->map.swizzle->name);
    json_field_uints(&json, "counts", counts, (size_t)copy->rank);
    JSON_FIELDS(&json, {"shared", copy->params.shared}, {"pitch_bytes", copy->pitch_B},
                {"footprint_bytes", copy->footprint_B});
    if (drawing->byte.asked) byte_json(&json, copy, &drawing->byte);
    if (drawing->view.has_element && !drawing->byte.asked) {
        json_object(&json, "element", false);
        element_json(&json, copy, drawing->view.element);
        tmap_json_close(&json, '}');
    }
    facts_json(&json, &drawing->facts);
    json_result_end(&json);
}

/* A picture in a file can only mark the element at an address, so this reports a byte without an element in words. */
static void remark_byte(const box_drawing *drawing) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    if (!drawing->byte.asked || drawing->view.has_element) return;
    tmap_view_byte(&sink, &drawing->copy, &drawing->view, &drawing->byte.holds, drawing->byte.label);
    if (text.data) remark("%.*s", (int)strcspn(text.data, "\n"), text.data);
    tmap_text_free(&text);
}

static int write_file(const box_drawing *drawing, const picture_file *file) {
    tmap_text text = {0};
    tmap_sink sink = tmap_text_sink(&text);
    tmap_view_svg(&sink, &drawing->copy, &drawing->view);
    return picture_write(file, &text, &sink);
}

static int write_html(const box_drawing *drawing, const char *path) {
    tmap_text query = {0};
    tmap_sink asked = tmap_text_sink(&query);
    if (TMAP_WITH_PAGE) tmap_page_query_of_copy(&asked, &drawing->copy, &drawing->view, drawing->archs);
    int code = asked.failed ? complain_status(TMAP_NO_MEMORY, path) : file_write_page(path, query.data);
    tmap_text_free(&query);
    return code;
}

static int output(const box_drawing *drawing, const draw_options *o) {
    tmap_sink sink = sink_to(stdout);
    if (o->file.path || o->html_path) remark_byte(drawing);
    if (o->file.path) return write_file(drawing, &o->file);
    if (o->html_path) return write_html(drawing, o->html_path);
    if (o->json) {
        print_json(&sink, drawing);
        return EXIT_CLEAN;
    }
    tmap_view_text(&sink, &drawing->copy, &drawing->view);
    if (drawing->byte.asked)
        tmap_view_byte(&sink, &drawing->copy, &drawing->view, &drawing->byte.holds, drawing->byte.label);
    else if (drawing->view.has_element)
        tmap_view_element(&sink, &drawing->copy, &drawing->view);
    facts_name_weak(&sink, &drawing->facts);
    return EXIT_CLEAN;
}

/* Lines are numbered as drawn: the first contains the shared address, wherever in the line the box starts. */
static int check_lines(const box_drawing *drawing, const struct line_range *lines) {
    uint64_t begin = drawing->copy.params.shared % TMAP_LINE_B;
    uint64_t lines_n = (begin + drawing->copy.footprint_B + TMAP_LINE_B - 1) / TMAP_LINE_B;
    if (lines->n == 0 || lines->first < lines_n) return EXIT_CLEAN;
    return complain(EXIT_USAGE, "--lines: the box of %s has lines 0 to %llu", drawing->name,
                    (unsigned long long)lines_n - 1);
}

static int draw(spec_document *doc, const char *name, const draw_options *o) {
    box_drawing drawing = {0};
    int code = prepare(doc, name, o, &drawing);
    if (code != EXIT_CLEAN) return code;
    drawing.view.title = name;
    drawing.view.axes = drawing.tensor.axes;
    drawing.view.color = colors_on(stdout);
    drawing.view.columns = columns_of(stdout);
    drawing.view.first_line = (uint32_t)o->lines.first;
    drawing.view.lines_n = (uint32_t)o->lines.n;
    if (code == EXIT_CLEAN) code = check_lines(&drawing, &o->lines);
    if (code == EXIT_CLEAN && o->element) code = take_element(&drawing, o->element);
    if (o->address.given) drawing.byte = find_shared_byte(&drawing.copy, o->address.value);
    if (o->global_address.given) drawing.byte = find_global_byte(&drawing.copy, o->global_address.value);
    if (drawing.byte.asked) mark_byte(&drawing.view, &drawing.byte);
    return code == EXIT_CLEAN ? output(&drawing, o) : code;
}

/* ---- Layouts ---------------------------------------------------------------------------------------------------- */

/* An expression of layouts; `names` are those of a spec, or NULL. */
static int draw_layout(const char *text, const tmap_layout_names *names, draw_options *o) {
    if (o->address.given || o->global_address.given)
        return complain(
            EXIT_USAGE,
            "--address and --global-address are for tensors and copies; for layouts use places(LAYOUT) of tmap layout");
    if (o->json) return complain(EXIT_USAGE, "--json is for tensors and copies, not for layouts");
    if (o->lines.n > 0 && o->latex_path) return complain(EXIT_USAGE, "--lines and --latex exclude each other");
    if (o->element && (o->file.path || o->html_path))
        return complain(EXIT_USAGE, "--element of a layout prints text: remove the option that writes a picture");
    tmap_result *result = NULL;
    tmap_diag error;
    tmap_status status = tmap_evaluate(text, strlen(text), names, NULL, &result, &error);
    if (status == TMAP_REFUSED) {
        expression_refuse(&(tmap_source){"draw", text, strlen(text)}, &error, false);
        return EXIT_FINDINGS;
    }
    if (status != TMAP_OK) return complain_status(status, text);
    o->layout.picture.first_row = (int64_t)o->lines.first;
    o->layout.picture.rows_n = (int64_t)o->lines.n;
    o->layout.file = o->file;
    o->layout.html_path = o->html_path;
    o->layout.element = o->element;
    o->layout.expression = !names ? text : NULL;
    int code = layout_draw(text, tmap_result_value(result), &o->layout);
    tmap_result_free(result);
    return code;
}

static bool is_layout(const spec_document *doc, const char *name) {
    return tmap_spec_layout_find(doc->spec, name) != SIZE_MAX;
}

static bool has_layout_options(const draw_options *o) {
    const tmap_picture *picture = &o->layout.picture;
    return picture->rank > 0 || picture->bits > 0 || picture->memory || picture->color_by != TMAP_PICTURE_AUTO ||
           o->layout.access;
}

/* Draws a tensor or a copy as the layout of its box. As memory, this is its usual picture. */
static int draw_box_as_layout(spec_document *doc, const char *name, draw_options *o) {
    spec_layouts layouts = {.doc = doc};
    tmap_layout_names names = spec_layouts_names(&layouts);
    tmap_picture *picture = &o->layout.picture;
    if (!has_layout_options(o)) picture->memory = true;
    if (picture->bits == 0) picture->bits = spec_layouts_bits(&layouts, name);
    int code = draw_layout(name, &names, o);
    spec_layouts_free(&layouts);
    return code;
}

static int draw_named(spec_document *doc, const char *name, draw_options *o) {
    tmap_layout_names names = tmap_spec_layout_names(doc->spec);
    if (is_layout(doc, name)) return draw_layout(name, &names, o);
    return has_layout_options(o) || o->latex_path ? draw_box_as_layout(doc, name, o) : draw(doc, name, o);
}

/* An expression, with the numbers of -D. */
static int draw_expression(const char *text, draw_options *o) {
    spec_layouts sizes = {.doc = NULL};
    tmap_layout_names names = spec_layouts_names(&sizes);
    int code = draw_layout(text, sizes_given()->n > 0 ? &names : NULL, o);
    spec_layouts_free(&sizes);
    return code;
}

/* Reads one form of output. */
static bool take_file(draw_options *o) {
    const char *const paths[] = {NULL, o->svg_path, o->png_path, o->pdf_path, o->latex_path};
    int forms = o->json + (o->html_path != NULL);
    for (int format = PICTURE_SVG; format <= PICTURE_LATEX; format++) {
        if (!paths[format]) continue;
        o->file = (picture_file){(picture_format)format, paths[format]};
        forms++;
    }
    if (forms <= 1) return true;
    return wrong_usage("--json, --svg, --png, --pdf, --latex and --html exclude each other");
}

static int run_draw(const operand_list *operands, void *values) {
    draw_options *o = values;
    if (!take_file(o)) return EXIT_USAGE;
    if ((o->element != NULL) + o->address.given + o->global_address.given > 1)
        return complain(EXIT_USAGE, "--element, --address and --global-address exclude each other");
    if (operands->n == 1 && access(operands->items[0], F_OK) == 0)
        return complain(EXIT_USAGE, "a name is missing: use the name of a tensor, a copy or a layout of %s",
                        operands->items[0]);
    if (operands->n == 1) return draw_expression(operands->items[0], o);
    spec_document doc;
    int code = document_open_valid(&doc, operands->items[0]);
    if (code != EXIT_CLEAN) return code;
    return document_finish(&doc, draw_named(&doc, operands->items[1], o));
}

const command_row draw_command = {
    .name = "draw",
    .summary = "draw a box in shared memory, or a layout",
    .synopsis = "FILE NAME | EXPRESSION",
    .about =
        "Draws the box of a copy, or the first box of a tensor at shared address 0: 128-byte lines of eight\n"
        "16-byte units over the 32 banks, with the coordinates of each element at its swizzled place. --element\n"
        "marks one element by its index in the box, innermost dimension first (3,5), also in a file with order:\n"
        "outer_first, or by axis (k=3,m=5). --address is the inverse: it prints the element at an address and its\n"
        "coordinates, or reports a gap or an address outside the box. Lines that repeat are drawn once.\n\n"
        "A layout of the file, or an expression (tmap help layout), is drawn as the table of its elements: every\n"
        "cell shows the place of its element; the colour shows the thread, lane, bank or line. For a layout,\n"
        "--element requires the index of an element, outermost dimension first, and prints the steps from the\n"
        "element to its places.\n\n"
        "  tmap draw 'local(2,1).spatial(8,4).local(1,2)'\n"
        "  tmap draw --svg tile.svg --type f16 'named(mma_shared_128B, 16, 8, 64)'",
    OPTIONS_IN(draw_options),
    .operands = {1, 2},
    .run = run_draw,
};
