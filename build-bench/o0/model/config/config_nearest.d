build-bench/o0/model/config/config_nearest.o: \
 model/config/config_nearest.c model/config/config_nearest.h
model/config/config_nearest.h:
