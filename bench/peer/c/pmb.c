/* The peers' side of package bench/pmb: the same patterns, the same policy of
 * repetitions, the same timing. pmb() returns 0 if it knows no such test.
 *
 * output: one line "row TEST RANKS BYTES REPETITIONS MICROSECONDS" a size: the
 * mean over the ranks of a repetition's time, for Uniband and Biband the time
 * of one message on the slowest rank. A size whose few obligatory calls take
 * PATIENCE times the limit is the last of its test: "slow TEST RANKS BYTES"
 * names each that is left out.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 1000, VOLUME = 40 << 20, WINDOW = 64, WARMUPS = 2, PATIENCE = 15, TAG = 1 };

static int rank, size, n;
static char *out, *in;
static int *counts, *displs, *shares;
static MPI_Comm all;

static void pingpong(void)
{
    int other = 1 - rank;
    if (rank == 0) MPI_Send(out, n, MPI_BYTE, other, TAG, all);
    MPI_Recv(in, n, MPI_BYTE, other, TAG, all, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(out, n, MPI_BYTE, other, TAG, all);
}

static void pingping(void)
{
    MPI_Request r;
    MPI_Isend(out, n, MPI_BYTE, 1 - rank, TAG, all, &r);
    MPI_Recv(in, n, MPI_BYTE, 1 - rank, TAG, all, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void sendrecv(void)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Sendrecv(out, n, MPI_BYTE, right, TAG, in, n, MPI_BYTE, left, TAG, all, MPI_STATUS_IGNORE);
}

static void exchange(void)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Request r[2];
    MPI_Isend(out, n, MPI_BYTE, right, TAG, all, &r[0]);
    MPI_Isend(out, n, MPI_BYTE, left, TAG + 1, all, &r[1]);
    MPI_Recv(in, n, MPI_BYTE, left, TAG, all, MPI_STATUS_IGNORE);
    MPI_Recv(in + n, n, MPI_BYTE, right, TAG + 1, all, MPI_STATUS_IGNORE);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void uniband(void)
{
    static MPI_Request r[WINDOW];
    char ack[4] = {0};
    int partner = (rank + size / 2) % size;
    for (int k = 0; k < WINDOW; k++)
        if (rank < size / 2) MPI_Isend(out, n, MPI_BYTE, partner, TAG, all, &r[k]);
        else MPI_Irecv(in, n, MPI_BYTE, partner, TAG, all, &r[k]);
    MPI_Waitall(WINDOW, r, MPI_STATUSES_IGNORE);
    if (rank < size / 2) MPI_Recv(ack, 4, MPI_BYTE, partner, TAG + 1, all, MPI_STATUS_IGNORE);
    else MPI_Send(ack, 4, MPI_BYTE, partner, TAG + 1, all);
}

static void biband(void)
{
    static MPI_Request r[2 * WINDOW];
    int partner = (rank + size / 2) % size;
    for (int k = 0; k < WINDOW; k++) MPI_Irecv(in, n, MPI_BYTE, partner, TAG, all, &r[k]);
    for (int k = 0; k < WINDOW; k++) MPI_Isend(out, n, MPI_BYTE, partner, TAG, all, &r[WINDOW + k]);
    MPI_Waitall(2 * WINDOW, r, MPI_STATUSES_IGNORE);
}

static void bcast(void) { MPI_Bcast(rank ? in : out, n, MPI_BYTE, 0, all); }
static void reduce(void) { MPI_Reduce(out, in, n / 4, MPI_FLOAT, MPI_SUM, 0, all); }
static void allreduce(void) { MPI_Allreduce(out, in, n / 4, MPI_FLOAT, MPI_SUM, all); }
static void reduce_scatter(void) { MPI_Reduce_scatter(out, in, shares, MPI_FLOAT, MPI_SUM, all); }
static void allgather(void) { MPI_Allgather(out, n, MPI_BYTE, in, n, MPI_BYTE, all); }
static void allgatherv(void) { MPI_Allgatherv(out, n, MPI_BYTE, in, counts, displs, MPI_BYTE, all); }
static void gather(void) { MPI_Gather(out, n, MPI_BYTE, in, n, MPI_BYTE, 0, all); }
static void gatherv(void) { MPI_Gatherv(out, n, MPI_BYTE, in, counts, displs, MPI_BYTE, 0, all); }
static void scatter(void) { MPI_Scatter(out, n, MPI_BYTE, in, n, MPI_BYTE, 0, all); }
static void scatterv(void) { MPI_Scatterv(out, counts, displs, MPI_BYTE, in, n, MPI_BYTE, 0, all); }
static void alltoall(void) { MPI_Alltoall(out, n, MPI_BYTE, in, n, MPI_BYTE, all); }
static void alltoallv(void) { MPI_Alltoallv(out, counts, displs, MPI_BYTE, in, counts, displs, MPI_BYTE, all); }
static void barrier(void) { MPI_Barrier(all); }

/* each: timed call by call, with a barrier after each that is not timed */
static const struct {
    const char *name;
    void (*body)(void);
    int each;
    double scale; /* a repetition's time times scale is reported */
} tests[] = {
    {"PingPong", pingpong, 0, 0.5}, {"PingPing", pingping, 0, 1}, {"Sendrecv", sendrecv, 0, 1}, {"Exchange", exchange, 0, 1},
    {"Uniband", uniband, 0, 1.0 / WINDOW}, {"Biband", biband, 0, 0.5 / WINDOW},
    {"Reduce", reduce, 1, 1}, {"Allreduce", allreduce, 1, 1}, {"Reduce_scatter", reduce_scatter, 1, 1},
    {"Bcast", bcast, 1, 1}, {"Allgather", allgather, 1, 1}, {"Gather", gather, 1, 1}, {"Scatter", scatter, 1, 1}, {"Alltoall", alltoall, 1, 1},
    {"Allgatherv", allgatherv, 1, 1}, {"Gatherv", gatherv, 1, 1}, {"Scatterv", scatterv, 1, 1}, {"Alltoallv", alltoallv, 1, 1},
    {"Barrier", barrier, 0, 1},
};

static double timed(int t, long reps)
{
    double sum = 0;
    MPI_Barrier(all);
    MPI_Barrier(all);
    if (!tests[t].each) {
        double start = MPI_Wtime();
        for (long i = 0; i < reps; i++) tests[t].body();
        return (MPI_Wtime() - start) / reps;
    }
    for (long i = 0; i < reps; i++) {
        double start = MPI_Wtime();
        tests[t].body();
        sum += MPI_Wtime() - start;
        MPI_Barrier(all);
    }
    return sum / reps;
}

/* returns whether all of it took no longer than PATIENCE allows, on rank 0's clock */
static int measure(int t, double limit)
{
    int window = tests[t].body == uniband || tests[t].body == biband;
    out = malloc((size_t)n * size + 8);
    in = malloc((size_t)n * (size > 2 ? size : 2) + 8);
    memset(out, 1, (size_t)n * size);
    memset(in, 1, (size_t)n * (size > 2 ? size : 2));
    memset(out, 0, tests[t].body == reduce || tests[t].body == allreduce || tests[t].body == reduce_scatter ? (size_t)n : 0);
    for (int r = 0; r < size; r++) {
        counts[r] = n;
        displs[r] = n * r;
        shares[r] = n / 4 / size + (r < n / 4 % size);
    }
    long reps = n > 0 && VOLUME / n < REPETITIONS ? VOLUME / n : REPETITIONS;
    if (reps < 1) reps = 1;
    double begin = MPI_Wtime();
    timed(t, WARMUPS);
    double start = MPI_Wtime(), mine = timed(t, 1), once = MPI_Wtime() - start, slowest, sum, worst;
    MPI_Allreduce(&once, &slowest, 1, MPI_DOUBLE, MPI_MAX, all);
    if (slowest * reps > limit) reps = (long)(limit / slowest);
    if (reps < 1) reps = 1;
    if (slowest < limit) mine = timed(t, reps);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, all);
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, all);
    double usec = (window ? worst / (size / 2) : sum / size) * tests[t].scale * 1e6;
    if (rank == 0) {
        printf("row %s %d %d %ld %.4f\n", tests[t].name, size, n, reps, usec);
        fflush(stdout);
    }
    free(out);
    free(in);
    int ok = MPI_Wtime() - begin <= PATIENCE * limit;
    MPI_Bcast(&ok, 1, MPI_INT, 0, all);
    return ok;
}

int pmb(const char *name, const char *sizes, double limit)
{
    int t = -1;
    for (int i = 0; i < (int)(sizeof tests / sizeof tests[0]); i++)
        if (!strcmp(tests[i].name, name)) t = i;
    if (t < 0) return 0;
    all = MPI_COMM_WORLD;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    if (size < 2 || (t < 2 && size != 2) || ((tests[t].body == uniband || tests[t].body == biband) && size % 2)) {
        fprintf(stderr, "peer: %s cannot run on %d ranks\n", name, size);
        MPI_Abort(all, 2);
    }
    counts = malloc(size * sizeof *counts);
    displs = malloc(size * sizeof *displs);
    shares = malloc(size * sizeof *shares);
    int ok = 1;
    for (char *p = (char *)sizes; *p;) {
        n = (int)strtol(p, &p, 10);
        if (*p == ',') p++;
        if (ok) ok = measure(t, limit);
        else if (rank == 0) printf("slow %s %d %d\n", name, size, n);
    }
    free(counts);
    free(displs);
    free(shares);
    return 1;
}
