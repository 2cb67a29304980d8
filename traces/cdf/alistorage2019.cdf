# Flow sizes of a storage cluster of Alibaba, 2019.
# Figures: github alibaba-edu/High-Precision-Congestion-Control @9f4be2a9, traffic_gen/AliStorage2019.txt.
# bytes, share of the messages that are not larger (%)
0 0
4000 22.93
8000 69.21
16000 80.61
32000 90.47
64000 93.53
128000 96.77
256000 97.53
2000000 100
