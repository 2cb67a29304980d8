/* A file's digest: says whether two results come from the same trace. CRC-32 of its bytes as they are on disk. */
#ifndef BENCH_DIGEST_H
#define BENCH_DIGEST_H

#include <stddef.h>

/* "crc32:0123abcd". 0, or CLI_INPUT and one line. */
int digest_file(const char *path, char *text, size_t text_bytes);

#endif
