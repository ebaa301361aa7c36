/* Files that nobody should find when a signal ends the command, and signals that files bring about. */
#ifndef TMAP_TOOL_SIGNALS_H
#define TMAP_TOOL_SIGNALS_H

/* mkstemp, and from then on a signal that ends the process removes the file. `path` stays the caller's and unchanged
 * until forgotten. */
int leaving_make(char *path);
void leaving_forget(const char *path);

/* A mapped file that another process makes shorter, or a disk that is full under one that is written, is SIGBUS: from
 * here on it is said, and the exit code is that of files. */
void leaving_watch_maps(void);

/* Removes what is registered and ends the process by the signal. For a handler. */
void leaving_end_by(int signal_number);

#endif
