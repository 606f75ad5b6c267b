/* The least that a program must do to move bytes by RDMA: a connection between two ranks and loops over libibverbs.
 *
 * All functions end the job with a message if a verb fails. Those that return a time (in microseconds) are called by both
 * ranks of a pair at the same time, and do not time their first round. */
#ifndef BARE_VERBS_H
#define BARE_VERBS_H

#include <stddef.h>

/* Connects this rank to its partner, one of which is the first: through the first port that is up, as Gravel does.
 * Memory for messages of so many bytes is registered. */
void bare_verbs_connect(int peer, int is_first, size_t bytes);

/* One-way latency of a message that is written, with an immediate, into memory that the writer knows. */
double bare_verbs_put_latency(size_t bytes, int times);

/* Time per message of windows that the first writes so, each acknowledged by an empty write. */
double bare_verbs_put_stream(size_t bytes, int window, int times);

/* Time that the second takes to read a message of the first. */
double bare_verbs_get_latency(size_t bytes, int times);

/* Time per message of windows that the second reads, with as many reads at once as the device takes. */
double bare_verbs_get_stream(size_t bytes, int window, int times);

/* Begins to write a message, with an immediate. */
void bare_verbs_begin_put(size_t bytes);

/* Waits until the device says that all of it is written. */
void bare_verbs_end_put(void);

/* Waits for a message that the partner writes. */
void bare_verbs_await_put(void);

/* Ends the connection. */
void bare_verbs_disconnect(void);

#endif
