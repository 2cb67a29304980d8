// Reads golden vectors, and plays those of one FIFO as an RTL design would drive its stream: valid from head to tail, last with the tail. With
// +late=N the Nth item and all behind it come a cycle later.
`timescale 1ps / 1ps
module golden_bench;
    `include "golden.svh"
    reg [255:0] words [0:GOLDEN_A_PAYLOAD_DATA_FIFO_N - 1];
    reg clk = 0, axis_tvalid = 0, axis_tlast = 0, axis_tready = 1;
    reg [63:0] cycle = 0, head, tail;
    integer i, late, shift;
    always #2000 clk = ~clk;
    initial begin
        if (!$value$plusargs("late=%d", late)) late = -1;
        $readmemh("a_payload_data_fifo.memh", words);
        $display("%0d %0d %0d %0d", GOLDEN_A_PAYLOAD_DATA_FIFO_N, words[0][255:192], words[0][127:64], words[1][63:0]);
        $dumpfile("rtl.vcd");
        $dumpvars(0, golden_bench);
        for (i = 0; i < GOLDEN_A_PAYLOAD_DATA_FIFO_N; i = i + 1) begin
            shift = late >= 0 && i >= late ? 1 : 0;
            head = words[i][127:64] + shift;
            tail = words[i][63:0] + shift;
            while (cycle < head) begin
                @(posedge clk);
                cycle = cycle + 1;
                axis_tvalid <= cycle == head;
                axis_tlast <= cycle == head && cycle == tail;
            end
            while (cycle < tail) begin
                @(posedge clk);
                cycle = cycle + 1;
                axis_tlast <= cycle == tail;
            end
        end
        @(posedge clk);
        axis_tvalid <= 0;
        axis_tlast <= 0;
        repeat (4) @(posedge clk);
        $finish;
    end
endmodule
