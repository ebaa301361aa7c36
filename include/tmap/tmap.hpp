/*
 * tmap for C++17: the stable tier with objects that free their resources. Functions accept spans, return vectors, and
 * throw one exception type that contains all findings. The header needs no library of its own; link tmap::core or
 * tmap::tmap. The order of dimensions, units and rules are those of the C functions. Pass {} as a tmap_judge for the
 * default: every architecture.
 *
 * Every function throws tmap::error if a call is refused, and std::bad_alloc if there is no memory. A function that
 * throws does not change its arguments.
 *
 * Since 0.2.0, unless a comment below states another release.
 */
#ifndef TMAP_TMAP_HPP
#define TMAP_TMAP_HPP

#include <algorithm>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tmap/tmap.h"

namespace tmap {

/* Contiguous elements of another owner: a container, a C array, or a list in braces during a call. */
template <typename T> class span {
  public:
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {
    }
    template <typename Container,
              typename = std::enable_if_t<std::is_convertible_v<decltype(std::data(std::declval<Container &>())), T *>>>
    constexpr span(Container &&from) noexcept : data_(std::data(from)), size_(std::size(from)) {
    }
    constexpr span(std::initializer_list<std::remove_const_t<T>> list) noexcept : span(list.begin(), list.size()) {
    }

    constexpr T *data() const noexcept {
        return data_;
    }
    constexpr std::size_t size() const noexcept {
        return size_;
    }
    constexpr bool empty() const noexcept {
        return size_ == 0;
    }
    constexpr T *begin() const noexcept {
        return data_;
    }
    constexpr T *end() const noexcept {
        return data_ + size_;
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

/*
 * A finding that owns its texts: it stays valid after the checked object is gone. An empty text means that the finding
 * does not have this part.
 */
struct finding {
    tmap_severity severity = TMAP_ERROR;
    tmap_enforcer enforced_by = TMAP_BY_NOBODY;
    tmap_archs archs = 0;     /* architectures to which the finding applies; 0: all */
    int field = -1, dim = -1; /* a tmap_field and its dimension, innermost 0; -1: none */
    std::string rule, subject, key, message, given, allowed, fix, symptom, evidence;
    std::vector<std::string> notes;

    finding() = default;
    explicit finding(const tmap_diag &diag)
        : severity(diag.severity), enforced_by(diag.enforced_by), archs(diag.archs), field(diag.field), dim(diag.dim),
          rule(text_of(diag.rule)), subject(text_of(diag.subject)), key(text_of(diag.key)), message(diag.message),
          given(diag.given), allowed(diag.allowed), fix(fix_of(diag)), symptom(text_of(diag.symptom)),
          evidence(text_of(tmap_diag_evidence(&diag))) {
        if (diag.source) notes.push_back(std::string("from ") + diag.source + ":" + std::to_string(diag.source_line));
        for (int i = 0; i < diag.notes_n; i++) notes.emplace_back(diag.notes[i].text);
    }

    /* Returns "error: MESSAGE; given: …; allowed: …; fix: … [RULE]" on one line, without empty parts. */
    std::string text() const {
        std::string line = tmap_severity_name(severity);
        line += ": " + message;
        const std::pair<const char *, const std::string &> parts[] = {
            {"; given: ", given}, {"; allowed: ", allowed}, {"; fix: ", fix}};
        for (const auto &[name, part] : parts)
            if (!part.empty()) line += name + part;
        return rule.empty() ? line : line + " [" + rule + "]";
    }

  private:
    static const char *text_of(const char *text) noexcept {
        return text ? text : "";
    }
    static std::string fix_of(const tmap_diag &diag) {
        char text[TMAP_FIX_TEXT_MAX];
        return tmap_fix_text(&diag, text, sizeof text);
    }
};

/* The exception of a refused call. Copies share their content, so that copying does not throw; a move is a copy. */
class error : public std::exception {
  public:
    error(tmap_status status, std::string message, std::vector<finding> findings = {})
        : content_(std::make_shared<const content>(content{status, std::move(message), std::move(findings)})) {
    }
    error(const error &) noexcept = default;
    error &operator=(const error &) noexcept = default;

    /* The message, then each finding on a line of its own. */
    const char *what() const noexcept override {
        return content_->message.c_str();
    }
    tmap_status status() const noexcept {
        return content_->status;
    }
    /* All findings of the call, including warnings and advice; for a call that fills in one record, that record. */
    const std::vector<finding> &findings() const noexcept {
        return content_->findings;
    }

  private:
    struct content {
        tmap_status status;
        std::string message;
        std::vector<finding> findings;
    };
    std::shared_ptr<const content> content_;
};

/* Owns a tmap_diags. A moved-from list is empty and usable. */
class diagnostics {
  public:
    diagnostics() noexcept = default;
    diagnostics(diagnostics &&other) noexcept : list_(std::exchange(other.list_, tmap_diags{})) {
    }
    diagnostics &operator=(diagnostics &&other) noexcept {
        std::swap(list_, other.list_);
        other.clear();
        return *this;
    }
    ~diagnostics() {
        tmap_diags_free(&list_);
    }

    tmap_diags *get() noexcept {
        return &list_;
    }
    std::size_t size() const noexcept {
        return list_.count;
    }
    bool empty() const noexcept {
        return list_.count == 0;
    }
    const tmap_diag &operator[](std::size_t i) const noexcept {
        return list_.items[i];
    }
    const tmap_diag *begin() const noexcept {
        return list_.items;
    }
    const tmap_diag *end() const noexcept {
        return list_.items + list_.count;
    }
    void clear() noexcept {
        tmap_diags_free(&list_);
        list_ = tmap_diags{};
    }
    /* Returns copies of the findings; throws std::bad_alloc if the list had no memory for a finding. */
    std::vector<finding> findings() const {
        if (list_.dropped > 0) throw std::bad_alloc();
        std::vector<finding> copies;
        for (const tmap_diag &diag : *this) copies.emplace_back(diag);
        return copies;
    }

  private:
    tmap_diags list_ = {};
};

/* Owns a growing text. A sink of the text is valid until the text is moved or destroyed. */
class text {
  public:
    text() noexcept = default;
    text(text &&other) noexcept : text_(std::exchange(other.text_, tmap_text{})) {
    }
    text &operator=(text &&other) noexcept {
        std::swap(text_, other.text_);
        tmap_text_free(&other.text_);
        return *this;
    }
    ~text() {
        tmap_text_free(&text_);
    }

    tmap_sink sink() noexcept {
        return tmap_text_sink(&text_);
    }
    std::string_view view() const noexcept {
        return {text_.data ? text_.data : "", text_.size};
    }
    std::string str() const {
        return std::string(view());
    }

  private:
    tmap_text text_ = {};
};

namespace detail {

[[noreturn]] inline void fail(tmap_status status, std::string message, std::vector<finding> findings = {}) {
    if (status == TMAP_NO_MEMORY) throw std::bad_alloc();
    for (const finding &each : findings) message += "\n" + each.text();
    throw error(status, std::move(message), std::move(findings));
}

inline void require(tmap_status status, const char *call, const diagnostics &found) {
    if (status != TMAP_OK) fail(status, std::string(call) + ": " + tmap_status_name(status), found.findings());
}

/* For calls that fill in one record. */
inline void require(tmap_status status, const char *call, const tmap_diag &refusal) {
    if (status == TMAP_OK) return;
    if (status == TMAP_NO_MEMORY) throw std::bad_alloc();
    char line[1200];
    throw error(status, std::string(call) + ": " + tmap_diag_line(&refusal, line, sizeof line), {finding(refusal)});
}

/* For calls that return only a status. */
inline void require(tmap_status status, const char *call) {
    if (status != TMAP_OK) fail(status, std::string(call) + ": " + tmap_status_name(status));
}

inline void require_size(const char *what, std::size_t given, std::size_t wanted) {
    if (given == wanted) return;
    fail(TMAP_BAD_ARGUMENT,
         std::string(what) + " has " + std::to_string(given) + " entries; allowed: " + std::to_string(wanted));
}

} // namespace detail

/* ---- Checking and freezing ---- */

/*
 * Checks a map or a copy and returns all findings; findings are not thrown. Throws if the arguments of the call are
 * wrong.
 */
inline std::vector<finding> check(const tmap_map_params &map, const tmap_judge &judge = {}) {
    diagnostics found;
    const tmap_status status = tmap_check_map(&map, &judge, found.get());
    if (status != TMAP_REFUSED) detail::require(status, "check", found);
    return found.findings();
}

inline std::vector<finding> check(const tmap_map_params &map, const tmap_copy_params &copy,
                                  const tmap_judge &judge = {}) {
    diagnostics found;
    const tmap_status status = tmap_check_copy(&map, &copy, &judge, found.get());
    if (status != TMAP_REFUSED) detail::require(status, "check", found);
    return found.findings();
}

/* Check and freeze a map or a copy; throw if a rule of severity error is broken. */
inline tmap_map freeze(const tmap_map_params &params, const tmap_judge &judge = {}) {
    diagnostics found;
    tmap_map map;
    detail::require(tmap_map_init(&map, &params, &judge, found.get()), "map", found);
    return map;
}

inline tmap_copy freeze(const tmap_map &map, const tmap_copy_params &params, const tmap_judge &judge = {}) {
    diagnostics found;
    tmap_copy copy;
    detail::require(tmap_copy_init(&copy, &map, &params, &judge, found.get()), "copy", found);
    return copy;
}

/* ---- Descriptors ---- */

/* Encodes a map natively, in the form of `encoder`; throws for a mode that tmap cannot encode. */
inline tmap_descriptor encode(const tmap_map &map, tmap_encoder encoder = TMAP_ENCODER_DSL) {
    tmap_descriptor descriptor;
    if (!tmap_descriptor_encode_as(&map, encoder, &descriptor))
        detail::fail(TMAP_UNAVAILABLE, std::string("encode: ") + tmap_descriptor_unknown_mode(map.params.mode));
    return descriptor;
}

/* Checks parameters and encodes them natively. */
inline tmap_descriptor encode(const tmap_map_params &params, const tmap_judge &judge = {}) {
    return encode(freeze(params, judge));
}

/* As tmap_build. Writes the first warning to *warning; its message is empty if there is none. Since 0.3.0. */
inline tmap_descriptor build(const tmap_map_params &params, tmap_archs archs = 0, finding *warning = nullptr) {
    tmap_diag record = {};
    tmap_descriptor descriptor;
    detail::require(tmap_build(&params, archs, &descriptor, &record), "build", record);
    if (warning != nullptr) *warning = finding(record);
    return descriptor;
}

/* tmap_descriptor_key and tmap_descriptor_equal, for caches of descriptors. Since 0.3.0. */
inline tmap_descriptor key(const tmap_descriptor &descriptor) {
    tmap_descriptor found;
    tmap_descriptor_key(&descriptor, &found);
    return found;
}

inline bool equal(const tmap_descriptor &a, const tmap_descriptor &b) {
    return tmap_descriptor_equal(&a, &b);
}

/* Decodes a descriptor. The parameters are not checked: call check. */
inline tmap_map_params decode(const tmap_descriptor &descriptor, const tmap_judge &judge = {}) {
    diagnostics found;
    tmap_map_params params;
    detail::require(tmap_descriptor_decode(&descriptor, &params, &judge, found.get()), "decode", found);
    return params;
}

inline void replace_address(tmap_descriptor &descriptor, std::uint64_t address, tmap_archs archs = 0) {
    tmap_diag refusal = {};
    detail::require(tmap_replace_address(&descriptor, address, archs, &refusal), "replace_address", refusal);
}

/*
 * Changes dims and strides. Empty dims or strides keep the descriptor's numbers; otherwise dims has as many entries as
 * the map's rank, and strides one fewer.
 */
inline void replace_tensor(tmap_descriptor &descriptor, span<const std::uint64_t> dims_el,
                           span<const std::uint64_t> strides_B, tmap_archs archs = 0) {
    tmap_diag refusal = {};
    const std::size_t rank = static_cast<std::size_t>(tmap_descriptor_rank(&descriptor));
    if (!dims_el.empty()) detail::require_size("dims", dims_el.size(), rank);
    if (!strides_B.empty()) detail::require_size("strides", strides_B.size(), rank - 1);
    detail::require(tmap_replace_tensor(&descriptor, rank, dims_el.data(), strides_B.data(), archs, &refusal),
                    "replace_tensor", refusal);
}

/* ---- Building ---- */

/* Builds a tensor map, parameter by parameter. Until strides() is called, the tensor is dense, without interleave. */
class builder {
  public:
    builder(tmap_type type, span<const std::uint64_t> dims_el) : params_(tmap_map_params_tiled(type, dims_el.size())) {
        if (dims_el.empty() || dims_el.size() > TMAP_RANK_MAX)
            detail::fail(TMAP_BAD_ARGUMENT, "dims has " + std::to_string(dims_el.size()) + " entries; allowed: 1 to " +
                                                std::to_string(TMAP_RANK_MAX));
        std::copy(dims_el.begin(), dims_el.end(), params_.dims_el);
        if (!tmap_map_params_dense(&params_)) detail::fail(TMAP_REFUSED, "strides of a dense tensor exceed 64 bits");
    }
    /*
     * Starts from a DLTensor. `box` is outermost first, as the tensor's shape; if it is empty, set the box afterwards.
     */
    explicit builder(const tmap_dl_tensor &tensor, span<const std::int64_t> box = {}) : params_() {
        tmap_diag refusal = {};
        if (!box.empty()) detail::require_size("box", box.size(), static_cast<std::size_t>(tensor.ndim));
        detail::require(tmap_params_from_dlpack(&tensor, box.data(), &params_, &refusal), "DLTensor", refusal);
    }

    builder &strides(span<const std::uint64_t> strides_B) {
        return set("strides", strides_B, params_.strides_B, 1);
    }
    builder &box(span<const std::uint64_t> box_el) {
        return set("box", box_el, params_.box_el, 0);
    }
    builder &element_strides(span<const std::uint64_t> steps) {
        return set("element_strides", steps, params_.element_strides, 0);
    }
    builder &address(std::uint64_t address) noexcept {
        params_.has_address = true;
        params_.address = address;
        return *this;
    }
    builder &address(const void *address) noexcept {
        return this->address(reinterpret_cast<std::uintptr_t>(address));
    }
    builder &swizzle(tmap_swizzle swizzle) noexcept {
        return params_.swizzle = swizzle, *this;
    }
    builder &interleave(tmap_interleave interleave) noexcept {
        return params_.interleave = interleave, *this;
    }
    builder &l2_promotion(tmap_l2_promotion promotion) noexcept {
        return params_.l2_promotion = promotion, *this;
    }
    builder &oob_fill(tmap_oob_fill fill) noexcept {
        return params_.oob_fill = fill, *this;
    }
    /* The architectures for which the map is checked; default: every architecture. */
    builder &archs(tmap_archs archs) noexcept {
        return judge_.archs = archs, *this;
    }

    /* All parameters, for members that have no function above. */
    tmap_map_params &params() noexcept {
        return params_;
    }
    const tmap_map_params &params() const noexcept {
        return params_;
    }
    std::vector<finding> check() const {
        return tmap::check(params_, judge_);
    }
    tmap_map freeze() const {
        return tmap::freeze(params_, judge_);
    }
    tmap_descriptor build() const {
        return encode(freeze());
    }

  private:
    builder &set(const char *what, span<const std::uint64_t> from, std::uint64_t *to, std::size_t fewer) {
        detail::require_size(what, from.size(), std::min<std::size_t>(params_.rank, TMAP_RANK_MAX) - fewer);
        std::copy(from.begin(), from.end(), to);
        return *this;
    }

    tmap_map_params params_;
    tmap_judge judge_ = {};
};

/* Builds natively or with this machine's driver. Threads may share a const back end; see tmap_backend_init. */
class backend {
  public:
    explicit backend(const tmap_backend_options &options = {}) {
        status_ = tmap_backend_init(&backend_, &options);
        if (status_ == TMAP_BAD_ARGUMENT) detail::require(status_, "backend", backend_.why);
    }
    /* Other than TMAP_OK: the back end is native. */
    tmap_status status() const noexcept {
        return status_;
    }
    /* The reason why the back end is native or uses the driver. */
    finding why() const {
        return finding(backend_.why);
    }
    const tmap_backend &get() const noexcept {
        return backend_;
    }
    tmap_descriptor build(const tmap_map_params &params) const {
        tmap_diag refusal = {};
        tmap_descriptor descriptor;
        detail::require(tmap_backend_build(&backend_, &params, &descriptor, &refusal), "build", refusal);
        return descriptor;
    }

  private:
    tmap_backend backend_ = {};
    tmap_status status_ = TMAP_OK;
};

/* ---- Emulating ---- */

/*
 * Loads a box into `shared`, the bytes of shared memory from the copy's shared address on; `global` begins at the
 * tensor's address.
 */
inline tmap_copy_result emulate_load(const tmap_copy &copy, span<const std::uint8_t> global,
                                     span<std::uint8_t> shared) {
    tmap_memory memory = {};
    memory.bytes = const_cast<std::uint8_t *>(global.data()); // loads only read it
    memory.size_B = global.size();
    tmap_copy_result result;
    detail::require(tmap_emulate_load(&copy, &memory, shared.data(), shared.size(), &result), "load");
    return result;
}

/* Executes a store or a reduction. */
inline tmap_copy_result emulate_store(const tmap_copy &copy, span<const std::uint8_t> shared,
                                      span<std::uint8_t> global) {
    tmap_memory memory = {};
    memory.bytes = global.data();
    memory.size_B = global.size();
    tmap_copy_result result;
    const auto emulate = copy.op->reduces ? tmap_emulate_reduce : tmap_emulate_store;
    detail::require(emulate(&copy, shared.data(), shared.size(), &memory, &result), "store");
    return result;
}

} // namespace tmap

#endif
