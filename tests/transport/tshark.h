/* How tshark is asked about frames in tests: checksums judged, and nothing guessed from payload (plain SENDs are taken for RPC, SMC-R, NVMe and others
 * otherwise; tshark 4.0). */
#ifndef TESTS_TRANSPORT_TSHARK_H
#define TESTS_TRANSPORT_TSHARK_H

#define TSHARK                                                                                                \
    "tshark -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -o udp.ignore_ipv6_zero_checksum:TRUE"       \
    " --disable-heuristic mellanox_eoib --disable-heuristic eth_over_ib --disable-heuristic sdp_infiniband"   \
    " --disable-heuristic iser_infiniband --disable-heuristic rpcrdma_infiniband --disable-heuristic lnet_ib" \
    " --disable-heuristic smcr_infiniband --disable-heuristic fc_infiniband"                                  \
    " --disable-heuristic smb_direct_infiniband --disable-heuristic nvme_rdma "

#endif
