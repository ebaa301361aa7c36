/* hw: the limits of an mbarrier. Source: PTX ISA 9.1, "Size and alignment of mbarrier object" and "Contents of the
 * mbarrier object": expected arrivals are 1 to 2^20 - 1, tx-count -(2^20 - 1) to 2^20 - 1. */
#pragma once

enum { TMAP_BARRIER_B = 8, TMAP_BARRIER_COUNT_MOST = (1 << 20) - 1, TMAP_TX_MOST_B = (1 << 20) - 1 };
