#include "config/config_data.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
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
