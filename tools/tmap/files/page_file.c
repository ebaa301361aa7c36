/* Pages as files. */
#include "files/page_file.h"

#include "files/files.h"
#include "output/messages.h"
#include "tmap/unstable/page.h"

int page_write(const char *query, const char *path) {
    tmap_text page = {0};
    tmap_sink sink = tmap_text_sink(&page);
    tmap_page_write(&sink, query);
    int code = sink.failed ? complain_status(TMAP_NO_MEMORY, path) : file_write(path, FILE_TEXT, page.data, page.size);
    tmap_text_free(&page);
    return code;
}
