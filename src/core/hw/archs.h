/* hw: the sets of architectures that rows and rules use. */
#pragma once

#include "tmap/unstable/counts.h"

#define TMAP_ARCHS_90        (TMAP_ARCH_BIT(SM_90) | TMAP_ARCH_BIT(SM_90A))
#define TMAP_ARCHS_100       (TMAP_ARCH_BIT(SM_100) | TMAP_ARCH_BIT(SM_100A) | TMAP_ARCH_BIT(SM_100F))
#define TMAP_ARCHS_103       (TMAP_ARCH_BIT(SM_103) | TMAP_ARCH_BIT(SM_103A) | TMAP_ARCH_BIT(SM_103F))
#define TMAP_ARCHS_107       (TMAP_ARCH_BIT(SM_107) | TMAP_ARCH_BIT(SM_107A) | TMAP_ARCH_BIT(SM_107F))
#define TMAP_ARCHS_110       (TMAP_ARCH_BIT(SM_110) | TMAP_ARCH_BIT(SM_110A) | TMAP_ARCH_BIT(SM_110F))
#define TMAP_ARCHS_120       (TMAP_ARCH_BIT(SM_120) | TMAP_ARCH_BIT(SM_120A) | TMAP_ARCH_BIT(SM_120F))
#define TMAP_ARCHS_121       (TMAP_ARCH_BIT(SM_121) | TMAP_ARCH_BIT(SM_121A) | TMAP_ARCH_BIT(SM_121F))
#define TMAP_ARCHS_12X       (TMAP_ARCHS_120 | TMAP_ARCHS_121)
#define TMAP_ARCHS_WGMMA     TMAP_ARCH_BIT(SM_90A)
#define TMAP_ARCHS_SINCE_100 (TMAP_ARCHS_ALL & ~TMAP_ARCHS_90)
#define TMAP_ARCHS_BLACKWELL (TMAP_ARCHS_SINCE_100 & ~TMAP_ARCHS_107)
/* Architectures whose stores of b6p2x16 also accept rows of 64 values (PTX ISA 9.4, Restriction on Tensor Copy). */
#define TMAP_ARCHS_NARROW_SIXES (TMAP_ARCH_BIT(SM_103A) | TMAP_ARCH_BIT(SM_107A) | TMAP_ARCH_BIT(SM_107F))
#define TMAP_ARCHS_107AF        (TMAP_ARCH_BIT(SM_107A) | TMAP_ARCH_BIT(SM_107F))
#define TMAP_ARCHS_96B          (TMAP_ARCH_BIT(SM_103A) | TMAP_ARCH_BIT(SM_107A))
/* The a and f targets of the data-centre Blackwell GPUs and of sm_107. */
#define TMAP_ARCHS_100FA                                                                                               \
    ((TMAP_ARCHS_100 | TMAP_ARCHS_103 | TMAP_ARCHS_107 | TMAP_ARCHS_110) &                                             \
     ~(TMAP_ARCH_BIT(SM_100) | TMAP_ARCH_BIT(SM_103) | TMAP_ARCH_BIT(SM_107) | TMAP_ARCH_BIT(SM_110)))

/* At least the number of rows of facts.def; a test compares them. */
#define TMAP_FACTS_MAX 256

/* The smallest shared_window_B of all architectures: a box that ends before this address fits on every architecture. */
#define TMAP_LEAST_WINDOW_B (100u << 10)
