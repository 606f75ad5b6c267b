#ifndef EXCHANGE_H
#define EXCHANGE_H
#include "length.h"

/* Two messages, and where they go. */
typedef struct {
    int rank, ranks;
    double *sent, *received;
} exchange;

static inline int next_of(const exchange *ring, int step)
{
    return (ring->rank + step + ring->ranks) % ring->ranks;
}

void open_exchange(exchange *ring);
void swap(exchange *ring);
void check_mpi(int code, const char *file, int line);

#define CHECK(call) check_mpi((call), __FILE__, __LINE__)

#endif
