/* cmocka with the headers that it wants before it, and a table-driven helper. */
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
