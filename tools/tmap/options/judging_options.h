/* The options that control the rules, for every command that runs them. */
#pragma once

#include "options/size_options.h"
#include "tmap/rule.h"

typedef struct judging_options {
    tmap_judge judge;
    bool strict, strict_inferred; /* --strict=inferred sets both */
} judging_options;

bool take_arch(void *at, const char *value);    /* at: the name */
bool take_archs(void *at, const char *value);   /* at: a judging_options */
bool take_toolkit(void *at, const char *value); /* the same */
bool take_warning(void *at, const char *value); /* the same */
bool take_strict(void *at, const char *value);  /* the same */
bool take_assume(void *at, const char *value);  /* at: the assume of a tmap_judge */

/* Rows for the option table of a command. Its struct `type` has the judging_options `member`. */
#define ARCH_OPTION(type, member)                                                                                      \
    { "--arch", "A[,B]", "check for these architectures (tmap list archs)", offsetof(type, member), take_archs }

#define RULE_OPTIONS(type, member)                                                                                     \
    ARCH_OPTION(type, member),                                                                                         \
        {"--toolkit", "RELEASE", "check for this CUDA release (tmap list toolkits)", offsetof(type, member),           \
         take_toolkit},                                                                                                \
        {"-W", "SLUG", "make advice of rule [SLUG] a warning; -Wno-SLUG hides advice and warnings",                    \
         offsetof(type, member), take_warning},                                                                        \
    {                                                                                                                  \
        "-W", "error[=SLUG]", "make all warnings, or advice and warnings of rule [SLUG], errors",                      \
            offsetof(type, member), take_warning                                                                       \
    }

/* For commands that predict the effects of copies. */
#define ASSUME_OPTION(type, member)                                                                                    \
    {                                                                                                                  \
        "--assume", "FACT=READING", "predict by this reading of a fact (tmap list readings)", offsetof(type, member),  \
            take_assume                                                                                                \
    }

/* As ARCH_OPTION, with -D and --strict: for commands that read specs and whose results depend on facts about the
 * hardware. */
#define JUDGING_OPTIONS(type, member)                                                                                  \
    RULE_OPTIONS(type, member), SIZE_OPTION,                                                                           \
        {"--strict", NULL, "reject results based on unknown, contested or refuted facts",                              \
         offsetof(type, member.strict), NULL},                                                                         \
    {                                                                                                                  \
        "--strict", "inferred", "also reject results based on inferred facts", offsetof(type, member), take_strict     \
    }
