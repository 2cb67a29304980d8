build-bench/o0/pcie/tlp.o: pcie/tlp.c pcie/tlp.h
pcie/tlp.h:
