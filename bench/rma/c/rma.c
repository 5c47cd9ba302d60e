/* The peers' side of package bench/rma: the same accesses, the same loop, the
 * same policy of repetitions (bench.Policy).
 *
 * usage:  rma MILLISECONDS create|allocate each|aggregate [TEST SIZES]...
 * output: one line "row TEST RANKS BYTES REPETITIONS MICROSECONDS" a size: the
 * median batch's time of a repetition, of the slowest rank that accesses.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 5, REPETITIONS = 500000, WARMUPS = 2, SHARE = 10, PATIENCE = 2 };

static int rank, size, n, each;
static char *out, *in;
static MPI_Win win;
static int64_t one = 1, zero = 0, old;

static void flush(int target) { if (each) MPI_Win_flush(target, win); }
static void flush_all(void) { if (each) MPI_Win_flush_all(win); }
static void flush_local(int target) { if (each) MPI_Win_flush_local(target, win); }
static void put(int target, int at) { MPI_Put(out, n, MPI_BYTE, target, at, n, MPI_BYTE, win); }
static void get(int target, int at) { MPI_Get(in, n, MPI_BYTE, target, at, n, MPI_BYTE, win); }

static void unidir_put(void) { put(1, 0); flush(1); }
static void unidir_get(void) { get(1, 0); flush(1); }
static void bidir_put(void) { put(1 - rank, 0); flush(1 - rank); }
static void bidir_get(void) { get(1 - rank, 0); flush(1 - rank); }
static void put_local(void) { put(1, 0); flush_local(1); }
static void get_local(void) { get(1, 0); flush_local(1); }
static void put_all(void) { for (int i = 1; i < size; i++) put((rank + i) % size, 0); flush_all(); }
static void get_all(void) { for (int i = 1; i < size; i++) get((rank + i) % size, 0); flush_all(); }
static void exchange_put(void) { put((rank + 1) % size, 0); put((rank + size - 1) % size, n); flush_all(); }
static void exchange_get(void) { get((rank + 1) % size, 0); get((rank + size - 1) % size, n); flush_all(); }
static void accumulate(void) { MPI_Accumulate(out, n / 4, MPI_FLOAT, 1, 0, n / 4, MPI_FLOAT, MPI_SUM, win); flush(1); }
static void get_accumulate(void)
{
    MPI_Get_accumulate(out, n / 4, MPI_FLOAT, in, n / 4, MPI_FLOAT, 1, 0, n / 4, MPI_FLOAT, MPI_SUM, win);
    flush(1);
}
static void fetch(int target) { MPI_Fetch_and_op(&one, &old, MPI_INT64_T, target, 0, MPI_SUM, win); flush(target); }
static void swap(int target) { MPI_Compare_and_swap(&one, &zero, &old, MPI_INT64_T, target, 0, win); flush(target); }
static void fetch_1(void) { fetch(1); }
static void fetch_0(void) { fetch(0); }
static void swap_1(void) { swap(1); }
static void swap_0(void) { swap(0); }

static const struct test { const char *name; int ranks; int active; void (*body)(void); } tests[] = {
    {"Unidir_Put", 2, 1, unidir_put}, {"Unidir_Get", 2, 1, unidir_get}, {"Bidir_Put", 2, 2, bidir_put}, {"Bidir_Get", 2, 2, bidir_get},
    {"Put_local", 2, 1, put_local}, {"Get_local", 2, 1, get_local}, {"One_put_all", 0, 1, put_all}, {"One_get_all", 0, 1, get_all},
    {"All_put_all", 0, 0, put_all}, {"All_get_all", 0, 0, get_all}, {"Exchange_Put", 0, 0, exchange_put}, {"Exchange_Get", 0, 0, exchange_get},
    {"Accumulate", 2, 1, accumulate}, {"Get_accumulate", 2, 1, get_accumulate}, {"Fetch_and_op", 2, 1, fetch_1},
    {"Compare_and_swap", 2, 1, swap_1}, {"All_fetch_and_op", 0, 0, fetch_0}, {"All_compare_and_swap", 0, 0, swap_0},
};

/* timed runs so many repetitions: seconds of one, of the slowest active rank. */
static double timed(const struct test *t, long reps)
{
    double mine = 0, most;
    MPI_Barrier(MPI_COMM_WORLD);
    if (t->active == 0 || rank < t->active) {
        MPI_Win_lock_all(0, win);
        double start = MPI_Wtime();
        for (long i = 0; i < reps; i++) t->body();
        MPI_Win_flush_all(win);
        mine = (MPI_Wtime() - start) / reps;
        MPI_Win_unlock_all(win);
    }
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const struct test *t, double budget)
{
    double batch[BATCHES], share = budget / BATCHES, spent = 0, once;
    long most = REPETITIONS / BATCHES, reps = 1;
    int batches = 0;
    timed(t, WARMUPS);
    once = timed(t, reps);
    while (reps < most && once * most > share && once * reps < share / SHARE) {
        reps = 10 * reps < most ? 10 * reps : most;
        once = timed(t, reps);
    }
    if (once >= budget) {
        batch[batches++] = once;
    } else {
        reps = most;
        if (once * most > share) reps = share / once >= 1 ? share / once : 1;
        while (batches < BATCHES && spent < PATIENCE * budget) {
            batch[batches] = timed(t, reps);
            spent += batch[batches++] * reps;
        }
    }
    qsort(batch, batches, sizeof *batch, ascending);
    if (rank == 0) {
        printf("row %s %d %d %ld %.6f\n", t->name, t->ranks ? t->ranks : size, n, reps, batch[batches / 2] * 1e6);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double budget = atof(argv[1]) / 1e3;
    int create = strcmp(argv[2], "create") == 0;
    each = strcmp(argv[3], "each") == 0;
    for (int a = 4; a + 1 < argc; a += 2) {
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
            if (strcmp(tests[i].name, argv[a])) continue;
            for (char *s = argv[a + 1]; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
                n = atoi(s);
                size_t room = 2 * n > 8 ? 2 * n : 8;
                char *mem;
                out = calloc(1, n + 8);
                in = calloc(1, n + 8);
                memset(out, 1, n + 8); /* or all of it is one page, that of zeros */
                if (create) {
                    mem = calloc(1, room);
                    MPI_Win_create(mem, room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
                } else {
                    MPI_Win_allocate(room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win);
                    memset(mem, 0, room);
                }
                measure(&tests[i], budget);
                MPI_Win_free(&win);
                if (create) free(mem);
                free(out);
                free(in);
            }
        }
    }
    MPI_Finalize();
    return 0;
}
