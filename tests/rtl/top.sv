// Three systems side by side, driven by one harness: a chain of FIFOs, a chain of two clock crossings, and three credit
// links into an arbiter and a fourth. Each is held against the reference simulator.
module top (
    input  logic        clk_a,
    input  logic        clk_b,
    // source -> FIFO -> FIFO -> FIFO -> sink, all in clk_a
    input  logic [7:0]  chain_depth0, chain_depth1, chain_depth2,
    input  logic        chain_in_valid,
    output logic        chain_in_ready,
    input  logic [31:0] chain_in_data,
    output logic        chain_out_valid,
    input  logic        chain_out_ready,
    output logic [31:0] chain_out_data,
    output logic [1:0]  chain_moves, // between the FIFOs
    // source in clk_a -> 2 flops, depth 4 -> clk_b -> 3 flops, depth 8 -> sink in clk_a
    input  logic        cross_in_valid,
    output logic        cross_in_ready,
    input  logic [31:0] cross_in_data,
    output logic        cross_out_valid,
    input  logic        cross_out_ready,
    output logic [31:0] cross_out_data,
    output logic        cross_moves, // in clk_b
    // three sources -> links -> arbiter -> link -> sink, all in clk_a
    input  logic        strict,
    input  logic [7:0]  slots [4],
    input  logic [3:0]  data_delay [4],
    input  logic [3:0]  credit_delay [4],
    output logic        may_start [3],
    input  logic        source_start [3],
    input  logic        source_valid [3],
    input  logic [31:0] source_data [3],
    output logic        grant,
    output logic [7:0]  grant_input,
    output logic        grant_beat,
    output logic [31:0] grant_data,
    output logic        sink_valid,
    output logic [31:0] sink_data,
    input  logic        sink_pop,
    input  logic        sink_start,
    output logic        overflow
);
    logic valid0, ready0, valid1, ready1;
    logic [31:0] data0, data1;
    fifo chain0 (.clk(clk_a), .depth(chain_depth0), .in_valid(chain_in_valid), .in_ready(chain_in_ready),
                 .in_data(chain_in_data), .out_valid(valid0), .out_ready(ready0), .out_data(data0));
    fifo chain1 (.clk(clk_a), .depth(chain_depth1), .in_valid(valid0), .in_ready(ready0), .in_data(data0),
                 .out_valid(valid1), .out_ready(ready1), .out_data(data1));
    fifo chain2 (.clk(clk_a), .depth(chain_depth2), .in_valid(valid1), .in_ready(ready1), .in_data(data1),
                 .out_valid(chain_out_valid), .out_ready(chain_out_ready), .out_data(chain_out_data));
    assign chain_moves = {valid1 & ready1, valid0 & ready0};

    logic middle_valid, middle_ready;
    logic [31:0] middle_data;
    cdc_fifo #(.LOG_DEPTH(2), .FLOPS(2)) there (.write_clk(clk_a), .in_valid(cross_in_valid), .in_ready(cross_in_ready),
        .in_data(cross_in_data), .read_clk(clk_b), .out_valid(middle_valid), .out_ready(middle_ready), .out_data(middle_data));
    cdc_fifo #(.LOG_DEPTH(3), .FLOPS(3)) back (.write_clk(clk_b), .in_valid(middle_valid), .in_ready(middle_ready),
        .in_data(middle_data), .read_clk(clk_a), .out_valid(cross_out_valid), .out_ready(cross_out_ready),
        .out_data(cross_out_data));
    assign cross_moves = middle_valid & middle_ready;

    logic [2:0] waiting, pop, start;
    logic [31:0] waiting_data [3];
    logic out_free, out_start, out_valid;
    logic [31:0] out_data;
    logic [3:0] broken;
    for (genvar i = 0; i < 3; i++) begin : link
        credit_link to_arbiter (.clk(clk_a), .slots(slots[i]), .data_delay(data_delay[i]), .credit_delay(credit_delay[i]),
            .may_start(may_start[i]), .start(source_start[i]), .in_valid(source_valid[i]), .in_data(source_data[i]),
            .out_valid(waiting[i]), .out_data(waiting_data[i]), .out_pop(pop[i]), .out_start(start[i]),
            .overflow(broken[i]));
    end
    arbiter arb (.clk(clk_a), .strict, .in_valid(waiting), .in_data(waiting_data), .in_pop(pop), .in_start(start),
                 .may_start(out_free), .out_start, .out_valid, .out_data);
    credit_link to_sink (.clk(clk_a), .slots(slots[3]), .data_delay(data_delay[3]), .credit_delay(credit_delay[3]),
        .may_start(out_free), .start(out_start), .in_valid(out_valid), .in_data(out_data), .out_valid(sink_valid),
        .out_data(sink_data), .out_pop(sink_pop), .out_start(sink_start), .overflow(broken[3]));
    assign grant = out_start;
    assign grant_input = start[0] ? 8'd0 : start[1] ? 8'd1 : 8'd2;
    assign grant_beat = out_valid;
    assign grant_data = out_data;
    assign overflow = |broken;
endmodule
