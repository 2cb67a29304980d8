// A link with one credit for each packet slot of its receiving buffer: a packet may start when a credit is there; data takes
// `data_delay` cycles to the buffer (and one to be written), a credit `credit_delay` + 1 cycles back from the start of reading.
module credit_link #(parameter int W = 32, parameter int BUFFER = 64, parameter int DELAY_MAX = 16) (
    input  logic         clk,
    input  logic [7:0]   slots,
    input  logic [3:0]   data_delay,
    input  logic [3:0]   credit_delay,
    output logic         may_start,
    input  logic         start, // with the first beat of a packet, only when may_start
    input  logic         in_valid,
    input  logic [W-1:0] in_data,
    output logic         out_valid,
    output logic [W-1:0] out_data,
    input  logic         out_pop,
    input  logic         out_start, // the reader starts a packet: its slot is free
    output logic         overflow
);
    logic [7:0] taken = '0; // slots taken, as the sender sees it
    logic [W:0] data_line [DELAY_MAX];
    logic       credit_line [DELAY_MAX];

    initial begin
        overflow = 1'b0;
        for (int i = 0; i < DELAY_MAX; i++) begin
            data_line[i] = '0;
            credit_line[i] = 1'b0;
        end
    end

    wire [W:0] arriving = data_delay == 0 ? {in_valid, in_data} : data_line[data_delay - 1];
    wire       returned = credit_delay == 0 ? out_start : credit_line[credit_delay - 1];
    wire       ready;

    assign may_start = taken < slots;

    always_ff @(posedge clk) begin
        data_line[0]   <= {in_valid, in_data};
        credit_line[0] <= out_start;
        for (int i = 1; i < DELAY_MAX; i++) begin
            data_line[i]   <= data_line[i-1];
            credit_line[i] <= credit_line[i-1];
        end
        taken <= taken + 8'(start) - 8'(returned);
        if ((arriving[W] & !ready) || (start & !may_start))
            overflow <= 1'b1; // the credits did not hold
    end

    fifo #(.W(W), .MAX(BUFFER)) buffer (
        .clk, .depth(8'(BUFFER)), .in_valid(arriving[W]), .in_ready(ready), .in_data(arriving[W-1:0]),
        .out_valid, .out_ready(out_pop), .out_data);
endmodule
