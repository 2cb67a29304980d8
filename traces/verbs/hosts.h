/* The launcher's side of the programs: where each stands, and what it has asked for. */
#ifndef VERBS_HOSTS_H
#define VERBS_HOSTS_H

#include "api/rnicsim.h"
#include "traces/verbs/protocol.h"

#define VERBS_HOSTS 2
#define VERBS_MAPS 4096

enum verbs_state {
    VERBS_ABSENT,  /* no program has opened this host's device */
    VERBS_RUNS,    /* its clock stands, nobody may pass it */
    VERBS_ASKS,    /* request is due at at_ps */
    VERBS_RETURNS, /* reply is due at at_ps */
    VERBS_PARKS,   /* until something comes, or until_ps */
    VERBS_READS,   /* a TCP stream */
    VERBS_IS_OUTSIDE
};

struct verbs_map {
    uint64_t address, length_bytes; /* 0: free */
    void *bytes;
};

struct verbs_host {
    enum verbs_state state;
    int fd, memory_fd;
    int64_t at_ps, until_ps;
    int64_t idle_ps; /* how far its clock was moved while nothing at all happened */
    uint64_t writes, seen, stream;
    struct verbs_reply reply;
    struct verbs_completion *completion; /* that it has not polled, from `first` on */
    size_t first, count, room;
    struct verbs_map map[VERBS_MAPS];
    uint32_t *qpn; /* of its QPs */
    size_t qps;
    _Alignas(8) unsigned char message[VERBS_MESSAGE_BYTES]; /* a verbs_request and what is behind it */
    size_t message_bytes;
};

/* Bytes on their way in a TCP stream; 0: its end. */
struct verbs_segment {
    uint64_t stream, bytes;
    int64_t at_ps; /* can be read */
};

struct verbs_server {
    struct rnicsim *sim;
    struct verbs_host host[VERBS_HOSTS];
    struct verbs_segment *segment;
    size_t segments;
    uint32_t next_number; /* of QPs and keys */
    int64_t tsc_hz, real_ns;
    int result; /* not RNICSIM_OK: the simulation is dead */
    struct rnicsim_error error;
};

/* Does what a host has asked for; it is due now. */
void verbs_serve(struct verbs_server *server, uint32_t host);
/* One that reads a stream may be written to by a process that we know nothing of: it waits outside of the simulation. */
void verbs_release(struct verbs_server *server, uint32_t host);
/* Objects and posts: returns an errno for the program; *number: of what was made. */
int verbs_objects(struct verbs_server *server, uint32_t host, const struct verbs_request *request, uint32_t *number);
int verbs_post(struct verbs_server *server, uint32_t host, const struct verbs_request *request, size_t bytes);
/* Nothing of the host's program is used any more. */
void verbs_host_leaves(struct verbs_server *server, uint32_t host);

/* Streams. 0: the host can go on at *at_ps. */
int verbs_stream_ready(const struct verbs_server *server, uint64_t stream, int64_t *at_ps);
void verbs_stream_add(struct verbs_server *server, uint64_t stream, uint64_t bytes, int64_t at_ps);
void verbs_stream_took(struct verbs_server *server, uint64_t stream, uint64_t bytes);

/* Lets time go on, to where the next host is due, and serves it. -1: nobody can go on until a program says something; -2: nor then. */
int verbs_step(struct verbs_server *server);
/* Nothing happens: one that waits goes on with nothing, somewhat later; -1: it has done so for very long. */
int verbs_nudge(struct verbs_server *server);
/* Takes in what a program says. -1: it is gone. */
int verbs_hear(struct verbs_server *server, uint32_t host);
/* A program has opened a device. */
void verbs_welcome(struct verbs_server *server, int fd);

#endif
