/* Where the data files lie: beside the program in its source tree, else in the share/rnicsim of the prefix in which the
 * program or the library stands, else where the build was told to install (RNICSIM_DATADIR). */
#ifndef CONFIG_CONFIG_DATA_H
#define CONFIG_CONFIG_DATA_H

#include <stddef.h>

/* The first of these places that holds the folder `name`: boards, nics, macs, endpoints, hosts, parts, plots, validation, cdf or samples. 0; or -1 when none does,
 * with the last place in `folder`, for the message; or when it does not fit, with an empty `folder`. */
int config_data_folder(const char *name, char *folder, size_t bytes);

/* The stems of a folder's files that end in `ending` (".board"), each followed by a NUL, sorted; an empty one ends them. To be freed.
 * NULL: there is no such folder, it is empty, or no memory. */
char *config_data_list(const char *folder, const char *ending);

#endif
