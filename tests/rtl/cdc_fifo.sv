// An asynchronous FIFO: Gray-coded pointers, each through FLOPS flip-flops into the other clock (the usual construction:
// C. Cummings, SNUG 2002). Depth 2**LOG_DEPTH.
module cdc_fifo #(parameter int W = 32, parameter int LOG_DEPTH = 2, parameter int FLOPS = 2) (
    input  logic         write_clk,
    input  logic         in_valid,
    output logic         in_ready,
    input  logic [W-1:0] in_data,
    input  logic         read_clk,
    output logic         out_valid,
    input  logic         out_ready,
    output logic [W-1:0] out_data
);
    localparam int P = LOG_DEPTH + 1;
    logic [W-1:0] memory [2**LOG_DEPTH];
    logic [P-1:0] write_at = '0, write_gray = '0, read_at = '0, read_gray = '0;
    logic [P-1:0] write_seen [FLOPS]; // in the reader's clock
    logic [P-1:0] read_seen [FLOPS];  // in the writer's clock

    initial for (int i = 0; i < FLOPS; i++) begin
        write_seen[i] = '0;
        read_seen[i] = '0;
    end

    // full: the writer is one lap ahead, which in Gray code inverts the two top bits
    assign in_ready  = write_gray != (read_seen[FLOPS-1] ^ {2'b11, {(P-2){1'b0}}});
    assign out_valid = read_gray != write_seen[FLOPS-1];
    assign out_data  = memory[read_at[LOG_DEPTH-1:0]];

    wire [P-1:0] write_next = write_at + 1'b1;
    wire [P-1:0] read_next  = read_at + 1'b1;

    always_ff @(posedge write_clk) begin
        read_seen[0] <= read_gray;
        for (int i = 1; i < FLOPS; i++)
            read_seen[i] <= read_seen[i-1];
        if (in_valid & in_ready) begin
            memory[write_at[LOG_DEPTH-1:0]] <= in_data;
            write_at   <= write_next;
            write_gray <= write_next ^ (write_next >> 1);
        end
    end

    always_ff @(posedge read_clk) begin
        write_seen[0] <= write_gray;
        for (int i = 1; i < FLOPS; i++)
            write_seen[i] <= write_seen[i-1];
        if (out_valid & out_ready) begin
            read_at   <= read_next;
            read_gray <= read_next ^ (read_next >> 1);
        end
    end
endmodule
