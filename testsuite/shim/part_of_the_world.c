/* gravel_init with a communicator that is not the world: twice, on parts of it that know nothing of each other, and its
 * communicator freed while Gravel is in use. Runs on 4 ranks. */
#include "check.h"

int main(int argc, char **argv) {
    MPI_Comm part, reversed, pair;
    int rank, part_rank, size, round, value = 1;
    gravel_request request;
    start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (round = 0; round < 2; round++) {
        /* Three ranks in reversed order, and one alone; then two pairs. */
        MPI_Comm_split(MPI_COMM_WORLD, round == 0 ? rank == 2 : rank % 2, -rank, &part);
        CHECK(gravel_init(part) == MPI_SUCCESS);
        check_ring(part, 1);

        /* Some of its processes have no part in this gravel_init: it stays MPI's on all ranks. */
        CHECK(gravel_attach(MPI_COMM_WORLD) == MPI_SUCCESS);
        check_left_to_mpi(MPI_COMM_WORLD);

        MPI_Comm_split(part, 0, rank, &reversed);
        CHECK(gravel_attach(reversed) == MPI_SUCCESS);
        check_ring(reversed, 1);

        /* The first communicator goes, the others stay. */
        MPI_Comm_rank(part, &part_rank);
        MPI_Comm_split(part, part_rank / 2, -part_rank, &pair);
        MPI_Comm_free(&part);
        CHECK(gravel_attach(pair) == MPI_SUCCESS);
        check_ring(pair, 1);
        check_ring(reversed, 2);
        MPI_Comm_size(pair, &size);
        CHECK(refused(gravel_post_send(&value, 1, MPI_INT, size, 0, pair, &request), MPI_ERR_RANK, "gravel_post_send"));
        CHECK(gravel_finalize() == MPI_SUCCESS);
        /* Attached until the end, freed after it. */
        MPI_Comm_free(&pair);
        MPI_Comm_free(&reversed);
    }
    return finish();
}
