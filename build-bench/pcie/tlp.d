build-bench/pcie/tlp.o: pcie/tlp.c pcie/tlp.h
pcie/tlp.h:
