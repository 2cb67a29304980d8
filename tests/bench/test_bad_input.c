/* Whatever is wrong with what the user gives: one line on standard error, exit status 2, nothing on standard output, no
 * results. */
#include <CUnit/CUnit.h>

#include "api/rnicsim.h"
#include "tests/bench/command.h"

void suite_bench_bad_input(void);

#define COLUMNS \
    "t_ps,host,thread,event,qpn,cqn,db_id,wr_id,opcode,flags,len,inline,nsge,laddr,lkey,raddr,rkey,imm,cmp,swap,dep\n"
#define QPS \
    "#qp host=0 qpn=2 type=RC peer_host=1 peer_qpn=1 sq_depth=2\n#qp host=1 qpn=1 type=RC peer_host=0 peer_qpn=2\n"
#define HEAD "#rnicsim-trace version=1\n" QPS COLUMNS /* the first record is in line 5 */
#define GOOD "0,0,0,SEND,2,1,1,0,WRITE,SIGNALED,64,0,1,0x1000,2,0x2000,1,0,0,0,\n"
#define GEN "$R trace gen --qps 4 --size 64 --requests 10 --opcode write -o x.wqe "
#define UNITS "-s transport.recovery=none -s nic.context_unit='41 cycle' -s nic.translation_unit='29 cycle' "
#define RUN "$R run -b u280_100g -o results "
/* A nic file of its own beside a board file of its own, and neither in the folder where the program runs. */
#define MY_NIC(edit)                                                                                                 \
    "mkdir my; sed 's/^nic = .*/nic = my.nic/' " CONFIG "/boards/u280_100g.board >my/my.board; sed " edit " " CONFIG \
    "/nics/rnic_512.nic >my/my.nic; $R run -b my/my.board -o results t.wqe"
/* The same of an endpoint file. */
#define MY_ENDPOINT(edit)                                              \
    "mkdir my; sed 's/^endpoint = .*/endpoint = my.endpoint/' " CONFIG \
    "/boards/u280_100g.board >my/my.board; sed " edit " " CONFIG       \
    "/endpoints/xilinx_usplus.endpoint >my/my.endpoint; $R run -b my/my.board -o results t.wqe"
#define CONFIG RNICSIM_SOURCE_DIR "/model/config"

struct bad_case {
    const char *trace; /* written to t.wqe; NULL: none is needed */
    const char *command;
    const char *expected; /* in the line */
};

static const struct bad_case cases[] = {
    {NULL, "$R", "which command?"},
    {NULL, "$R frobnicate", "\"frobnicate\" is no command"},
    {NULL, "$R run -o results", "which trace?"},
    {HEAD GOOD, "$R run -o results t.wqe", "-b BOARD is needed"},
    {HEAD GOOD, RUN "t.wqe another.wqe", "one trace is allowed"},
    {HEAD GOOD, RUN "--frobnicate t.wqe", "\"--frobnicate\" is no option"},
    {HEAD GOOD, RUN "t.wqe -s", "its value is missing"},
    {HEAD GOOD, RUN "--seed -1 t.wqe", "--seed: \"-1\""},
    {HEAD GOOD, "$R run -b u281 -o results t.wqe", "unknown board 'u281'"},
    {HEAD GOOD, RUN "--host pdp11 t.wqe", "pdp11"},
    {HEAD GOOD, RUN "-s mac.rat='100 Gbps' t.wqe", "unknown key 'mac.rat'"},
    {HEAD GOOD, RUN "-s mac.rate=100 t.wqe", "missing unit"},
    {HEAD GOOD, RUN "-s mac.rate='1 Gbps' t.wqe", "out of range"},
    {HEAD GOOD, RUN "--mac cmak t.wqe", "unknown mac 'cmak'"},
    {HEAD GOOD, RUN "-s mac.lanes=3 t.wqe",
     "rnicsim: -s mac.lanes=3: 100000 Mb/s with mac.fec = none has no 3 lanes, allowed 4, 10"},
    {HEAD GOOD, RUN "-s mac.fec=cl74 t.wqe",
     "rnicsim: -s mac.fec=cl74: cl74 is no FEC of 100000 Mb/s, allowed none, rs528"},
    {HEAD GOOD, RUN "-s mac.rate='25 Gbps' -s mac.markers=on t.wqe",
     "rnicsim: -s mac.markers=on: 25000 Mb/s with mac.fec = none has none"},
    {HEAD GOOD, RUN "-s mac.start='3 B' t.wqe", "not a power of two"},
    {HEAD GOOD, RUN "-s mac.pause=link -s mac.headroom='1 MiB' t.wqe",
     "rnicsim: -s mac.headroom=1 MiB: 1048576 B are not less than the 131072 B"},
    {HEAD GOOD, RUN "-s mac.pause=link -s mac.back_pressure=on t.wqe",
     "rnicsim: -s mac.back_pressure=on: mac.pause: with mac.back_pressure = on"},
    {HEAD GOOD, RUN "-s mac.pause=link -s mac.switches=1 t.wqe",
     "mac.switches: with mac.pause the pauses of switches would be missing"},
    {NULL, "$R net", "-b BOARD is needed"},
    {NULL, "$R net -b u280_100g --host hsw_e5_2620v3", "--host says nothing of ideal hosts"},
    {NULL, "$R net -b u280_100g -s net.hosts=1", "out of range"},
    {NULL, "$R net -b u280_100g -s net.kind=pair", "net.hosts = 3: 3 hosts are no pair, allowed is 2"},
    {NULL, "$R net -b u280_100g -s net.kind=leaf_spine -s net.hosts=9",
     "rnicsim: -s net.hosts=9: 9 hosts at 4 leaves leave ports unplugged"},
    {NULL, "$R net -b u280_100g -s net.ports=2",
     "rnicsim: -s net.ports=2: 2 ports, but the switch needs 3: some stay unplugged"},
    {NULL, "$R net -b u280_100g -s net.headroom='8 MiB'",
     "16777216 B are not more than the headroom of 3 ports, 8388608 B each"},
    {NULL, "$R net -b u280_100g -s net.kmin='2 MiB'", "net.kmax: it is not above net.kmin"},
    {NULL, "$R net -b u280_100g -s net.kind=links", "net.links = none: none cannot be read"},
    {NULL,
     "printf 'host0 switch0\\nhost1 switch0\\nhost2 switch1\\n\\nswitch0 switch1\\nswitch1 switch0\\n' >l; "
     "$R net -b u280_100g -s net.kind=links -s net.links=l",
     "l:6: the link closes a loop"},
    {NULL, "printf 'host0 switch0\\nhost1 switch0\\n' >l; $R net -b u280_100g -s net.kind=links -s net.links=l",
     "l: host2 is unplugged"},
    {NULL,
     "printf 'host0 switch0\\nhost1 switch0\\nhost2 swatch0\\n' >l; "
     "$R net -b u280_100g -s net.kind=links -s net.links=l",
     "l:3: no link, allowed is"},
    {NULL,
     "printf 'host0 switch0\\nhost1 switch0\\nhost2 switch0\\nhost2 switch1\\n' >l; "
     "$R net -b u280_100g -s net.kind=links -s net.links=l",
     "l: host2 has 2 links, allowed is one"},
    {NULL, "$R net -b u280_100g --ports /no/such/file", "/no/such/file: No such file"},
    {NULL, "$R headroom", "--rate is needed"},
    {NULL, "$R headroom --rate '100 Gbps' --cable 3", "missing unit"},
    {NULL, "$R headroom --rate '56 Gbps'", "the standard's response is known of 10, 25"},
    {NULL, "$R headroom --rate '100 Gbps' --small 101", "--small"},
    {NULL, "$R mac --mac nomac", "unknown mac 'nomac'"},
    {NULL, "$R mac -b u280_100g", "-b and --host say nothing of a MAC alone"},
    {NULL, "$R mac --sizes 0..5", "--sizes \"0..5\": allowed are"},
    {NULL, "$R mac --frames none.txt", "none.txt: No such file"},
    {NULL, "echo '5 x' >f.txt; $R mac --frames f.txt", "f.txt:1: a frame, allowed is"},
    {NULL, "printf '5 60\\n4 60\\n' >f.txt; $R mac --frames f.txt", "f.txt:2: a frame is offered in cycle 4"},
    {NULL, "$R mac -s mac.start='8 B'", "mac.word: 8 bit are less than mac.start"},
    {HEAD GOOD, RUN "-s nic.data_fifo='0 B' t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s stage.tx.mac.depth='0 packets' t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s stage.tx.mac.latency='0 cycle' t.wqe", "out of range"},
    /* judged only when the layers are together: the place is that of the value */
    {HEAD GOOD, RUN "-s 'stage.tx.mac.width=24576 bit' t.wqe",
     "rnicsim: -s stage.tx.mac.width=24576 bit: not a power of two"},
    {HEAD GOOD, RUN "-s stage.tx.mac.clock=foo t.wqe", "rnicsim: -s stage.tx.mac.clock=foo: there is no such clock"},
    {HEAD GOOD, RUN "-s 'stage.rx.cdc.depth=1 beats' t.wqe", "rnicsim: -s stage.rx.cdc.depth=1 beats: stage rx.cdc: "},
    {HEAD GOOD, RUN "-s 'stage.tx.mac.width=8 bit' t.wqe", "rnicsim: -s stage.tx.mac.width=8 bit: stage tx.mac: "},
    {HEAD GOOD, RUN "-s 'pcie.mps=384 B' t.wqe", "rnicsim: -s pcie.mps=384 B: not a power of two"},
    {HEAD GOOD, RUN "-s 'pcie.mrrs=384 B' t.wqe", "rnicsim: -s pcie.mrrs=384 B: not a power of two"},
    {HEAD GOOD, RUN "-s 'pcie.rcb=96 B' t.wqe", "rnicsim: -s pcie.rcb=96 B: not a power of two"},
    {HEAD GOOD, RUN "-s pcie.lanes=3 t.wqe", "rnicsim: -s pcie.lanes=3: not a power of two"},
    {HEAD GOOD, RUN "-s 'pcie.user_width=96 bit' t.wqe", "rnicsim: -s pcie.user_width=96 bit: not a power of two"},
    {HEAD GOOD, RUN "-s 'nic.port_width=96 bit' t.wqe", "rnicsim: -s nic.port_width=96 bit: not a power of two"},
    {HEAD GOOD, RUN "-s 'pcie.completion_buffer=128 B' t.wqe", "rnicsim: -s pcie.completion_buffer=128 B: "},
    {HEAD GOOD, RUN "-s 'pcie.posted_data=128 B' t.wqe", "pcie.posted_data is smaller than one TLP"},
    {HEAD GOOD, RUN "-s 'pcie.endpoint_posted_data=128 B' t.wqe", "pcie.endpoint_posted_data is smaller than one TLP"},
    {HEAD GOOD, RUN "-s 'host.doorbell=6 B' t.wqe", "rnicsim: -s host.doorbell=6 B: not a power of two"},
    {HEAD GOOD, RUN "-s 'host.push_piece=64 B' t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s nic.doorbell_coalesce=maybe t.wqe", "unknown choice"},
    {HEAD GOOD, RUN "-s nic.doorbell_record=maybe t.wqe", "unknown choice"},
    {HEAD GOOD, RUN "-s 'host.timer_interval=10 us' -s 'host.timer=3 us' t.wqe",
     "host.timer can be longer than a quarter of host.timer_interval"},
    {HEAD GOOD, RUN "-s 'host.preempt_interval=1 ms' -s 'host.preempt=0:0 100:300 us' t.wqe",
     "host.preempt can be longer than a quarter of host.preempt_interval"},
    {HEAD GOOD, RUN "-s pcie.host_write_lines=3 t.wqe", "allowed are 0 and from pcie.mps / 64 + 1 on"},
    {HEAD GOOD, RUN "-s 'pcie.replay_buffer=256 B' t.wqe", "pcie.replay_buffer is smaller than one TLP"},
    {HEAD GOOD, RUN "-s pcie.posted_headers=128 t.wqe", "allowed up to 127"},
    {HEAD GOOD, RUN "-s nic.moderation_count=4 t.wqe", "allowed with one"},
    {HEAD GOOD, RUN "-s nic.qpc_entries=64 -s nic.qpc_ways=0 t.wqe", "rnicsim: -s nic.qpc_ways=0: out of range"},
    {HEAD GOOD, RUN "-s nic.qpc_entries=64 -s nic.qpc_ways=3 t.wqe",
     "nic.qpc_entries = 64, nic.qpc_ways = 3: its ways do not divide its entries"},
    {HEAD GOOD, RUN "-s nic.mtt_entries=63 -s nic.mtt_ways=2 t.wqe", "a multiple of the ways"},
    {HEAD GOOD, RUN "-s nic.cqc_entries=1 -s nic.cqc_ways=2 t.wqe", "its ways do not divide its entries"},
    {HEAD GOOD, RUN "-s nic.srqc_entries=64 -s nic.srqc_ways=3 t.wqe",
     "nic.srqc_entries = 64, nic.srqc_ways = 3: its ways do not divide its entries"},
    {HEAD GOOD, RUN "-s nic.srqc_ways=0 t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s nic.srqc_replacement=fifo t.wqe", "unknown choice"},
    {HEAD GOOD, RUN "-s nic.srqc_bytes='4 B' t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s 'nic.srq_loop=0 cycle' t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s nic.srq_fetch=65 t.wqe", "out of range"},
    {NULL, "$R run -b u280_100g -o results --perftest 'write_bw --use-srq'", "--use-srq is for send tests only"},
    {NULL, "$R run -b u280_100g -o results --perftest 'send_bw --use-srq -q 514'",
     "--use-srq needs at least a buffer a QP"},
    {NULL,
     "$R run -b u280_100g -o results -s transport.recovery=none -s 'nic.context_unit=41 cycle' -s "
     "'nic.translation_unit=9 cycle' --perftest "
     "'send_bw --use-srq -n 5'",
     "SRQ 1 of host 0: not with nic.context_unit"},
    {HEAD GOOD, RUN "-s nic.mpt_entries=48 -s nic.mpt_ways=3 -s nic.mpt_replacement=plru t.wqe",
     "allowed are ways that are a power of two"},
    {HEAD GOOD, RUN "-s nic.qpc_replacement=fifo t.wqe", "unknown choice"},
    {HEAD GOOD, RUN "-s nic.grant=all t.wqe", "unknown choice"},
    {HEAD GOOD, RUN "-s nic.grant=request -s nic.scheduler=wfq t.wqe", "must not count bytes"},
    {HEAD GOOD, RUN "-s nic.grant=request -s nic.classes=2 -s nic.class_scheduler=wfq t.wqe", "must not count bytes"},
    {HEAD GOOD, RUN "-s nic.grant=request -s nic.qpc_entries=64 t.wqe", "allowed with all contexts on chip"},
    {HEAD GOOD, RUN "-s 'stage.tx.mac.gap=-1 cycle' t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s 'nic.mtt_page=5 KiB' t.wqe", "not a power of two"},
    {HEAD GOOD, RUN "-s nic.mtt_levels=0 t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s nic.qpc_misses=0 t.wqe", "out of range"},
    {HEAD GOOD, RUN "--faults 'drop dta 3' t.wqe", "\"dta\": this names no frames; allowed: data, "},
    {HEAD GOOD, RUN "--faults 'explode any' t.wqe", "there is no such fault; allowed: drop, "},
    {HEAD GOOD, RUN "--faults 'drop data every x' t.wqe", "every needs a number"},
    {HEAD GOOD, RUN "-s transport.congestion=dcqcn -s transport.completion=sent t.wqe",
     "transport.congestion with transport.completion = sent: allowed is none"},
    {HEAD GOOD, RUN "-s transport.recovery=selective -s transport.window=65536 t.wqe", "allowed are at most 32768"},
    {HEAD GOOD, RUN "-s transport.dcqcn_g=1024 t.wqe", "transport.dcqcn_g"},
    {HEAD GOOD, RUN "--faults 'drop data 3 4' t.wqe", "\"4\": that is given twice"},
    {HEAD GOOD, RUN "--faults 'drop data qp=3 p=0.1 qp=4' t.wqe", "\"qp=4\": that is given twice"},
    {HEAD GOOD, RUN "--faults 'delay ack' t.wqe", "delay needs a time"},
    {HEAD GOOD, RUN "--faults 'drop data p=2' t.wqe", "out of range; allowed: N, last"},
    {HEAD GOOD, RUN "--faults 'link down 5 us' t.wqe", "as link down 10 us for 5 us"},
    {HEAD GOOD, RUN "--faults '' t.wqe", "no statement"},
    {HEAD GOOD, RUN "--faults '# nothing' t.wqe", "no statement"},
    {HEAD GOOD, RUN "--faults t.wqe t.wqe", "t.wqe:4: \"t_ps,"},
    {HEAD GOOD, RUN "-s mac.back_pressure=on --faults 'drop data 1' t.wqe", "allowed without faults"},
    {HEAD GOOD, RUN "-s nic.staging=on -s 'nic.memory_refresh=9 us' t.wqe", "allowed is less"},
    {HEAD GOOD, RUN "-s nic.staging=on -s 'nic.staging_buffer=16 KiB' -s nic.memory_channels=4 t.wqe",
     "for each of nic.memory_channels"},
    {HEAD GOOD, RUN "-s nic.staging=on -s 'nic.memory_row=64 B' -s 'nic.memory_burst=128 B' t.wqe",
     "smaller than nic.memory_burst"},
    {HEAD GOOD, RUN "-s nic.responder_resources=0 t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s nic.atomic_locks=0 t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s nic.eqc_entries=5 -s nic.eqc_ways=2 t.wqe", "a multiple of the ways"},
    {HEAD GOOD, RUN "-s nic.context_unit='41 cycle' t.wqe", "nic.translation_unit = 0: allowed is 1 cycle or more"},
    {HEAD GOOD, RUN UNITS "-s nic.grant=request t.wqe", "nic.grant = request with nic.context_unit"},
    {HEAD GOOD, RUN UNITS "-s nic.dispatch_place=written t.wqe", "nic.context_unit with nic.dispatch_place"},
    {HEAD GOOD, RUN UNITS "-s nic.retransmit_entries=64 t.wqe", "nic.retransmit_entries with nic.context_unit"},
    {HEAD GOOD, RUN "-s nic.retransmit_entries=-1 t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s 'nic.payload_chunk=96 B' t.wqe", "not a power of two"},
    {HEAD GOOD, RUN "-s 'nic.payload_chunk=32 B' t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s 'nic.payload_chunk=8 KiB' t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s 'nic.payload_free_list=-1 cycle' t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s nic.payload_banks=3 t.wqe", "not a power of two"},
    {HEAD GOOD, RUN "-s nic.payload_banks=0 t.wqe", "out of range"},
    {HEAD GOOD, RUN "-s nic.payload_ports=3 t.wqe", "out of range"},
    {HEAD GOOD, RUN UNITS "-s nic.receive_reads=4 t.wqe", "nic.context_unit with nic.receive_reads"},
    {HEAD GOOD, RUN UNITS "-s transport.completion=sent t.wqe", "nic.context_unit with transport.completion"},
    {HEAD GOOD, RUN UNITS "-s nic.scheduler=wrr t.wqe", "nic.context_unit with another nic.scheduler: allowed is rr"},
    {HEAD GOOD, RUN UNITS "-s nic.fabric=stream t.wqe", "nic.fabric or nic.doorbell_record: allowed is off"},
    {HEAD GOOD, RUN UNITS "-s nic.requests=64 t.wqe", "allowed are their defaults"},
    {HEAD GOOD, RUN UNITS "-s nic.station_interval='2 cycle' t.wqe", "allowed is more than nic.station_interval"},
    {HEAD GOOD, RUN UNITS "-s transport.ack_point=visible t.wqe", "transport.ack_point: allowed is accepted"},
    {HEAD GOOD, RUN "-s pcie.ats=on t.wqe", "allowed with an IOMMU"},
    {HEAD GOOD, RUN "-s pcie.scaled_credits=4 t.wqe", "needs pcie.generation 4"},
    {HEAD GOOD, RUN "-s pcie.straddle=on -s 'pcie.user_width=128 bit' t.wqe", "allowed from 256 bit on"},
    {HEAD GOOD, RUN "-s pcie.completion_headers=8 t.wqe",
     "pcie.completion_headers are fewer than one request can take"},
    {HEAD GOOD, RUN "-s 'pcie.completion_buffer=1 KiB' -s 'pcie.mrrs=4 KiB' t.wqe", "rnicsim: -s pcie."},
    {HEAD GOOD, RUN "-s 'mac.rate=10.000000001 Gbps' t.wqe", "rnicsim: -s mac.rate=10.000000001 Gbps: allowed"},
    {HEAD GOOD, MY_NIC("'/^clock = /s/user/foo/'"), ": stage.doorbell.decode.clock = foo: there is no"},
    {HEAD GOOD, MY_NIC("'s/stage tx.mac/stage txx.cdc/'"), ": section [stage txx.cdc]: there is no path"},
    {HEAD GOOD, MY_NIC("'s/^depth = .* beats/depth = 1 beats/'"), "my.nic:"},
    {"#rnicsim-trace version=1\n" QPS COLUMNS
     "9223372036854775000,0,0,SEND,2,1,1,0,WRITE,,64,0,1,0x1000,2,0x2000,1,0,0,0,\n",
     RUN "t.wqe", "t.wqe:5: t_ps"},
    {HEAD GOOD "0,0,0,SEND,2,1,2,0,WRITE,,64,0,1,0x1000,2,0x2000,1,0,0,0,cqe:1+4000000000\n",
     "sed 's/^0,/4611686018427000000,/' t.wqe >late.wqe; " RUN "late.wqe", "late.wqe:6: would be posted after 2^62 ps"},
    {HEAD GOOD, "echo nonsense >bad.board; $R run -b ./bad.board -o results t.wqe", "bad.board:1: "},
    {HEAD GOOD,
     "sed 's/^cable = .*/cable = 3 m/' " RNICSIM_SOURCE_DIR "/model/config/boards/u280_100g.board >my.board; "
     "$R run -b ./my.board -o results t.wqe",
     "my.board:"},
    {HEAD GOOD, "(echo 'board = x'; printf 'part = %010000d\\n' 7) >my.board; $R run -b ./my.board -o results t.wqe",
     "my.board:2: "},
    {HEAD GOOD, "(cat t.wqe; printf '%010000d\\n' 7) >u.wqe; " RUN "u.wqe", "u.wqe:6: "},
    {"#rnicsim-trace version=1\n#qp host=0 qpn=2 type=RC peer_host=1 peer_qpn=1\n" COLUMNS GOOD, RUN "t.wqe",
     "t.wqe:2: "}, /* no peer: it can never be in RTS */
    {NULL, RUN "missing.wqe", "missing.wqe: cannot be opened"},
    {NULL, RUN "/tmp", "is a directory"},
    {NULL, RUN "/dev/null", "not a regular file"},
    {"", RUN "t.wqe", "t.wqe"},
    {HEAD, RUN "t.wqe", "has no request"},
    {"#rnicsim-trace version=2\n" QPS COLUMNS GOOD, RUN "t.wqe", "t.wqe:1: "},
    {HEAD "0,0,0,SEND,2,1,1,0,WRITE,SIGNALED,64,0,1,0x10", RUN "t.wqe", "t.wqe:5: "},
    {HEAD GOOD "0,0,0,SEND,9,1,2,0,WRITE,SIGNALED,64,0,1,0x1000,2,0x2000,1,0,0,0,\n", RUN "t.wqe", "t.wqe:6: "},
    {HEAD "0,0,0,SEND,2,1,1,0,WRITE,SIGNALED,2147483649,0,1,0x1000,2,0x2000,1,0,0,0,\n", RUN "t.wqe", "t.wqe:5: "},
    {HEAD "0,0,0,SEND,2,1,1,0,BIND_MW,SIGNALED,64,0,1,0x1000,2,0x2000,1,0,0,0,\n", RUN "t.wqe",
     "t.wqe:5: this opcode is not simulated"},
    {HEAD "0,0,0,SEND,2,1,1,0,WRITE,SIGNALED,64,0,2,0x1000,2,0x2000,1,0,0,0,\n", RUN "t.wqe",
     "t.wqe:5: of its SGEs only the number is known"},
    {HEAD GOOD GOOD GOOD, RUN "t.wqe", "t.wqe:7: doorbell 1 has 3 or more requests"},
    {"#rnicsim-trace version=1\n#qp host=0 qpn=2 type=UD peer_host=1\n"
     "#qp host=1 qpn=1 type=UD peer_host=0\n" COLUMNS GOOD,
     RUN "t.wqe", "t.wqe:2: QP 2 of host 0: a UD QP whose requests go nowhere"},
    {"#rnicsim-trace version=1\n#qp host=0 qpn=2 type=RC peer_host=2 peer_qpn=1\n"
     "#qp host=2 qpn=1 type=RC peer_host=0 peer_qpn=2\n" COLUMNS GOOD,
     RUN "t.wqe", "t.wqe:2: QP 2 of host 0: two hosts are simulated"},
    {"#rnicsim-trace version=1\n" QPS "#mr host=1 key=9 base=0x2000 length=64\n" COLUMNS GOOD, RUN "t.wqe",
     "t.wqe:6: request 0 on QP 2 of host 0: rkey"}, /* the remote key has no region: the simulation refuses the post */
    {HEAD GOOD, "$R run -b u280_100g -o /dev/full t.wqe", "/dev/full"},
    {HEAD GOOD, "$R run -b u280_100g -o no/such/folder t.wqe", "cannot be made"},
    {HEAD GOOD, "$R run -b u280_100g -o t.wqe t.wqe", "not a folder"},
    {HEAD GOOD, "$R run -b u280_100g t.wqe >/dev/full", "standard output cannot be written"},
    {HEAD GOOD, "$R run -b u280_100g --json t.wqe >/dev/full", "standard output cannot be written"},
    {HEAD GOOD, "trap '' XFSZ; ulimit -f 1; " RUN "t.wqe", "cannot be written"},
    {NULL, "$R params no.such.key", "\"no.such.key\" is no parameter"},
    {HEAD GOOD, MY_ENDPOINT("'s/tags = 256/tags = 0/'"), "my/my.endpoint:6: pcie.tags = 0: out of range"},
    {HEAD GOOD, MY_ENDPOINT("'s/tags/tgas/'"), "my.endpoint:6: unknown key 'pcie.tgas', did you mean 'pcie.tags'?"},
    {HEAD GOOD, MY_ENDPOINT("'s/.pcie./[mac]/'"), "my.endpoint:4: section [mac], an endpoint file has only [pcie]"},
    {HEAD GOOD, MY_ENDPOINT("'s/@documented.*//'"), "my.endpoint:5: pcie.user_width: value without class"},
    {HEAD GOOD,
     "sed 's/^endpoint = .*/endpoint = xilinx_usplos/' " CONFIG
     "/boards/u280_100g.board >my.board; $R run -b my.board -o results t.wqe",
     "unknown endpoint 'xilinx_usplos', known are corundum_us, corundum_usplus, intel_htile"},
    {NULL, "$R params -b u281", "unknown board 'u281'"},
    {NULL, "$R boards all", "takes no argument"},
    {NULL, "$R trace", "allowed are info, check, convert, import, import-pcap and gen"},
    {NULL, "$R trace info", "needed are FILE"},
    {NULL, "$R trace info missing.wqe", "missing.wqe: cannot be opened"},
    {HEAD GOOD, "$R trace convert t.wqe /dev/full", "/dev/full"},
    {NULL, "$R trace import --tool write_lat", "are needed"},
    {NULL, "$R trace import-pcap -o x.wqe", "one FILE and -o are needed"},
    {NULL, "$R trace import-pcap missing.pcap", "one FILE and -o are needed"},
    {NULL, "$R trace import-pcap missing.pcap -o x.wqe", "missing.pcap: cannot be opened"},
    {HEAD GOOD, "$R trace import-pcap t.wqe -o x.wqe", "t.wqe: unknown file format; allowed is a whole pcap"},
    {NULL, "$R trace gen --qps 4 -o x.wqe", "--qps, --size, --requests, --opcode and -o are needed"},
    {NULL, GEN "--qps 0", "--qps: 0 is not allowed"},
    {NULL, GEN "--depth -1", "--depth: \"-1\""},
    {NULL, GEN "--arrival often", "--arrival: \"often\" is not known"},
    {NULL, GEN "--arrival poisson --rate 50", "rate \"50\": allowed are"},
    {NULL, GEN "--size webfind", "alistorage2019, fbhadoop, googlerpc2008, websearch"},
    {NULL, GEN "--size /tmp", "/tmp:0: cannot be read"},
    {NULL, GEN "--frobnicate", "\"--frobnicate\" is no option"},
    {NULL, GEN "more", "takes options only"},
    {NULL, GEN "-o x.trace", "the name does not say the form"},
    {NULL, "$R trace import --tool write_lat --client missing.csv --server missing.csv -o x.wqe", "missing.csv"},
};

static void check_case(const struct bad_case *bad)
{
    struct command command;
    command_open(&command);
    if (bad->trace != NULL)
        command_write(&command, "t.wqe", bad->trace);
    int status = command_run(&command, "%s", bad->command);
    int is_right = status == 2 && command_lines(command.err) == 1 && strstr(command.err, bad->expected) != NULL &&
                   strncmp(command.err, "rnicsim: ", 9) == 0 && command.out[0] == 0 &&
                   !command_has(&command, "results") && !command_has(&command, "x.wqe");
    if (!is_right)
        printf("\n%s: status %d, results %d, out \"%.200s\"\n  expected \"%s\"\n  got \"%s\"\n", bad->command, status,
               command_has(&command, "results"), command.out, bad->expected, command.err);
    CU_ASSERT(is_right);
    command_close(&command);
}

static void test_bad_input(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

/* Every fault of a trace is listed on standard output, the verdict on standard error. */
static void test_check(void)
{
    struct command command;
    command_open(&command);
    command_write(&command, "t.wqe",
                  HEAD "0,0,0,FROB,2,1,1,0,,,0,0,0,0,0,0,0,0,0,0,\n" GOOD
                       "0,0,0,SEND,7,1,1,0,WRITE,,64,0,1,0x1000,2,0x2000,1,0,0,0,\n");
    CU_ASSERT_EQUAL(command_run(&command, "$R trace check t.wqe"), 2);
    CU_ASSERT_EQUAL(command_lines(command.out), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "t.wqe:5: "));
    CU_ASSERT_PTR_NOT_NULL(strstr(command.out, "t.wqe:7: "));
    CU_ASSERT_STRING_EQUAL(command.err, "rnicsim: t.wqe: 2 faults\n");
    command_close(&command);
}

static void test_other_run_is_kept(void)
{
    struct command command;
    command_open(&command);
    command_write(&command, "t.wqe", HEAD GOOD);
    CU_ASSERT_EQUAL(command_run(&command, "mkdir results; echo mine >results/notes; " RUN "--quiet --no-charts t.wqe"),
                    0);
    CU_ASSERT_EQUAL(command_run(&command, "cp -r results before; " RUN "--quiet --seed 2 t.wqe"), 2);
    CU_ASSERT_EQUAL(command_lines(command.err), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(command.err, "--force"));
    CU_ASSERT_EQUAL(command_run(&command, "diff -r before results"), 0);
    CU_ASSERT_EQUAL(
        command_run(&command, RUN "--quiet --seed 2 --force t.wqe && grep -q '\"seed\": 2' results/summary.json"), 0);
    CU_ASSERT(command_has(&command, "results/notes"));
    /* A failed one with --force leaves the old one whole. */
    CU_ASSERT_EQUAL(command_run(&command, "rm -rf before; cp -r results before"), 0);
    CU_ASSERT_EQUAL(command_run(&command, "trap '' XFSZ; ulimit -f 1; " RUN "--quiet --force t.wqe"), 2);
    CU_ASSERT_EQUAL(command_run(&command, "diff -r before results"), 0);
    command_close(&command);
}

void suite_bench_bad_input(void)
{
    CU_pSuite suite = CU_add_suite("bench/bad_input", NULL, NULL);
    CU_add_test(suite, "one line, exit 2, no results", test_bad_input);
    CU_add_test(suite, "trace check lists all faults", test_check);
    CU_add_test(suite, "another run's results", test_other_run_is_kept);
}
