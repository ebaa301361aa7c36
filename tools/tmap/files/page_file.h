/* Pages as files. */
#ifndef TMAP_TOOL_PAGE_FILE_H
#define TMAP_TOOL_PAGE_FILE_H

/* Writes the page that opens with `query`; answers an exit code. */
int page_write(const char *query, const char *path);

#endif
