/* What a signal that ends the program (SIGINT, SIGTERM, SIGHUP) must not leave behind: files and folders that were begun,
 * and a program that draws into them.
 *
 * For programs, not for a library: there is one list in a process, and handlers are installed with its first entry, unless
 * the signal is ignored (nohup). The handler kills the child, removes the paths, last first, and lets the signal do its
 * work. Nothing here can fail: what does not fit the list is left behind. */
#ifndef TRACES_CLEANUP_H
#define TRACES_CLEANUP_H

#include <sys/types.h>

/* Before the path is made. */
void cleanup_add(const char *path);
/* It is in its place, or removed. */
void cleanup_forget(const char *path);
/* The child that is running; 0: none. */
void cleanup_child(pid_t child);
/* Between the two, signals wait: for steps that must be done together. */
void cleanup_hold(void);
void cleanup_release(void);

#endif
