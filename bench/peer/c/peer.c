/* The peers' side of a comparison: the tests of package bench/pmb, written against
 * the C interface of MPI. Same loops, same policy of repetition (package bench),
 * same timing, so that only the runtime under them differs.
 *
 * usage: peer MILLISECONDS TEST BYTES,BYTES,... [TEST BYTES,BYTES,...]... [--own-barrier] [--fresh]
 * output: one line "row TEST RANKS BYTES REPETITIONS MICROSECONDS" a size: the
 *         median batch's mean over the ranks of a repetition's time, for Uniband
 *         and Biband the time of one message on the slowest rank; of overlap what
 *         computation does not hide on the rank that takes longest, and in a row
 *         of TEST_overlap the percentage that it hides; for hello one line
 *         "hello RANK KIBIBYTES" a rank. A size whose few obligatory calls
 *         take TOOSLOW times the limit is the last of its test: "slow TEST RANKS
 *         BYTES" names each that is left out.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MPI_VERSION < 4 && defined OPEN_MPI /* has persistent collective operations under another name */
#include <mpi-ext.h>
#endif
#if MPI_VERSION >= 4
#define INIT(call) MPI_##call
#elif defined OMPI_HAVE_MPI_EXT_PCOLLREQ
#define INIT(call) MPIX_##call
#endif

#include "compute.h"

/* the policy of repetition */
enum { BATCHES = 5, REPETITIONS = 500000, WARMUPS = 2, PROBESHARE = 10, PATIENCE = 2 };
enum { WINDOW = 64, TOOSLOW = 15, TAG = 1, SIDES = 4 };

static int rank, size, n;
static char *out, *in;
static int *counts, *displs, *shares;
static MPI_Comm all, grid; /* the grid is periodic in both dimensions */

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

static void neighbor_allgather(void) { MPI_Neighbor_allgather(out, n, MPI_BYTE, in, n, MPI_BYTE, grid); }
static void neighbor_allgatherv(void) { MPI_Neighbor_allgatherv(out, n, MPI_BYTE, in, counts, displs, MPI_BYTE, grid); }
static void neighbor_alltoall(void) { MPI_Neighbor_alltoall(out, n, MPI_BYTE, in, n, MPI_BYTE, grid); }
static void neighbor_alltoallv(void) { MPI_Neighbor_alltoallv(out, counts, displs, MPI_BYTE, in, counts, displs, MPI_BYTE, grid); }

static int own; /* the barrier between calls is made of messages here, which lets no rank go before all others */

static void between(void)
{
    if (!own) MPI_Barrier(all);
    for (int far = 1; own && far < size; far *= 2)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + far) % size, TAG + 1, NULL, 0, MPI_BYTE, (rank - far + size) % size, TAG + 1, all, MPI_STATUS_IGNORE);
}

/* the nonblocking ones start */
static MPI_Request started;
static void ibcast(void) { MPI_Ibcast(rank ? in : out, n, MPI_BYTE, 0, all, &started); }
static void ireduce(void) { MPI_Ireduce(out, in, n / 4, MPI_FLOAT, MPI_SUM, 0, all, &started); }
static void iallreduce(void) { MPI_Iallreduce(out, in, n / 4, MPI_FLOAT, MPI_SUM, all, &started); }
static void ireduce_scatter(void) { MPI_Ireduce_scatter(out, in, shares, MPI_FLOAT, MPI_SUM, all, &started); }
static void iallgather(void) { MPI_Iallgather(out, n, MPI_BYTE, in, n, MPI_BYTE, all, &started); }
static void iallgatherv(void) { MPI_Iallgatherv(out, n, MPI_BYTE, in, counts, displs, MPI_BYTE, all, &started); }
static void igather(void) { MPI_Igather(out, n, MPI_BYTE, in, n, MPI_BYTE, 0, all, &started); }
static void igatherv(void) { MPI_Igatherv(out, n, MPI_BYTE, in, counts, displs, MPI_BYTE, 0, all, &started); }
static void iscatter(void) { MPI_Iscatter(out, n, MPI_BYTE, in, n, MPI_BYTE, 0, all, &started); }
static void iscatterv(void) { MPI_Iscatterv(out, counts, displs, MPI_BYTE, in, n, MPI_BYTE, 0, all, &started); }
static void ialltoall(void) { MPI_Ialltoall(out, n, MPI_BYTE, in, n, MPI_BYTE, all, &started); }
static void ialltoallv(void) { MPI_Ialltoallv(out, counts, displs, MPI_BYTE, in, counts, displs, MPI_BYTE, all, &started); }
static void ibarrier(void) { MPI_Ibarrier(all, &started); }
static void ineighbor_allgather(void) { MPI_Ineighbor_allgather(out, n, MPI_BYTE, in, n, MPI_BYTE, grid, &started); }
static void ineighbor_allgatherv(void) { MPI_Ineighbor_allgatherv(out, n, MPI_BYTE, in, counts, displs, MPI_BYTE, grid, &started); }
static void ineighbor_alltoall(void) { MPI_Ineighbor_alltoall(out, n, MPI_BYTE, in, n, MPI_BYTE, grid, &started); }
static void ineighbor_alltoallv(void) { MPI_Ineighbor_alltoallv(out, counts, displs, MPI_BYTE, in, counts, displs, MPI_BYTE, grid, &started); }

/* the persistent ones make a request, which is started again and again */
#ifdef INIT
static void bcast_init(void) { INIT(Bcast_init)(rank ? in : out, n, MPI_BYTE, 0, all, MPI_INFO_NULL, &started); }
static void reduce_init(void) { INIT(Reduce_init)(out, in, n / 4, MPI_FLOAT, MPI_SUM, 0, all, MPI_INFO_NULL, &started); }
static void allreduce_init(void) { INIT(Allreduce_init)(out, in, n / 4, MPI_FLOAT, MPI_SUM, all, MPI_INFO_NULL, &started); }
static void allgather_init(void) { INIT(Allgather_init)(out, n, MPI_BYTE, in, n, MPI_BYTE, all, MPI_INFO_NULL, &started); }
static void gather_init(void) { INIT(Gather_init)(out, n, MPI_BYTE, in, n, MPI_BYTE, 0, all, MPI_INFO_NULL, &started); }
static void scatter_init(void) { INIT(Scatter_init)(out, n, MPI_BYTE, in, n, MPI_BYTE, 0, all, MPI_INFO_NULL, &started); }
static void alltoall_init(void) { INIT(Alltoall_init)(out, n, MPI_BYTE, in, n, MPI_BYTE, all, MPI_INFO_NULL, &started); }
static void barrier_init(void) { INIT(Barrier_init)(all, MPI_INFO_NULL, &started); }
#endif

/* how a test is timed, and on how many ranks it runs */
enum {
    EACH = 1,   /* call by call, with a barrier after each that is not timed */
    TWO = 2,    /* on 2 ranks */
    WINDOWS = 4, /* on an even number of ranks; the slowest rank's time of a message */
    FLOATS = 8, /* float values */
    WAIT = 16,  /* what its body starts is waited for */
    OVERLAP = 32, /* and a computation comes between */
    FREE = 64,  /* call by call without barriers */
    START = 128, /* its body makes, once, what is started and waited for */
    GRID = 256, /* with SIDES neighbors */
    OUTS = 512, /* a rank has a part to send for each */
    INS = 1024, /* and to receive from each */
};

static const struct test {
    const char *name;
    void (*body)(void);
    int kind;
    double scale; /* a repetition's time times scale is reported */
} tests[] = {
    {"PingPong", pingpong, TWO, 0.5}, {"PingPing", pingping, TWO, 1},
    {"Sendrecv", sendrecv, 0, 1}, {"Exchange", exchange, 0, 1},
    {"Uniband", uniband, WINDOWS, 1.0 / WINDOW}, {"Biband", biband, WINDOWS, 0.5 / WINDOW},
    {"Reduce", reduce, EACH | FLOATS, 1}, {"Allreduce", allreduce, EACH | FLOATS, 1}, {"Reduce_scatter", reduce_scatter, EACH | FLOATS, 1},
    {"Bcast", bcast, EACH, 1}, {"Allgather", allgather, EACH | INS, 1}, {"Gather", gather, EACH | INS, 1}, {"Scatter", scatter, EACH | OUTS, 1},
    {"Alltoall", alltoall, EACH | OUTS | INS, 1}, {"Allgatherv", allgatherv, EACH | INS, 1}, {"Gatherv", gatherv, EACH | INS, 1}, {"Scatterv", scatterv, EACH | OUTS, 1},
    {"Alltoallv", alltoallv, EACH | OUTS | INS, 1}, {"Barrier", barrier, 0, 1},
    {"Ibcast", ibcast, OVERLAP, 1}, {"Iallgather", iallgather, OVERLAP | INS, 1}, {"Iallgatherv", iallgatherv, OVERLAP | INS, 1},
    {"Igather", igather, OVERLAP | INS, 1}, {"Igatherv", igatherv, OVERLAP | INS, 1}, {"Iscatter", iscatter, OVERLAP | OUTS, 1}, {"Iscatterv", iscatterv, OVERLAP | OUTS, 1},
    {"Ialltoall", ialltoall, OVERLAP | OUTS | INS, 1}, {"Ialltoallv", ialltoallv, OVERLAP | OUTS | INS, 1}, {"Ireduce", ireduce, OVERLAP | FLOATS, 1},
    {"Ireduce_scatter", ireduce_scatter, OVERLAP | FLOATS, 1}, {"Iallreduce", iallreduce, OVERLAP | FLOATS, 1}, {"Ibarrier", ibarrier, OVERLAP | FREE, 1},
    {"Ibcast_pure", ibcast, EACH | WAIT, 1}, {"Iallgather_pure", iallgather, EACH | WAIT | INS, 1}, {"Iallgatherv_pure", iallgatherv, EACH | WAIT | INS, 1},
    {"Igather_pure", igather, EACH | WAIT | INS, 1}, {"Igatherv_pure", igatherv, EACH | WAIT | INS, 1}, {"Iscatter_pure", iscatter, EACH | WAIT | OUTS, 1},
    {"Iscatterv_pure", iscatterv, EACH | WAIT | OUTS, 1}, {"Ialltoall_pure", ialltoall, EACH | WAIT | OUTS | INS, 1}, {"Ialltoallv_pure", ialltoallv, EACH | WAIT | OUTS | INS, 1},
    {"Ireduce_pure", ireduce, EACH | WAIT | FLOATS, 1}, {"Ireduce_scatter_pure", ireduce_scatter, EACH | WAIT | FLOATS, 1},
    {"Iallreduce_pure", iallreduce, EACH | WAIT | FLOATS, 1}, {"Ibarrier_pure", ibarrier, FREE | WAIT, 1},
#ifdef INIT
    {"Bcast_init", bcast_init, EACH | START, 1}, {"Allgather_init", allgather_init, EACH | START | INS, 1}, {"Gather_init", gather_init, EACH | START | INS, 1},
    {"Scatter_init", scatter_init, EACH | START | OUTS, 1}, {"Alltoall_init", alltoall_init, EACH | START | OUTS | INS, 1},
    {"Reduce_init", reduce_init, EACH | START | FLOATS, 1}, {"Allreduce_init", allreduce_init, EACH | START | FLOATS, 1},
    {"Barrier_init", barrier_init, FREE | START, 1},
#endif
    {"Neighbor_allgather", neighbor_allgather, EACH | GRID | INS, 1}, {"Neighbor_allgatherv", neighbor_allgatherv, EACH | GRID | INS, 1},
    {"Neighbor_alltoall", neighbor_alltoall, EACH | GRID | OUTS | INS, 1}, {"Neighbor_alltoallv", neighbor_alltoallv, EACH | GRID | OUTS | INS, 1},
    {"Ineighbor_allgather", ineighbor_allgather, OVERLAP | GRID | INS, 1}, {"Ineighbor_allgatherv", ineighbor_allgatherv, OVERLAP | GRID | INS, 1},
    {"Ineighbor_alltoall", ineighbor_alltoall, OVERLAP | GRID | OUTS | INS, 1}, {"Ineighbor_alltoallv", ineighbor_alltoallv, OVERLAP | GRID | OUTS | INS, 1},
    {"Ineighbor_allgather_pure", ineighbor_allgather, EACH | WAIT | GRID | INS, 1}, {"Ineighbor_allgatherv_pure", ineighbor_allgatherv, EACH | WAIT | GRID | INS, 1},
    {"Ineighbor_alltoall_pure", ineighbor_alltoall, EACH | WAIT | GRID | OUTS | INS, 1}, {"Ineighbor_alltoallv_pure", ineighbor_alltoallv, EACH | WAIT | GRID | OUTS | INS, 1},
};

static double mine; /* of the latest batch, this rank's seconds of a repetition */
static double pure, cpu; /* of those of overlap: alone, and of the computation */

static int fresh; /* ranks use their buffers between calls */
static volatile long seen;

/* reads what a call has received, and writes what the next one sends */
static void refresh(const struct test *t)
{
    size_t parts = t->kind & GRID ? SIDES : size, got = (size_t)n * (t->kind & INS ? parts : 1);
    long sum = 0;
    for (size_t i = 0; i < got; i++) sum += in[i];
    seen = sum;
    memset(out, t->kind & FLOATS ? 0 : 1, (size_t)n * (t->kind & OUTS ? parts : 1));
}

/* times calls one by one; rows is how much is computed in each, or negative. Returns the seconds of one */
static double each(const struct test *t, long reps, long rows)
{
    double sum = 0;
    cpu = 0;
    for (long i = 0; i < reps; i++) {
        double start = MPI_Wtime();
        if (t->kind & START) MPI_Start(&started);
        else t->body();
        if (rows >= 0) {
            double begin = MPI_Wtime();
            compute(rows);
            cpu += MPI_Wtime() - begin;
        }
        if (t->kind & (WAIT | OVERLAP | START)) MPI_Wait(&started, MPI_STATUS_IGNORE);
        sum += MPI_Wtime() - start;
        if (fresh) refresh(t);
        if (!(t->kind & FREE)) between();
    }
    cpu /= reps;
    return sum / reps;
}

/* runs a batch, and returns the slowest rank's seconds of a repetition with all that goes with it */
static double timed(const struct test *t, long reps)
{
    double begin = MPI_Wtime(), wall, slowest;
    MPI_Barrier(all);
    MPI_Barrier(all);
    if (t->kind & OVERLAP) {
        pure = each(t, reps, -1);
        long rows = (long)(pure / row + 0.5);
        mine = each(t, reps, rows > 1 ? rows : 1);
    } else if (t->kind & (EACH | FREE)) {
        mine = each(t, reps, -1);
    } else {
        double start = MPI_Wtime();
        for (long i = 0; i < reps; i++) t->body();
        mine = (MPI_Wtime() - start) / reps;
    }
    wall = (MPI_Wtime() - begin) / reps;
    MPI_Allreduce(&wall, &slowest, 1, MPI_DOUBLE, MPI_MAX, all);
    return slowest;
}

struct figure {
    double usec;
    double hidden; /* percentage, of those of overlap */
};

/* the figure of overlap: that of the rank that took longest */
static struct figure overlap(void)
{
    struct { double value; int rank; } own = {mine, rank}, most;
    double v[3] = {mine, pure, cpu};
    MPI_Allreduce(&own, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, all);
    MPI_Bcast(v, 3, MPI_DOUBLE, most.rank, all);
    double shorter = v[1] < v[2] ? v[1] : v[2], hidden = shorter > 0 ? (v[1] + v[2] - v[0]) / shorter : 0;
    hidden = hidden < 0 ? 0 : hidden > 1 ? 1 : hidden;
    return (struct figure){v[0] > v[2] ? (v[0] - v[2]) * 1e6 : 0, hidden * 100};
}

/* the figure of the latest batch, in microseconds */
static struct figure figure(const struct test *t)
{
    double v;
    if (t->kind & OVERLAP) return overlap();
    MPI_Allreduce(&mine, &v, 1, MPI_DOUBLE, t->kind & WINDOWS ? MPI_MAX : MPI_SUM, all);
    return (struct figure){v / (t->kind & WINDOWS ? size / 2 : size) * t->scale * 1e6, 0};
}

static int ascending(const void *a, const void *b)
{
    double x = ((const struct figure *)a)->usec, y = ((const struct figure *)b)->usec;
    return (x > y) - (x < y);
}

/* repeats a test at a size, and prints the row; returns whether the obligatory calls took no longer than TOOSLOW allows */
static int repeat(const struct test *t, double limit)
{
    struct figure figures[BATCHES];
    double share = limit / BATCHES, spent = 0;
    long most = REPETITIONS / BATCHES, reps = 1;
    int batches = 0;
    double before = WARMUPS * timed(t, WARMUPS), once = timed(t, reps);
    int ok = before + once <= TOOSLOW * limit;
    while (reps < most && once * most > share && once * reps < share / PROBESHARE) {
        reps = 10 * reps < most ? 10 * reps : most;
        once = timed(t, reps);
    }
    if (once >= limit) {
        figures[batches++] = figure(t);
    } else {
        reps = once * most > share ? (long)(share / once) : most;
        if (reps < 1) reps = 1;
        while (batches == 0 || (batches < BATCHES && spent < PATIENCE * limit)) {
            double took = reps * (once = timed(t, reps));
            spent += took;
            figures[batches++] = figure(t);
            if (reps < most && 2 * took < share) { /* the probes met a slow moment: again, with more */
                batches = 0;
                reps = once * most > share ? (long)(share / once) : most;
            }
        }
    }
    qsort(figures, batches, sizeof figures[0], ascending);
    if (rank == 0) {
        printf("row %s %d %d %ld %.4f\n", t->name, size, n, reps, figures[batches / 2].usec);
        if (t->kind & OVERLAP) printf("row %s_overlap %d %d %ld %.4f\n", t->name, size, n, reps, figures[batches / 2].hidden);
        fflush(stdout);
    }
    return ok;
}

/* measures a size; returns what repeat does */
static int measure(const struct test *t, double limit)
{
    int parts = size > 2 ? size : 2;
    if (t->kind & GRID) parts = SIDES;
    size_t room = (size_t)n * parts;
    out = malloc(room + 8);
    in = malloc(room + 8);
    memset(out, t->kind & FLOATS ? 0 : 1, room);
    memset(in, 1, room);
    for (int i = 0; i < (t->kind & GRID ? SIDES : size); i++) {
        counts[i] = n;
        displs[i] = n * i;
    }
    for (int r = 0; r < size; r++) shares[r] = n / 4 / size + (r < n / 4 % size);
    if (t->kind & OVERLAP) calibrate();
    if (t->kind & START) t->body();
    int ok = repeat(t, limit);
    if (t->kind & START) MPI_Request_free(&started);
    free(out);
    free(in);
    return ok;
}

/* makes the grid, of ranks in their order as far as can be equal in both dimensions */
static void lay(void)
{
    int dims[SIDES / 2] = {0}, periods[SIDES / 2] = {1, 1};
    MPI_Dims_create(size, SIDES / 2, dims);
    MPI_Cart_create(all, SIDES / 2, dims, periods, 0, &grid);
}

static void run(const struct test *t, char *sizes, double limit)
{
    if (size < 2 || (t->kind & TWO && size != 2) || (t->kind & WINDOWS && size % 2)) {
        fprintf(stderr, "peer: %s cannot run on %d ranks\n", t->name, size);
        MPI_Abort(all, 2);
    }
    int ok = 1;
    if (t->kind & GRID) lay();
    for (char *p = sizes; *p;) {
        n = (int)strtol(p, &p, 10);
        if (*p == ',') p++;
        if (ok) ok = measure(t, limit);
        else if (rank == 0) printf("slow %s %d %d\n", t->name, size, n);
    }
    if (t->kind & GRID) MPI_Comm_free(&grid);
}

static void hello(void)
{
    char line[256];
    FILE *f = fopen("/proc/self/status", "r");
    long kib = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %ld", &kib) == 1) break;
    if (f) fclose(f);
    MPI_Barrier(all);
    printf("hello %d %ld\n", rank, kib);
}

static const struct test *find(const char *name)
{
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (!strcmp(tests[i].name, name)) return &tests[i];
    fprintf(stderr, "peer: unknown test %s\n", name);
    MPI_Abort(all, 2);
    return NULL;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    all = MPI_COMM_WORLD;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    for (;; argc--)
        if (!strcmp(argv[argc - 1], "--own-barrier")) own = 1;
        else if (!strcmp(argv[argc - 1], "--fresh")) fresh = 1;
        else break;
    if (argc < 4 || argc % 2) {
        fprintf(stderr, "usage: peer MILLISECONDS TEST BYTES,... [TEST BYTES,...]... [--own-barrier] [--fresh]\n");
        MPI_Abort(all, 2);
    }
    counts = malloc((size + SIDES) * sizeof *counts);
    displs = malloc((size + SIDES) * sizeof *displs);
    shares = malloc(size * sizeof *shares);
    for (int i = 2; i < argc; i += 2)
        if (!strcmp(argv[i], "hello")) hello();
        else run(find(argv[i]), argv[i + 1], atof(argv[1]) / 1e3);
    free(counts);
    free(displs);
    free(shares);
    MPI_Finalize();
    return 0;
}
