build-bench/o0/model/nic/qp.o: model/nic/qp.c model/nic/qp.h \
 transport/requester.h transport/params.h model/config/param.h \
 model/config/config_error.h transport/params.def transport/psn.h \
 transport/responder.h
model/nic/qp.h:
transport/requester.h:
transport/params.h:
model/config/param.h:
model/config/config_error.h:
transport/params.def:
transport/psn.h:
transport/responder.h:
