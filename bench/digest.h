/* A workload's digest: says whether two results come from the same trace. CRC-32 of the file's bytes as they are on disk. */
#ifndef BENCH_DIGEST_H
#define BENCH_DIGEST_H

#include <stddef.h>

/* "crc32:0123abcd". 0, or CLI_INPUT and one line. */
int digest_file(const char *path, char *text, size_t text_bytes);
/* The same of a text: what a workload without a file was made from. */
void digest_text(const char *of, char *text, size_t text_bytes);

#endif
