#include "bench/pciebench_values.h"

#include <stdarg.h>
#include <string.h>

#define WRITE_NS 65     /* of the presets: what a write takes is in no test of pcie-bench apart */
#define WRITE_ACK_NS 59 /* the mean of three machines, command path (model/config/hosts) */
#define IDLE_NS \
    400 /* a host that sleeps is asleep between two latencies, whose reads are 500 ns apart or more, not between bursts */

static void put(struct pciebench_sets *sets, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct pciebench_sets *sets, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sets->text[sets->count], VALUES_TEXT_BYTES, format, arguments);
    va_end(arguments);
    sets->set[sets->count] = sets->text[sets->count];
    sets->count++;
}

/* "0:173 50:200 100:653 ns", shifted by `base`. A constant without a shape. */
static void print_shape(const struct pciebench_shape *shape, double base, char *text)
{
    if (shape->count == 0) {
        snprintf(text, VALUES_TEXT_BYTES, "%.1f ns", base);
        return;
    }
    size_t used = 0;
    double least = 1; /* no latency is below, and none falls */
    for (int i = 0; i < shape->count; i++) {
        double ns = shape->point[i].ns + base;
        least = ns > least ? ns : least;
        used +=
            (size_t)snprintf(text + used, VALUES_TEXT_BYTES - 8 - used, "%.10g:%.1f ", shape->point[i].percent, least);
    }
    strcpy(text + used, "ns");
}

int pciebench_is_known(const struct pciebench_host *known, const char *key)
{
    size_t length = strlen(key);
    for (size_t i = 0; i < known->set_count; i++)
        if (strncmp(known->set[i], key, length) == 0 && strchr("= ", known->set[i][length]) != NULL)
            return 1;
    return 0;
}

static void drop_known(const struct pciebench_host *known, struct pciebench_sets *sets)
{
    size_t kept = 0;
    for (size_t i = 0; i < sets->count; i++) {
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(sets->set[i], "="), sets->set[i]);
        if (!pciebench_is_known(known, key))
            sets->set[kept++] = sets->set[i];
    }
    sets->count = kept;
}

static void put_found(const struct pciebench_values *values, struct pciebench_sets *sets)
{
    char text[VALUES_TEXT_BYTES];
    put(sets, "pcie.mps=%d B", values->mps);
    put(sets, "pcie.mrrs=%d B", values->mrrs);
    put(sets, "pcie.partial_line=%s", values->partial_apart ? "apart" : "joined");
    print_shape(&values->shape, values->read, text);
    put(sets, "pcie.host_read=%.600s", text);
    put(sets, "pcie.host_read_kib=%.1f ns", values->read_kib);
    put(sets, "pcie.host_write=%d ns", WRITE_NS);
    put(sets, "pcie.host_write_ack=%d ns", WRITE_ACK_NS);
    if (values->wake.count > 0) {
        print_shape(&values->wake, 0, text);
        put(sets, "pcie.host_idle=%d ns", IDLE_NS);
        put(sets, "pcie.host_wake=%.600s", text);
    }
    if (values->remote > 0) {
        put(sets, "pcie.host_remote=%.1f ns", values->remote);
        put(sets, "pcie.host_dram_share=1000000 ppm");
    }
    if (values->dram >= 0)
        put(sets, "pcie.host_dram=%.1f ns", values->dram);
    if (values->refresh >= 0)
        put(sets, "pcie.host_refresh=%.0f ns", values->refresh);
    if (values->write_line >= 0)
        put(sets, "pcie.host_write_line=%.1f ns", values->write_line);
    if (values->iommu)
        put(sets, "pcie.iommu=on");
    if (values->iommu_miss >= 0)
        put(sets, "pcie.iommu_miss=%.1f ns", values->iommu_miss);
    if (values->iommu_walk >= 0)
        put(sets, "pcie.iommu_walk=%.1f ns", values->iommu_walk);
    if (values->iommu_write_walk >= 0)
        put(sets, "pcie.iommu_write_walk=%.1f ns", values->iommu_write_walk);
    if (values->iommu_entries > 0)
        put(sets, "pcie.iommu_entries=%d", values->iommu_entries);
}

void pciebench_values_set(const struct pciebench_values *values, const struct pciebench_host *known,
                          struct pciebench_sets *sets)
{
    sets->count = 0;
    put_found(values, sets);
    drop_known(known, sets);
    for (size_t i = 0; i < known->set_count && sets->count < VALUES_SETS; i++)
        sets->set[sets->count++] = known->set[i];
}

static void write_line(const char *set, const char *class, const char *from, FILE *out)
{
    const char *key = strchr(set, '.') ? strchr(set, '.') + 1 : set, *value = strchr(key, '=') + 1;
    fprintf(out, "%.*s = %s %s", (int)(value - key) - 1, key, value + (*value == ' '), class);
    fprintf(out, from ? " \"pciebench --fit %.150s\"\n" : "\n", from);
}

void pciebench_values_write(const struct pciebench_values *values, const struct pciebench_host *known, const char *name,
                            const char *from, FILE *out)
{
    struct pciebench_sets sets;
    pciebench_values_set(values, known, &sets);
    fprintf(out, "about = \"fitted to pcie-bench's figures by rnicsim pciebench --fit\"\nhost = %s\n\n[pcie]\n", name);
    fprintf(out, "rcb = 64 B @assumed\ncompletions = mps @assumed\n");
    for (size_t i = 0; i < sets.count - known->set_count; i++)
        if (strncmp(sets.set[i], "pcie.host_write=", 16) == 0 || strncmp(sets.set[i], "pcie.host_write_ack=", 20) == 0)
            write_line(sets.set[i], "@assumed", NULL, out);
        else
            write_line(sets.set[i], "@calibrated", from, out);
    for (size_t i = 0; i < known->set_count; i++)
        write_line(known->set[i], "@assumed", NULL, out);
}
