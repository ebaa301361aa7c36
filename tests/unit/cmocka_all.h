/* cmocka after the headers that it requires, and a helper for table-driven tests. */
#ifndef TMAP_CMOCKA_ALL_H
#define TMAP_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

#endif
