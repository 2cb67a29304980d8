#include "system/nfp6000.h"

#include "pcie/tlp.h"

#define TYPICAL_READ_PS 200000 /* the median of pcie.host_read against which the tables stand */
#define LINK_PS_PER_KIB \
    136714                /* 7.49 bytes a ns, 95.1 % of what is encoded: calibrated, reads of MRRS 4096 from 512 B on */
#define TYPICAL_MPS 256   /* of the hosts of the tables */
#define LARGE_REQUEST 512 /* reads of a larger pcie.mrrs have columns of their own */

/* Between two rows of a table: on the line between them. The bytes of the transaction stand first, times are ps; slopes are ps for each
 * ns that the host takes longer than TYPICAL_READ_PS. Below 64 B reads are bound by the tags, and the figure is only less. The last rows
 * are extrapolated. */
enum {
    ENGINE_READ = 1,
    ENGINE_READ_SLOPE,
    ENGINE_WRITE,
    ENGINE_PAIR,
    ENGINE_LARGE_READ,
    ENGINE_LARGE_SLOPE,
    ENGINE_LARGE_PAIR
};
static const int32_t engine[][8] = {
    {1, 13000, 0, 21016, 22100, 13000, 0, 22021},           {62, 13000, 0, 21000, 22100, 13000, 0, 22000},
    {63, 23547, 10, 21097, 24434, 23666, 14, 24274},        {64, 13000, 0, 21097, 22291, 13000, 0, 22170},
    {65, 23551, 13, 21133, 24781, 23757, 18, 24594},        {127, 23816, 10, 24149, 30309, 23887, 19, 30256},
    {128, 23343, 13, 24149, 30289, 23395, 19, 30247},       {129, 28974, 27, 38000, 38015, 27251, 24, 38003},
    {192, 35772, 22, 38000, 41895, 34612, 24, 40178},       {255, 43918, 19, 40517, 50302, 44063, 0, 50202},
    {256, 42794, 20, 40517, 48686, 42952, 24, 48660},       {257, 50883, 36, 55000, 56766, 41113, 7, 55111},
    {320, 58285, 33, 55000, 64496, 49404, 50, 61007},       {384, 66109, 31, 61548, 72996, 58282, 0, 72084},
    {511, 74109, 5, 75264, 97059, 74424, 3, 97232},         {512, 74038, 0, 75232, 95988, 74428, 3, 95953},
    {513, 92682, 50, 89000, 103257, 77745, 6, 99263},       {576, 98883, 53, 91264, 109832, 86132, 3, 107597},
    {640, 108164, 47, 99365, 119853, 94442, 2, 119664},     {704, 120477, 63, 109760, 133110, 102399, 2, 130877},
    {767, 126122, 55, 115723, 143715, 111202, 2, 142827},   {768, 125989, 55, 115724, 143152, 111202, 2, 142674},
    {769, 130519, 67, 123032, 147175, 115090, 5, 143630},   {832, 138401, 66, 128198, 154840, 123334, 1, 152666},
    {896, 145593, 61, 136981, 164900, 131031, 1, 165133},   {960, 156948, 64, 147595, 176821, 138970, 3, 172701},
    {1023, 163718, 63, 150464, 184906, 147835, 2, 184179},  {1024, 163711, 64, 150464, 186865, 147836, 2, 188036},
    {1025, 168620, 75, 159739, 190795, 151982, 4, 182558},  {1279, 202909, 85, 190989, 226274, 184763, 1, 214169},
    {1280, 202794, 104, 190989, 226601, 184753, 1, 217998}, {1281, 203071, 35, 196568, 227629, 188552, 22, 213669},
    {1535, 217629, 96, 225696, 256190, 221115, 8, 239631},  {1536, 219941, 72, 225695, 256508, 221161, 7, 241770},
    {1537, 248417, 137, 234566, 283091, 225218, 7, 249614}, {1791, 278260, 134, 266113, 312836, 257925, 5, 278828},
    {1792, 278280, 131, 266117, 314502, 257884, 5, 278932}, {1793, 280026, 140, 273445, 321253, 261954, 5, 286539},
    {2047, 296479, 2, 300927, 333575, 294890, 4, 315077},   {2048, 295811, 2, 300927, 333782, 294789, 3, 315075},
    {4096, 591622, 2, 601854, 667564, 589578, 3, 630150},
};

/* From the last byte to the signal, of a read, and of a write with what it takes before the link. What grows with a write's bytes lies before
 * it: else the write of 2 KiB was in the host's memory long before the read behind it comes, and no page walk of the write could be seen. On
 * hsw-Xeon-E5-2637v3 and ib-Xeon-E5-2620v2 one is, with 135 and 104 ns of LAT_WRRD in a 64 MiB window. */
enum { AFTER_READ = 1, AFTER_WRITE };
#define WRITE_SIGNAL_PS 166000
static const int32_t after[][3] = {
    {1, 88823, 168104},     {16, 90635, 166794},    {24, 92626, 167587},    {32, 92418, 168992},
    {48, 99915, 172871},    {64, 95643, 171089},    {128, 114084, 176434},  {256, 142749, 177353},
    {512, 183663, 198789},  {768, 232703, 214247},  {1024, 265091, 241811}, {1280, 310100, 270396},
    {1520, 339278, 313815}, {2048, 404718, 386684}, {4096, 683972, 676430},
};

/* What a read takes longer whose last part comes in a completion of its own: ib-Xeon-E5-2620v2 and snb-Xeon-E5-2630 against
 * hsw-Xeon-E5-2637v3, sizes that are no multiples of 64. */
#define PARTIAL_LINE_PS 3200
#define PARTIAL_LINE_HIDDEN_BYTES 96 /* 65 B do not feel it, 127 B do */

/* What an access that begins within a cache line takes longer; 64 B reads then take 19.5 ns at the least. */
#define UNALIGNED_READ_PS 4000
#define UNALIGNED_READ_LEAST_PS 19500
#define UNALIGNED_LATENCY_PS 14000
static const int32_t unaligned_write[][2] = {{1, 0}, {64, 0}, {128, 3600}, {256, 5600}, {1024, 9200}, {4096, 9200}};

void nfp6000_params(struct pcie_params *params)
{
    params->generation = 3;
    params->lanes = 8;
    params->link_latency = 100000;
    params->tags = 26; /* calibrated: 64 B reads at 16 ns, and how they slow down with the host's latency */
    params->completion_buffer = 1 << 20;
    params->completion_headers = 65536;
    params->user_width = 1024;
    params->read_latency = 1;
    params->read_interval = 1;
    params->operation_interval = 1;
}

static int64_t interpolate(const int32_t *table, int columns, int column, int32_t bytes)
{
    while (table[columns] <= bytes && table[columns] < (int32_t)TLP_PAGE_BYTES)
        table += columns;
    int64_t from = table[column], rise = table[columns + column] - from;
    return from + rise * (bytes - table[0]) / (table[columns] - table[0]);
}

static int64_t engine_of(int column, uint32_t bytes)
{
    return interpolate(engine[0], 8, column, (int32_t)bytes);
}

/* The link with the TLPs that an MPS makes. */
static int64_t link_ps(int64_t mps, uint32_t bytes, uint32_t header_bytes)
{
    uint32_t tlps = (bytes + (uint32_t)mps - 1) / (uint32_t)mps;
    return (int64_t)(tlp_payload_bytes(0, bytes) + tlps * header_bytes) * LINK_PS_PER_KIB / 1024;
}

static int64_t max2(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What the headers of smaller TLPs than those of the tables take on the link. */
static int64_t more_ps(int64_t mps, uint32_t bytes, uint32_t header_bytes)
{
    return link_ps(mps, bytes, header_bytes) - link_ps(TYPICAL_MPS, bytes, header_bytes);
}

static int64_t read_ps(const struct pcie_params *params, int64_t host_read_ps, uint32_t bytes)
{
    int is_large = params->mrrs > LARGE_REQUEST;
    int64_t slope = engine_of(is_large ? ENGINE_LARGE_SLOPE : ENGINE_READ_SLOPE, bytes);
    int64_t ps = engine_of(is_large ? ENGINE_LARGE_READ : ENGINE_READ, bytes) +
                 slope * (host_read_ps - TYPICAL_READ_PS) / 1000 + more_ps(params->mps, bytes, TLP_COMPLETION_BYTES);
    if (params->partial_line == PCIE_PARTIAL_APART && bytes > PARTIAL_LINE_HIDDEN_BYTES && bytes % 64 != 0)
        ps += PARTIAL_LINE_PS;
    return max2(ps, link_ps(params->mps, bytes, TLP_COMPLETION_BYTES));
}

struct nfp6000_times nfp6000_times(const struct pcie_params *params, int64_t host_read_ps, uint32_t bytes,
                                   uint32_t offset)
{
    int64_t more_write_ps = more_ps(params->mps, bytes, TLP_REQUEST_BYTES);
    int64_t pair_ps = engine_of(params->mrrs > LARGE_REQUEST ? ENGINE_LARGE_PAIR : ENGINE_PAIR, bytes) + more_write_ps;
    /* the device empties what it reads more slowly than the link brings it: more headers do not make a read longer */
    int64_t read_after_ps =
        interpolate(after[0], 3, AFTER_READ, (int32_t)bytes) - more_ps(params->mps, bytes, TLP_COMPLETION_BYTES);
    struct nfp6000_times times = {
        .read_ps = read_ps(params, host_read_ps, bytes),
        .write_ps =
            max2(engine_of(ENGINE_WRITE, bytes) + more_write_ps, link_ps(params->mps, bytes, TLP_REQUEST_BYTES)),
        .shared_ps = pair_ps / 2,
        .read_after_ps = max2(read_after_ps, 1),
        .write_before_ps = interpolate(after[0], 3, AFTER_WRITE, (int32_t)bytes) - WRITE_SIGNAL_PS,
        .write_after_ps = WRITE_SIGNAL_PS};
    if (offset > 0) {
        times.read_ps = max2(times.read_ps + UNALIGNED_READ_PS, UNALIGNED_READ_LEAST_PS);
        times.write_ps += interpolate(unaligned_write[0], 2, 1, (int32_t)bytes);
        times.read_after_ps += UNALIGNED_LATENCY_PS;
    }
    return times;
}
