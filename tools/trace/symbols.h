/* Symbols of the libraries of this process, by the dynamic linker's list of them. */
#pragma once

/*
 * The definition of `name` in the first library after this one in load order, or NULL. It is dlsym with RTLD_NEXT, but
 * needs no dlsym, and also finds symbols of libraries that were opened RTLD_LOCAL.
 */
void *next_symbol(const char *name);
