"""Prints the ICRC of each frame of a capture, as the four bytes on the wire, reckoned by scapy: contrib/roce.py where the frame is RoCE v2 on IPv4,
which is all that it can; for the others the fields that a router may change are set to ones in scapy's own layers."""
import sys
from zlib import crc32

from scapy.all import Ether, IP, IPv6, UDP, Raw, raw, rdpcap
from scapy.contrib.roce import BTH, GRH


def icrc_by_layers(frame):
    net = frame[IPv6] if IPv6 in frame else frame[GRH]
    bth = frame[BTH]
    ones = net.copy()
    if IPv6 in frame:
        ones.tc, ones.fl, ones.hlim = 0xFF, 0xFFFFF, 0xFF
        ones[UDP].chksum = 0xFFFF
    else:
        ones.tclass, ones.flowlabel, ones.hoplmt = 0xFF, 0xFFFFF, 0xFF
    ones[BTH].fecn, ones[BTH].becn, ones[BTH].resv6 = 1, 1, 0x3F
    ones[BTH].icrc = 0
    return crc32(b"\xff" * 8 + raw(ones)[:-4]).to_bytes(4, "little")


def icrc(frame):
    if IP not in frame:
        return icrc_by_layers(frame)
    frame[BTH].icrc = None
    return raw(frame)[-4:]


for frame in rdpcap(sys.argv[1]):
    print(icrc(Ether(raw(frame))).hex())
