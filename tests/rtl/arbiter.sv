// A packet arbiter: round robin, or the lowest input first; a packet, once granted, is read to its last beat. The data passes
// in the same cycle. Bit 0 of the data is the last-beat mark.
module arbiter #(parameter int N = 3, parameter int W = 32) (
    input  logic         clk,
    input  logic         strict,
    input  logic [N-1:0] in_valid,
    input  logic [W-1:0] in_data [N],
    output logic [N-1:0] in_pop,
    output logic [N-1:0] in_start,
    input  logic         may_start, // there is a slot behind
    output logic         out_start,
    output logic         out_valid,
    output logic [W-1:0] out_data
);
    localparam int S = $clog2(N);
    localparam logic [S-1:0] LAST = S'(N - 1);
    logic busy = 1'b0;
    logic [S-1:0] selected = LAST; // the last granted
    logic [S-1:0] now, tried;
    logic granted;

    always_comb begin
        granted = 1'b0;
        now = selected;
        tried = strict ? LAST : selected;
        for (int k = 0; k < N; k++) begin
            tried = tried == LAST ? '0 : tried + 1'b1;
            if (!busy && may_start && !granted && in_valid[tried]) begin
                granted = 1'b1;
                now = tried;
            end
        end
    end

    always_comb begin
        in_pop = '0;
        in_start = '0;
        out_valid = (busy | granted) & in_valid[now];
        out_data = in_data[now];
        out_start = granted;
        in_pop[now] = out_valid;
        in_start[now] = granted;
    end

    always_ff @(posedge clk) begin
        selected <= now;
        if (out_valid)
            busy <= !out_data[0];
    end
endmodule
