#include "bench/digest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "bench/cli.h"

int digest_file(const char *path, char *text, size_t text_bytes)
{
    unsigned char bytes[65536];
    uLong crc = crc32(0, NULL, 0);
    FILE *file = fopen(path, "rbe");
    size_t count;
    if (file == NULL)
        return cli_fail("%s: %s", path, strerror(errno));
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        crc = crc32(crc, bytes, (uInt)count);
    int failed = ferror(file);
    fclose(file);
    if (failed)
        return cli_fail("%s: cannot be read", path);
    snprintf(text, text_bytes, "crc32:%08lx", crc);
    return 0;
}

void digest_text(const char *of, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "crc32:%08lx", crc32(crc32(0, NULL, 0), (const unsigned char *)of, (uInt)strlen(of)));
}
