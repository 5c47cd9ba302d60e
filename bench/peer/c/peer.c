/* The peers' side of a comparison: the measurements of package bench, written
 * against the C interface of MPI. Same loops, same repetition policy, same
 * output, so that only the runtime under them differs.
 *
 * The tests of the suite that users of IMB know are in pmb.c.
 *
 * usage: peer MILLISECONDS TEST BYTES,BYTES,... [TEST BYTES,BYTES,...]...
 * output: one line "row TEST RANKS BYTES REPETITIONS MICROSECONDS" a size,
 *         for hello one line "hello RANK KIBIBYTES" a rank.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pmb(const char *name, const char *sizes, double limit);

enum { BATCHES = 5, PROBES = 3, MAXREPS = 100000, TAG = 1 };

static int rank, size;
static char *sendbuf, *recvbuf;

/* The ball is one buffer: what arrives is what goes back, so its bytes move
 * from core to core instead of being read again from the reader's own cache. */
static void pingpong(int n, long reps)
{
    if (rank > 1) return;
    for (long i = 0; i < reps; i++) {
        if (rank == 0) {
            MPI_Send(sendbuf, n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
            MPI_Recv(sendbuf, n, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(sendbuf, n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(sendbuf, n, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        }
    }
}

static void exchange(int n, long reps)
{
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (long i = 0; i < reps; i++) {
        MPI_Request r[2];
        MPI_Status s[2];
        MPI_Isend(sendbuf, n, MPI_BYTE, right, TAG, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(sendbuf, n, MPI_BYTE, left, TAG, MPI_COMM_WORLD, &r[1]);
        MPI_Recv(recvbuf, n, MPI_BYTE, left, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(recvbuf, n, MPI_BYTE, right, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Waitall(2, r, s);
    }
}

static void barrier(int n, long reps)
{
    (void)n;
    for (long i = 0; i < reps; i++) MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(int n, long reps)
{
    for (long i = 0; i < reps; i++)
        MPI_Allreduce(sendbuf, recvbuf, n / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static double timed(void (*body)(int, long), int n, long reps)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    body(n, reps);
    double mine = (MPI_Wtime() - start) / reps, worst;
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void hello(void)
{
    char line[256];
    FILE *f = fopen("/proc/self/status", "r");
    long kib = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %ld", &kib) == 1) break;
    if (f) fclose(f);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("hello %d %ld\n", rank, kib);
}

/* measures one test; returns 0 if there is none of this name */
static int measure(const char *name, const char *sizes, double budget)
{
    void (*body)(int, long) = NULL;
    if (!strcmp(name, "pingpong")) body = pingpong;
    if (!strcmp(name, "exchange")) body = exchange;
    if (!strcmp(name, "barrier")) body = barrier;
    if (!strcmp(name, "allreduce")) body = allreduce;
    if (!strcmp(name, "hello")) {
        hello();
        return 1;
    }
    if (!body) return pmb(name, sizes, budget);
    double scale = strcmp(name, "pingpong") ? 1 : 0.5; /* one way */
    for (char *p = (char *)sizes; *p;) {
        int n = (int)strtol(p, &p, 10);
        if (*p == ',') p++;
        sendbuf = calloc(n + 8, 1);
        recvbuf = calloc(n + 8, 1);
        memset(sendbuf, 1, n);
        memset(recvbuf, 1, n);
        double probe = timed(body, n, PROBES);
        probe = timed(body, n, PROBES);
        long reps = (long)(budget / BATCHES / probe);
        if (reps < 1) reps = 1;
        if (reps > MAXREPS) reps = MAXREPS;
        MPI_Bcast(&reps, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        double t[BATCHES];
        timed(body, n, reps);
        for (int i = 0; i < BATCHES; i++) t[i] = timed(body, n, reps);
        qsort(t, BATCHES, sizeof t[0], ascending);
        if (rank == 0) {
            printf("row %s %d %d %ld %.4f\n", name, size, n, reps, t[BATCHES / 2] * 1e6 * scale);
            fflush(stdout);
        }
        free(sendbuf);
        free(recvbuf);
    }
    return 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 4 || argc % 2) {
        fprintf(stderr, "usage: peer MILLISECONDS TEST BYTES,... [TEST BYTES,...]...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    double budget = atof(argv[1]) / 1e3;
    for (int i = 2; i < argc; i += 2)
        if (!measure(argv[i], argv[i + 1], budget)) {
            fprintf(stderr, "peer: unknown test %s\n", argv[i]);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    MPI_Finalize();
    return 0;
}
