/* `tmap complete`, which the completions of the shells call; no help lists it. */
#pragma once

/*
 * Prints the words that fit in place of the last of `words`, which follow "tmap" on a command line: one in each line,
 * with its meaning after a tab. Of "--option=value", only the value is replaced. Returns EXIT_CLEAN, or EXIT_FINDINGS
 * if names of files also fit.
 */
int complete_words(int n, char **words);
