/* --arch, --toolkit, --assume and -W. */
#include "options/judging_options.h"

#include <string.h>

#include "options/command.h"
#include "output/messages.h"
#include "tmap/unstable/changes.h"
#include "tmap/unstable/counts.h"
#include "tmap/unstable/evidence.h"
#include "tmap/unstable/names.h"
#include "tmap/unstable/tables.h"

static bool add_arch(tmap_archs *archs, const char *name) {
    int arch = tmap_arch_find(name);
    if (arch >= 0) {
        *archs |= (tmap_archs)1 << arch;
        return true;
    }
    if (tmap_arch_is_before_tma(name)) return wrong_usage("'%s' has no TMA: tensor maps require sm_90 or later", name);
    const char *names[TMAP_ARCH_COUNT];
    for (int i = 0; i < TMAP_ARCH_COUNT; i++) names[i] = tmap_arch_get(i)->name;
    const char *meant = tmap_name_suggest("arch", name, names, TMAP_ARCH_COUNT);
    if (meant)
        complain_meant("architecture", name, meant);
    else
        complain_nearest("architecture", name, names, TMAP_ARCH_COUNT);
    return false;
}

bool take_arch(void *at, const char *value) {
    tmap_archs archs = 0;
    *(const char **)at = value;
    return add_arch(&archs, value);
}

bool take_archs(void *at, const char *value) {
    judging_options *judging = at;
    bool good = true;
    for (bool more = true; more;) {
        char name[32];
        size_t length = strcspn(value, ",");
        if (length == 0)
            return wrong_usage("--arch requires names of architectures, 'sm_90' or 'sm_90,sm_100a': one name is empty");
        size_t kept = length < sizeof name ? length : sizeof name - 1;
        memcpy(name, value, kept);
        name[kept] = '\0';
        good = add_arch(&judging->judge.archs, name) && good;
        more = value[length] == ',';
        value += length + more;
    }
    return good;
}

#define TOOLKITS_MAX 64

bool take_toolkit(void *at, const char *value) {
    const char *names[TOOLKITS_MAX];
    size_t n = 0;
    for (; n < TOOLKITS_MAX && tmap_toolkit_get((int)n); n++) names[n] = tmap_toolkit_get((int)n)->name;
    int toolkit = choose_among("toolkit", value, names, n);
    if (toolkit >= 0) ((judging_options *)at)->judge.toolkit = tmap_toolkit_get(toolkit)->cuda;
    return toolkit >= 0;
}

bool take_strict(void *at, const char *value) {
    judging_options *judging = at;
    judging->strict = judging->strict_inferred = strcmp(value, "inferred") == 0;
    if (!judging->strict) complain(EXIT_USAGE, "--strict accepts only the value inferred, not '%s'", value);
    return judging->strict;
}

static int find_alternative(const char *fact) {
    const char *facts[TMAP_ALTERNATIVE_COUNT];
    for (int i = 0; i < TMAP_ALTERNATIVE_COUNT; i++) facts[i] = tmap_alternative_get(i)->facts[0];
    return choose_among("fact with two readings", fact, facts, TMAP_ALTERNATIVE_COUNT);
}

bool take_assume(void *at, const char *value) {
    uint8_t *assume = at;
    char fact[64];
    size_t length = strcspn(value, "=");
    if (value[length] != '=' || length >= sizeof fact)
        return wrong_usage("--assume requires FACT=READING, for example store-partial-unit=units, not '%s'", value);
    memcpy(fact, value, length);
    fact[length] = '\0';
    int found = find_alternative(fact);
    if (found < 0) return false;
    const char *const *readings = tmap_alternative_get(found)->readings;
    for (uint8_t i = 0; i < 2; i++) {
        if (strcmp(value + length + 1, readings[i]) == 0) assume[found] = (uint8_t)(i + 1);
        if (strcmp(value + length + 1, readings[i]) == 0) return true;
    }
    return wrong_usage("--assume: the readings of %s are %s and %s, not '%s'", fact, readings[0], readings[1],
                       value + length + 1);
}

static int find_rule(const char *slug) {
    const char *slugs[TMAP_RULES_MAX];
    size_t n = 0;
    for (; n < TMAP_RULES_MAX && tmap_rule_get((int)n); n++) slugs[n] = tmap_rule_get((int)n)->slug;
    return choose_among("rule", slug, slugs, n);
}

static bool set_level(tmap_judge *judge, const char *slug, tmap_level level) {
    int rule = find_rule(slug);
    if (rule < 0) return false;
    const tmap_rule_info *info = tmap_rule_get(rule);
    bool always = info->severity == TMAP_ERROR && info->about != TMAP_ABOUT_SEQUENCE; /* sequences: some are warnings */
    if (level != TMAP_LEVEL_ERROR && always)
        return wrong_usage("rule %s is an error, which -W cannot disable or weaken", slug);
    judge->levels[rule] = (uint8_t)level;
    return true;
}

bool take_warning(void *at, const char *value) {
    tmap_judge *judge = &((judging_options *)at)->judge;
    if (strcmp(value, "error") == 0) {
        judge->warnings_are_errors = true;
        return true;
    }
    if (strncmp(value, "error=", 6) == 0) return set_level(judge, value + 6, TMAP_LEVEL_ERROR);
    if (strncmp(value, "no-", 3) == 0) return set_level(judge, value + 3, TMAP_LEVEL_OFF);
    return set_level(judge, value, TMAP_LEVEL_WARN);
}
