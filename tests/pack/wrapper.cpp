// What tmap.hpp adds to the C functions: ownership, moved-from objects, exceptions and their texts.
#include <array>
#include <cstdio>
#include <cstring>
#include <tmap/tmap.hpp>

namespace {

int failures = 0;

void expect(bool holds, const char *what, int line) {
    if (holds) return;
    std::printf("wrapper.cpp:%d: %s\n", line, what);
    failures++;
}
#define EXPECT(condition) expect((condition), #condition, __LINE__)

template <typename Call> tmap::error error_of(Call call, int line) {
    try {
        call();
    } catch (const tmap::error &error) {
        return error;
    }
    expect(false, "nothing was thrown", line);
    return tmap::error(TMAP_INTERNAL, "nothing");
}
#define ERROR_OF(...) error_of([&] { __VA_ARGS__; }, __LINE__)

bool contains(const char *text, const char *part) {
    return std::strstr(text, part) != nullptr;
}

const std::vector<std::uint64_t> dims = {4096, 8192};

tmap::builder operand() {
    return tmap::builder(TMAP_TYPE_F16, dims).box({64, 128}).swizzle(TMAP_SWIZZLE_128B).address(0x7f0000001000);
}

void a_built_map_is_that_of_the_c_functions() {
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_F16, 2);
    params.dims_el[0] = 4096, params.dims_el[1] = 8192, params.strides_B[0] = 8192;
    params.box_el[0] = 64, params.box_el[1] = 128;
    params.swizzle = TMAP_SWIZZLE_128B;
    params.has_address = true, params.address = 0x7f0000001000;
    tmap_descriptor expected, built = operand().archs(TMAP_ARCH_BIT(SM_90A)).build();
    EXPECT(tmap_build(&params, TMAP_ARCH_BIT(SM_90A), &expected, nullptr) == TMAP_OK);
    EXPECT(std::memcmp(&built, &expected, sizeof built) == 0);
    tmap::finding warning;
    const tmap_descriptor once = tmap::build(params, TMAP_ARCH_BIT(SM_90A), &warning);
    EXPECT(std::memcmp(&once, &expected, sizeof once) == 0 && warning.message.empty());
    params.strides_B[0] = 0;
    tmap::build(params, 0, &warning);
    EXPECT(warning.rule == "stride-zero" && warning.severity == TMAP_WARNING);
    params.box_el[0] = 0;
    EXPECT(contains(ERROR_OF(tmap::build(params)).what(), "fix: box_el[0] = 64"));
    const tmap_map_params read = tmap::decode(built);
    EXPECT(read.dims_el[1] == 8192 && read.strides_B[0] == 8192 && read.swizzle == TMAP_SWIZZLE_128B);

    tmap::replace_address(built, 0x7f0000800000);
    tmap::replace_tensor(built, {4096, 777}, {16384});
    EXPECT(tmap::equal(built, tmap::encode(tmap::freeze(tmap::decode(built)), TMAP_ENCODER_DRIVER)));
    EXPECT(tmap::key(built).bytes[8] == (built.bytes[8] & ~2));
    EXPECT(tmap::decode(built).address == 0x7f0000800000 && tmap::decode(built).dims_el[1] == 777);
    tmap::replace_tensor(built, {}, {32768});
    EXPECT(tmap::decode(built).dims_el[1] == 777 && tmap::decode(built).strides_B[0] == 32768);
}

// Box and stride each break a rule; the exception contains both findings, and outlives builder and list.
void a_refusal_has_all_findings() {
    const tmap::error error = ERROR_OF(operand().box({128, 300}).strides({8200}).build());
    EXPECT(error.status() == TMAP_REFUSED);
    std::size_t errors = 0;
    for (const tmap::finding &each : error.findings()) errors += each.severity == TMAP_ERROR;
    EXPECT(errors == 3 && error.findings().size() >= errors);
    EXPECT(contains(error.what(), "map: refused\n"));
    for (const char *rule : {"[box-inner-span]", "[box-extent]", "[stride-align]"})
        EXPECT(contains(error.what(), rule));
    EXPECT(contains(error.what(), "; fix: box[0]: 64"));
    EXPECT(contains(error.what(), "error: "));
    EXPECT(operand().box({128, 300}).strides({8200}).check().size() == error.findings().size());
    EXPECT(operand().check().empty());
    const auto found = operand().box({128, 128}).check();
    EXPECT(found.size() == 1 && found[0].rule == "box-inner-span" && found[0].field == TMAP_FIELD_BOX &&
           found[0].dim == 0);
}

void errors_are_copied_and_moved() {
    tmap::error first = ERROR_OF(operand().box({128, 128}).build());
    const std::string text = first.what();
    const tmap::error copy = first, moved = std::move(first);
    EXPECT(copy.what() == text && moved.what() == text && first.what() == text); // moving copies
    first = tmap::error(TMAP_IO, "other");
    EXPECT(copy.findings().size() == 1 && moved.what() == text && std::string(first.what()) == "other");
    static_assert(std::is_nothrow_copy_constructible_v<tmap::error>);
}

void wrong_numbers_of_entries_are_refused() {
    const tmap::error box = ERROR_OF(operand().box({64, 128, 1}));
    EXPECT(box.status() == TMAP_BAD_ARGUMENT && std::string(box.what()) == "box has 3 entries; allowed: 2");
    EXPECT(contains(ERROR_OF(operand().strides({1, 2})).what(), "strides has 2 entries; allowed: 1"));
    EXPECT(contains(ERROR_OF(tmap::builder(TMAP_TYPE_U8, {1, 1, 1, 1, 1, 1})).what(),
                    "dims has 6 entries; allowed: 1 to 5"));
    EXPECT(contains(ERROR_OF(tmap::builder(TMAP_TYPE_U8, tmap::span<const std::uint64_t>())).what(), "dims has 0"));
    tmap_descriptor built = operand().build();
    const tmap_descriptor before = built;
    EXPECT(contains(ERROR_OF(tmap::replace_tensor(built, {1, 1, 1}, {})).what(), "dims has 3 entries; allowed: 2"));
    EXPECT(contains(ERROR_OF(tmap::replace_address(built, 8)).what(), "replace_address: "));
    EXPECT(std::memcmp(&built, &before, sizeof built) == 0);
}

// No source shows how a descriptor stores the wide modes.
void what_cannot_be_encoded_says_why() {
    tmap_map_params params = tmap_map_params_tiled(TMAP_TYPE_F16, 4);
    tmap_map map = {};
    params.mode = TMAP_MODE_IM2COL_W;
    map.params = params;
    const tmap::error error = ERROR_OF(tmap::encode(map));
    EXPECT(error.status() == TMAP_UNAVAILABLE &&
           contains(error.what(), tmap_descriptor_unknown_mode(TMAP_MODE_IM2COL_W)));
}

void lists_and_texts_move() {
    tmap::diagnostics list;
    const tmap_map_params bad = operand().box({128, 300}).params();
    EXPECT(tmap_check_map(&bad, nullptr, list.get()) == TMAP_REFUSED && list.size() == 2);
    tmap::diagnostics other = std::move(list);
    EXPECT(list.empty() && list.findings().empty() && list.begin() == list.end() && other.size() == 2);
    EXPECT(tmap_check_map(&bad, nullptr, list.get()) == TMAP_REFUSED && list.size() == 2); // the list is used again
    list = std::move(other);
    EXPECT(list.size() == 2 && other.empty() && list[0].severity == TMAP_ERROR);

    tmap::text text;
    EXPECT(text.str().empty());
    tmap_sink sink = text.sink();
    tmap_puts(&sink, "one");
    tmap::text next = std::move(text);
    EXPECT(text.view().empty() && next.str() == "one");
    sink = text.sink();
    tmap_puts(&sink, "two");
    next = std::move(text);
    EXPECT(next.view() == "two" && text.view().empty());
}

// A load of a u8 box that extends beyond the edge: unchanged bytes inside, zeros outside; then stored back.
void copies_are_emulated() {
    const tmap_map map = tmap::builder(TMAP_TYPE_U8, {32, 4}).box({32, 2}).freeze();
    tmap_copy_params at = {};
    at.at_n = 2, at.at[1] = 3;
    std::array<std::uint8_t, 128> global, back = {};
    for (std::size_t i = 0; i < global.size(); i++) global[i] = static_cast<std::uint8_t>(i);
    std::vector<std::uint8_t> shared(64, 0xff);
    EXPECT(tmap::check(map.params, at).empty());
    tmap_copy_result result = tmap::emulate_load(tmap::freeze(map, at), global, shared);
    EXPECT(result.tx_B == 64 && result.filled_B == 32);
    for (std::size_t i = 0; i < 64; i++) EXPECT(shared[i] == (i < 32 ? 96 + i : 0));
    at.op = TMAP_OP_STORE;
    result = tmap::emulate_store(tmap::freeze(map, at), shared, back);
    EXPECT(result.written_B == 32 && back[96] == 96 && back[127] == 127 && back[95] == 0);
    EXPECT(ERROR_OF(tmap::emulate_load(tmap::freeze(map, at), global, {shared.data(), 8})).status() ==
           TMAP_BAD_ARGUMENT);
    at.shared = 3;
    EXPECT(contains(ERROR_OF(tmap::freeze(map, at)).what(), "[copy-shared-align]"));
}

void dltensors_are_read() {
    std::int64_t shape[] = {512, 1024}, strides[] = {1024, 1};
    tmap_dl_tensor tensor = {};
    tensor.data = reinterpret_cast<void *>(0x7f0000000000);
    tensor.device.device_type = 2; // kDLCUDA
    tensor.ndim = 2;
    tensor.dtype.code = 2, tensor.dtype.bits = 16, tensor.dtype.lanes = 1;
    tensor.shape = shape, tensor.strides = strides;
    const tmap::builder made(tensor, {128, 64});
    EXPECT(made.params().dims_el[0] == 1024 && made.params().box_el[0] == 64 && made.check().empty());
    tensor.device.device_type = 1; // kDLCPU
    EXPECT(contains(ERROR_OF(tmap::builder(tensor, {128, 64})).what(), "DLTensor: "));
    EXPECT(contains(ERROR_OF(tmap::builder(tensor, {128})).what(), "box has 1 entries; allowed: 2"));
}

void a_back_end_without_a_driver_is_native() {
    const tmap::backend backend;
    EXPECT(backend.status() == TMAP_OK && !backend.get().uses_driver &&
           contains(backend.why().message.c_str(), "native"));
    const tmap_descriptor built = backend.build(operand().params()), expected = operand().build();
    EXPECT(std::memcmp(&built, &expected, sizeof built) == 0);
    tmap_backend_options options = {};
    options.maps_n = 1;
    EXPECT(ERROR_OF(tmap::backend{options}).status() == TMAP_BAD_ARGUMENT);
}

} // namespace

int main() {
    a_built_map_is_that_of_the_c_functions();
    a_refusal_has_all_findings();
    errors_are_copied_and_moved();
    wrong_numbers_of_entries_are_refused();
    what_cannot_be_encoded_says_why();
    lists_and_texts_move();
    copies_are_emulated();
    dltensors_are_read();
    a_back_end_without_a_driver_is_native();
    std::printf("%s\n", failures ? "failed" : "wrapper");
    return failures != 0;
}
