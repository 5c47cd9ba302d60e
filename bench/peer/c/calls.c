/* Single blocking calls for a tracer that counts their instructions: what it counts
 * lies between two breakpoints. Per repetition nothing, a send, and a receive whose
 * message is there. The same as package bench/watch does over this runtime.
 *
 * usage: calls REPETITIONS MICROSECONDS
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WARM = 200, TAG = 1 };

#if defined __x86_64__ || defined __i386__
#define MARK() __asm__ volatile("int3" ::: "memory")
#else
#define MARK() abort()
#endif

static void calls(int rank, int reps, int micros)
{
    char out[8], in[8];
    memset(out, 1, sizeof out);
    for (int i = 0; i < WARM + reps; i++) {
        if (rank > 1) continue;
        if (i == WARM / 2) usleep(2 * micros); /* a job that has just begun may go another way */
        if (rank == 1) {
            if (i >= WARM) usleep(micros); /* not asleep in the call when the message comes */
            MPI_Recv(in, 8, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, 8, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
            if (i >= WARM) usleep(micros / 2); /* nor earlier each time */
            continue;
        }
        if (i < WARM) {
            MPI_Send(out, 8, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
            MPI_Recv(in, 8, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            continue;
        }
        MARK();
        MARK();
        MARK();
        MPI_Send(out, 8, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
        MARK();
        usleep(micros + micros / 2);
        MARK();
        MPI_Recv(in, 8, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MARK();
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
    calls(rank, atoi(argv[1]), atoi(argv[2]));
    MPI_Finalize();
    return 0;
}
