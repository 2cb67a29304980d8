#include "config/config_data.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef RNICSIM_DATADIR
#define RNICSIM_DATADIR "/usr/local/share/rnicsim"
#endif

#define INSTALLED "/../share/rnicsim"

/* Cuts the file's name off; 0 when there is a folder before it. */
static int keep_folder(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash == NULL)
        return -1;
    *slash = '\0';
    return 0;
}

static int program_folder(char *folder)
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);

    folder[length > 0 ? length : 0] = '\0';
    return keep_folder(folder);
}

/* Of the shared object that holds this code; where it is linked in, of the program. */
static int library_folder(char *folder)
{
    Dl_info info;

    if (dladdr(config_data_folder, &info) == 0 || info.dli_fname == NULL ||
        snprintf(folder, PATH_MAX, "%s", info.dli_fname) >= PATH_MAX)
        return -1;
    return keep_folder(folder);
}

/* Writes ROOT SUB / NAME; 1 when that is a folder. */
static int holds(const char *root, const char *sub, const char *name, char *folder, size_t bytes)
{
    struct stat status;
    int length = snprintf(folder, bytes, "%s%s/%s", root, sub, name);

    if (length < 0 || (size_t)length >= bytes) {
        *folder = '\0';
        return 0;
    }
    return stat(folder, &status) == 0 && S_ISDIR(status.st_mode);
}

int config_data_folder(const char *name, char *folder, size_t bytes)
{
    static const char *const beside[] = {"/model/config", "/bench", "/traces", INSTALLED};
    char root[PATH_MAX];

    if (program_folder(root) == 0)
        for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++)
            if (holds(root, beside[i], name, folder, bytes))
                return 0;
    if (library_folder(root) == 0 && holds(root, INSTALLED, name, folder, bytes))
        return 0;
    return holds(RNICSIM_DATADIR, "", name, folder, bytes) ? 0 : -1;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* alphasort() would follow the locale */
}

/* Writes the stem and its NUL to `end` when the file's name ends so; returns what is behind it. */
static char *add_stem(char *end, const char *file, const char *ending)
{
    const char *dot = strrchr(file, '.');

    if (dot == NULL || dot == file || strcmp(dot, ending) != 0)
        return end;
    size_t length = (size_t)(dot - file);
    memcpy(end, file, length);
    end[length] = '\0';
    return end + length + 1;
}

char *config_data_list(const char *folder, const char *ending)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, by_bytes);
    char *names = count > 0 ? calloc((size_t)count + 1, NAME_MAX + 1) : NULL;
    char *end = names;

    for (int i = 0; i < count; i++) {
        if (names != NULL)
            end = add_stem(end, entries[i]->d_name, ending);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return names;
}
