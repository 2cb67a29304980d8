// A synchronous FIFO with ready/valid on both sides; a word is seen the cycle after it is written, its space the cycle
// after it is read. `depth` (<= MAX) is an input, so that one build serves many tests.
module fifo #(parameter int W = 32, parameter int MAX = 64) (
    input  logic         clk,
    input  logic [7:0]   depth,
    input  logic         in_valid,
    output logic         in_ready,
    input  logic [W-1:0] in_data,
    output logic         out_valid,
    input  logic         out_ready,
    output logic [W-1:0] out_data
);
    localparam int A = $clog2(MAX);
    logic [W-1:0] memory [MAX];
    logic [A-1:0] write_at = '0, read_at = '0;
    logic [7:0]   count = '0;

    assign in_ready  = count < depth;
    assign out_valid = count != 0;
    assign out_data  = memory[read_at];

    wire push = in_valid & in_ready;
    wire pop  = out_valid & out_ready;

    always_ff @(posedge clk) begin
        if (push) begin
            memory[write_at] <= in_data;
            write_at <= write_at + 1'b1;
        end
        if (pop)
            read_at <= read_at + 1'b1;
        count <= count + 8'(push) - 8'(pop);
    end
endmodule
