# Flow sizes of a web search cluster, known from DCTCP (Alizadeh et al., SIGCOMM 2010).
# Figures: github alibaba-edu/High-Precision-Congestion-Control @9f4be2a9, traffic_gen/WebSearch_distribution.txt.
# bytes, share of the messages that are not larger (%)
0 0
10000 15
20000 20
30000 30
50000 40
80000 53
200000 60
1000000 70
2000000 80
5000000 90
10000000 97
30000000 100
