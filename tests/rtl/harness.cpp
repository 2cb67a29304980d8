// Drives the three systems of top.sv with random traffic, a fresh model for each case, and prints what was put in and when
// every item moved, one word list a line:
//   case KIND            KIND: chain, cross, arbiter
//   clk NUM DEN PHASE    clock a, then b
//   set NAME NUMBER ...  the system's numbers
//   item SOURCE ARRIVE BEATS REST
//   serve NODE ITEM START END    in the node's cycles; nodes are numbered as the test numbers them
//   end
#include "Vtop.h"
#include "verilated.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

double sc_time_stamp() { return 0; }

static uint64_t state;

static int between(int least, int most)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return least + (int)((state >> 11) % (uint64_t)(most - least + 1));
}

static bool chance(int percent) { return between(1, 100) <= percent; }

struct Clk {
    int64_t num, den, phase, n = 0;
    int64_t edge() const { return (int64_t)((__int128)n * num / den) + phase; }
};

struct Item {
    int source, arrive, beats, rest;
};

static std::vector<Item> random_items(int sources, int beats_max, int count)
{
    std::vector<Item> items;
    std::vector<int> arrive(sources, 1);
    int gap = chance(50) ? between(0, 3) : between(0, 20), rest = chance(50) ? 0 : between(0, 8);
    for (int i = 0; i < count; i++) {
        int s = between(0, sources - 1);
        if (chance(50))
            arrive[s] += between(0, gap);
        items.push_back({s, arrive[s], between(1, beats_max), chance(50) ? between(0, rest) : 0});
        printf("item %d %d %d %d\n", s, arrive[s], items.back().beats, items.back().rest);
    }
    return items;
}

static void serve(int node, int item, int64_t start, int64_t end)
{
    printf("serve %d %d %ld %ld\n", node, item, (long)start, (long)end);
}

static void begin(const char *kind, const Clk &a, const Clk &b)
{
    printf("case %s\nclk %ld %ld %ld\nclk %ld %ld %ld\n", kind, (long)a.num, (long)a.den, (long)a.phase, (long)b.num,
           (long)b.den, (long)b.phase);
}

// One instant: the edges that fall on it rise together, so that each register sees the others as they were.
static void rise(Vtop &top, bool a, bool b)
{
    top.clk_a = a;
    top.clk_b = b;
    top.eval();
    top.clk_a = 0;
    top.clk_b = 0;
    top.eval();
}

// One-beat words: source, movers between, sink. Nodes: 0 sink, 1 source, 2 and 3 what moves between the FIFOs.
static void chain_case(Vtop &top)
{
    Clk clk{4000, 1, 0};
    begin("chain", clk, clk);
    int depth[3];
    for (int &d : depth)
        d = chance(60) ? between(1, 3) : between(1, 64);
    printf("set depth %d %d %d\n", depth[0], depth[1], depth[2]);
    top.chain_depth0 = depth[0], top.chain_depth1 = depth[1], top.chain_depth2 = depth[2];
    std::vector<Item> items = random_items(1, 1, 200);
    size_t sent = 0, moved[2] = {0, 0}, taken = 0;
    int64_t sink_free = 0;
    for (int64_t n = 0; taken < items.size(); n++) {
        rise(top, true, false); // edge n: now in cycle n
        top.chain_in_valid = sent < items.size() && n >= items[sent].arrive;
        top.chain_in_data = (uint32_t)sent;
        top.chain_out_ready = n >= sink_free;
        top.eval();
        if (top.chain_in_valid && top.chain_in_ready)
            serve(1, (int)sent, n, n), sent++;
        for (int k = 0; k < 2; k++)
            if (top.chain_moves >> k & 1)
                serve(2 + k, (int)moved[k]++, n, n);
        if (top.chain_out_valid && top.chain_out_ready) {
            serve(0, (int)top.chain_out_data, n, n);
            sink_free = n + 1 + items[taken++].rest;
        }
    }
}

static Clk random_clk()
{
    static const int64_t period[][2] = {{102400, 33}, {4000, 1}, {6400, 1}, {10000, 3}, {2000, 1}, {40000000, 10001}};
    int pick = between(0, 5);
    return {period[pick][0], period[pick][1], chance(60) ? between(0, 6400) : between(0, 2)};
}

// Nodes: 0 sink (a), 1 source (a), 2 the mover in clock b.
static void cross_case(Vtop &top)
{
    Clk a = random_clk(), b = random_clk();
    begin("cross", a, b);
    std::vector<Item> items = random_items(1, 1, 200);
    size_t sent = 0, moved = 0, taken = 0;
    int64_t sink_free = 0;
    while (taken < items.size()) {
        int64_t now = a.edge() < b.edge() ? a.edge() : b.edge();
        bool in_a = a.edge() == now, in_b = b.edge() == now;
        rise(top, in_a, in_b);
        if (in_a) {
            top.cross_in_valid = sent < items.size() && a.n >= items[sent].arrive;
            top.cross_in_data = (uint32_t)sent;
            top.cross_out_ready = a.n >= sink_free;
        }
        top.eval();
        if (in_b && top.cross_moves)
            serve(2, (int)moved++, b.n, b.n);
        if (in_a && top.cross_in_valid && top.cross_in_ready)
            serve(1, (int)sent, a.n, a.n), sent++;
        if (in_a && top.cross_out_valid && top.cross_out_ready) {
            serve(0, (int)top.cross_out_data, a.n, a.n);
            sink_free = a.n + 1 + items[taken++].rest;
        }
        a.n += in_a;
        b.n += in_b;
    }
}

struct Source {
    std::deque<int> items;
    int beat = 0, interval = 1;
    int64_t next = 0, start = 0;
};

// Data words: the item's number above bit 0, the last-beat mark in bit 0.
static void drive_source(Vtop &top, Source &source, int s, const std::vector<Item> &items, int64_t n)
{
    top.source_start[s] = top.source_valid[s] = 0;
    if (source.items.empty() || n < source.next)
        return;
    int i = source.items.front();
    if (source.beat == 0 && (n < items[i].arrive || !top.may_start[s]))
        return;
    if (source.beat == 0)
        source.start = n;
    top.source_start[s] = source.beat == 0;
    top.source_valid[s] = 1;
    bool last = ++source.beat == items[i].beats;
    top.source_data[s] = (uint32_t)(i << 1 | last);
    source.next = n + source.interval;
    if (last) {
        serve(2 + s, i, source.start, n);
        source.items.pop_front();
        source.beat = 0;
    }
}

// Nodes: 0 sink, 1 arbiter, 2 to 4 sources.
static void arbiter_case(Vtop &top)
{
    Clk clk{4000, 1, 0};
    begin("arbiter", clk, clk);
    Source source[3];
    top.strict = chance(30);
    printf("set strict %d\nset interval", top.strict);
    for (Source &s : source)
        printf(" %d", s.interval = chance(70) ? 1 : between(1, 3));
    printf("\nset links");
    for (int i = 0; i < 4; i++) {
        top.slots[i] = (uint8_t)between(1, 4), top.data_delay[i] = (uint8_t)between(0, 15);
        top.credit_delay[i] = (uint8_t)(chance(50) ? 0 : between(0, 15));
        printf(" %d %d %d", top.slots[i], top.data_delay[i], top.credit_delay[i]);
    }
    printf("\n");
    std::vector<Item> items = random_items(3, chance(30) ? 1 : between(1, 12), 150);
    for (size_t i = 0; i < items.size(); i++)
        source[items[i].source].items.push_back((int)i);
    size_t taken = 0;
    int64_t sink_free = 0, sink_start = -1, grant_start = 0;
    for (int64_t n = 0; taken < items.size(); n++) {
        rise(top, true, false);
        top.sink_pop = top.sink_start = 0;
        if (top.sink_valid && (sink_start >= 0 || n >= sink_free)) {
            top.sink_pop = 1;
            top.sink_start = sink_start < 0;
            if (sink_start < 0)
                sink_start = n;
            if (top.sink_data & 1) {
                int i = (int)(top.sink_data >> 1);
                serve(0, i, sink_start, n);
                sink_free = n + 1 + items[i].rest;
                sink_start = -1;
                taken++;
            }
        }
        for (int s = 0; s < 3; s++)
            drive_source(top, source[s], s, items, n);
        top.eval();
        if (top.grant)
            grant_start = n;
        if (top.grant_beat && (top.grant_data & 1))
            serve(1, (int)(top.grant_data >> 1), grant_start, n);
        if (top.overflow) {
            fprintf(stderr, "a buffer overflows in spite of credits\n");
            exit(1);
        }
    }
}

int main(int count, char **words)
{
    int cases = count > 1 ? atoi(words[1]) : 10;
    uint64_t seed = count > 2 ? strtoull(words[2], nullptr, 10) : 1;
    for (int i = 0; i < cases; i++) {
        state = (seed + (uint64_t)i) * UINT64_C(0x9e3779b97f4a7c15) | 1;
        between(0, 1);
        std::unique_ptr<VerilatedContext> context(new VerilatedContext);
        std::unique_ptr<Vtop> top(new Vtop(context.get()));
        top->eval();
        void (*const kinds[])(Vtop &) = {chain_case, cross_case, arbiter_case};
        kinds[i % 3](*top);
        puts("end");
        top->final();
    }
    return 0;
}
