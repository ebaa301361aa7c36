/* Symbols of the libraries of this process, from the dynamic linker's list of libraries. */
#pragma once

/*
 * The definition of `name` in the first library after this one in load order, or NULL. Like dlsym with RTLD_NEXT, but
 * needs no dlsym, and also finds symbols of libraries that were opened with RTLD_LOCAL.
 */
void *next_symbol(const char *name);
