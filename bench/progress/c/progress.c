/* The peers' side of package bench/progress: what goes on beside a long message. The same
 * messages, the same computation, the same policy of repetitions (bench.Policy).
 *
 * usage:  progress MILLISECONDS [TEST SIZES]...
 * output: lines "row TEST RANKS BYTES REPETITIONS VALUE": microseconds, or percentages where the
 * name ends so, of the median batch.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

enum { BATCHES = 5, REPETITIONS = 500000, WARMUPS = 2, SHARE = 10, PATIENCE = 2 };
enum { SMALL = 8, LONGTAG = 1, SMALLTAG = 2, IDLEROUNDS = 200, MORE = 0, LAST = 1 };

static int rank, size, n;
static char *body, small[SMALL];
static MPI_Comm all;

/* what a batch has found, in seconds of a repetition */
struct figures { double all, main, of[4]; };
enum { IDLE, BESIDE, ALONE, STREAM }; /* of Mixed */
enum { PURE, CPU, TOTAL, OVERHEAD };  /* of Overlap */
enum { OUTLAST = 4 };

/* the figures of the rank with the greatest key, on all ranks */
static void agree(struct figures *f, double key)
{
    struct { double key; int rank; } mine = {key, rank}, best;
    MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, all);
    MPI_Bcast(f, sizeof *f, MPI_BYTE, best.rank, all);
}

static void round_trip(int partner, char what)
{
    small[0] = what;
    MPI_Send(small, SMALL, MPI_BYTE, partner, SMALLTAG, all);
    MPI_Recv(small, SMALL, MPI_BYTE, partner, SMALLTAG, all, MPI_STATUS_IGNORE);
}

static int echo(void)
{
    MPI_Recv(small, SMALL, MPI_BYTE, 0, SMALLTAG, all, MPI_STATUS_IGNORE);
    int end = small[0] == LAST;
    MPI_Send(small, SMALL, MPI_BYTE, 0, SMALLTAG, all);
    return end;
}

static void take(long reps)
{
    for (long i = 0; i < reps; i++) MPI_Recv(body, n, MPI_BYTE, 0, LONGTAG, all, MPI_STATUS_IGNORE);
}

static void talk(struct figures *f, int partner, long reps)
{
    double start;
    long rounds = 0;
    MPI_Barrier(all);
    start = MPI_Wtime();
    for (int i = 0; i < IDLEROUNDS; i++) round_trip(partner, MORE);
    f->of[IDLE] = (MPI_Wtime() - start) / (2 * IDLEROUNDS);
    MPI_Barrier(all);
    start = MPI_Wtime();
    for (long i = 0; i < reps; i++) MPI_Send(body, n, MPI_BYTE, 1, LONGTAG, all);
    f->of[ALONE] = (MPI_Wtime() - start) / reps;
    MPI_Barrier(all);
    start = MPI_Wtime();
    for (long i = 0; i < reps; i++) {
        MPI_Request r;
        MPI_Isend(body, n, MPI_BYTE, 1, LONGTAG, all, &r);
        for (int done = 0; !done; rounds++) {
            round_trip(partner, MORE);
            MPI_Test(&r, &done, MPI_STATUS_IGNORE);
        }
    }
    f->of[STREAM] = (MPI_Wtime() - start) / reps;
    round_trip(partner, LAST);
    f->of[BESIDE] = f->of[STREAM] * reps / (2 * rounds);
    f->main = f->of[BESIDE];
}

static void answer(int receiver, long reps)
{
    MPI_Request r = MPI_REQUEST_NULL;
    long begun = 0;
    MPI_Barrier(all);
    for (int i = 0; i < IDLEROUNDS; i++) echo();
    MPI_Barrier(all);
    if (receiver) take(reps);
    MPI_Barrier(all);
    for (;;) {
        int done;
        if (receiver && r == MPI_REQUEST_NULL && begun < reps) {
            MPI_Irecv(body, n, MPI_BYTE, 0, LONGTAG, all, &r);
            begun++;
        }
        if (echo()) break;
        if (r != MPI_REQUEST_NULL) MPI_Test(&r, &done, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE); /* it has left its sender */
}

static struct figures mixed(int computes, long reps)
{
    struct figures f = {0};
    double begin = MPI_Wtime();
    (void)computes;
    if (rank == 0) {
        talk(&f, size - 1, reps);
    } else if (rank == size - 1) {
        answer(rank == 1, reps);
    } else {
        MPI_Barrier(all);
        MPI_Barrier(all);
        take(reps);
        MPI_Barrier(all);
        take(reps);
    }
    f.all = (MPI_Wtime() - begin) / reps;
    agree(&f, -rank);
    return f;
}

static double transfers(long reps, long rows, double *computed)
{
    double sum = 0;
    for (long i = 0; i < reps; i++) {
        MPI_Request r;
        MPI_Barrier(all);
        double start = MPI_Wtime();
        if (rank == 0) MPI_Isend(body, n, MPI_BYTE, 1, LONGTAG, all, &r);
        else MPI_Irecv(body, n, MPI_BYTE, 0, LONGTAG, all, &r);
        if (rows) {
            double begin = MPI_Wtime();
            compute(rows);
            *computed += MPI_Wtime() - begin;
        }
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        sum += MPI_Wtime() - start;
    }
    *computed /= reps;
    return sum / reps;
}

static struct figures overlap(int computes, long reps)
{
    struct figures f = {0};
    double begin = MPI_Wtime(), none = 0, computed = 0;
    f.of[PURE] = transfers(reps, 0, &none);
    long rows = (long)(f.of[PURE] / row + 0.5);
    if (rows < 1) rows = 1;
    computes = computes >> rank & 1;
    f.of[TOTAL] = transfers(reps, computes ? rows : 0, &f.of[CPU]);
    f.of[OVERHEAD] = transfers(reps, computes ? OUTLAST * rows : 0, &computed) - computed;
    f.all = (MPI_Wtime() - begin) / reps;
    f.main = f.of[TOTAL] - f.of[CPU];
    agree(&f, computes ? f.of[TOTAL] : -1);
    return f;
}

static const struct test {
    const char *name;
    struct figures (*run)(int computes, long reps);
    int computes; /* a bit for each rank */
} tests[] = {
    {"Mixed", mixed, 0}, {"Overlap_send", overlap, 1}, {"Overlap_receive", overlap, 2}, {"Overlap_both", overlap, 3},
};

static int ascending(const void *a, const void *b)
{
    double x = ((const struct figures *)a)->main, y = ((const struct figures *)b)->main;
    return (x > y) - (x < y);
}

static double within(double v, double least, double most) { return v < least ? least : v > most ? most : v; }

static double hidden(double open, double of) { return 100 * within(1 - open / within(of, 1e-9, 1e9), 0, 1); }

static void say(const char *test, const char *suffix, long reps, double v)
{
    printf("row %s%s %d %d %ld %.6f\n", test, suffix, size, n, reps, v);
}

static void show(const struct test *t, long reps, const struct figures *f)
{
    if (t->run == mixed) {
        say(t->name, "", reps, f->of[BESIDE] * 1e6);
        say(t->name, "_idle", reps, f->of[IDLE] * 1e6);
        say(t->name, "_percent", reps, 100 * f->of[BESIDE] / within(f->of[IDLE], 1e-9, 1e9));
        say(t->name, "_stream", reps, f->of[STREAM] * 1e6);
        say(t->name, "_alone", reps, f->of[ALONE] * 1e6);
        say(t->name, "_loss_percent", reps, 100 * within(1 - f->of[ALONE] / within(f->of[STREAM], 1e-9, 1e9), 0, 1));
    } else {
        double open = f->of[TOTAL] - f->of[CPU];
        say(t->name, "", reps, within(open, 0, 1e9) * 1e6);
        say(t->name, "_pure", reps, f->of[PURE] * 1e6);
        say(t->name, "_percent", reps, hidden(open, f->of[PURE]));
        say(t->name, "_overhead", reps, within(f->of[OVERHEAD], 0, 1e9) * 1e6);
        say(t->name, "_available_percent", reps, hidden(f->of[OVERHEAD], f->of[PURE]));
    }
    fflush(stdout);
}

static void measure(const struct test *t, double budget)
{
    struct figures batch[BATCHES], once;
    double share = budget / BATCHES, spent = 0;
    long most = REPETITIONS / BATCHES, reps = 1;
    int batches = 0;
    t->run(t->computes, WARMUPS);
    once = t->run(t->computes, reps);
    while (reps < most && once.all * most > share && once.all * reps < share / SHARE) {
        reps = 10 * reps < most ? 10 * reps : most;
        once = t->run(t->computes, reps);
    }
    if (once.all >= budget) {
        batch[batches++] = once;
    } else {
        reps = most;
        if (once.all * most > share) reps = share / once.all >= 1 ? (long)(share / once.all) : 1;
        while (batches < BATCHES && spent < PATIENCE * budget) {
            batch[batches] = t->run(t->computes, reps);
            spent += batch[batches++].all * reps;
        }
    }
    qsort(batch, batches, sizeof *batch, ascending);
    if (rank == 0) show(t, reps, &batch[batches / 2]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    all = MPI_COMM_WORLD;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    double budget = atof(argv[1]) / 1e3;
    calibrate();
    for (int a = 2; a + 1 < argc; a += 2) {
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
            if (strcmp(tests[i].name, argv[a])) continue;
            for (char *s = argv[a + 1]; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
                n = atoi(s);
                body = malloc(n + 1);
                memset(body, rank, n + 1);
                measure(&tests[i], budget);
                free(body);
            }
        }
    }
    MPI_Finalize();
    return 0;
}
