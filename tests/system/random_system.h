/* A random but sound system and its load, of a seed: boards, links, schedulers, caches, transports, faults. */
#ifndef TESTS_SYSTEM_RANDOM_SYSTEM_H
#define TESTS_SYSTEM_RANDOM_SYSTEM_H

#include "tests/system/scenario.h"

/* text: where the settings stand, as long as the scenario is used. */
struct scenario random_system(uint64_t seed, char text[SCENARIO_SETS_MAX][96]);
/* Whether a setting begins so. */
int random_system_has(const struct scenario *s, const char *key_and_begin);

#endif
