/*
 * A library to be loaded before that of an MPI (LD_PRELOAD): it takes each call of a program, in C
 * or Fortran, by the profiling interface (MPI 4.1, section 15.2), and adds up how long the rank is
 * in it. MPI_Finalize prints, from rank 0,
 *
 *     waits FIRST LONGEST MEAN MOST
 *
 * for each piece of the program that lies between two calls of MPI_Wtime, in seconds: how long it
 * is on rank 0 and on the rank where it is longest, and how long ranks were in MPI calls meanwhile.
 * The program's timed section is one of them; some programs tell its time on rank 0, some the longest.
 */
#include <mpi.h>
#include <stdio.h>

enum { PIECES = 64 };

static double inside, entered, last;
static double length[PIECES], waited[PIECES];
static int depth, stamps;

static void enter(void)
{
	if (depth++ == 0)
		entered = PMPI_Wtime();
}

static void leave(void)
{
	if (--depth == 0)
		inside += PMPI_Wtime() - entered;
}

static double stamp(void)
{
	double now = PMPI_Wtime();
	if (stamps > 0 && stamps <= PIECES) {
		length[stamps - 1] = now - last;
		waited[stamps - 1] = inside;
	}
	stamps++;
	last = now;
	inside = 0;
	return now;
}

double MPI_Wtime(void) { return stamp(); }
double mpi_wtime_(void) { return stamp(); }

static void report(void)
{
	double longest[PIECES], sum[PIECES], most[PIECES];
	int rank, size, n = stamps - 1, all;

	if (n > PIECES)
		n = PIECES;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	PMPI_Allreduce(&n, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (all < 1)
		return;
	PMPI_Reduce(length, longest, all, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	PMPI_Reduce(waited, sum, all, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	PMPI_Reduce(waited, most, all, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < all; i++)
		printf("waits %.9f %.9f %.9f %.9f\n", length[i], longest[i], sum[i] / size, most[i]);
	fflush(stdout);
}

int MPI_Finalize(void)
{
	report();
	return PMPI_Finalize();
}

void mpi_finalize_(MPI_Fint *ierror)
{
	report();
	*ierror = PMPI_Finalize();
}

#define CALL(name, params, args) \
	int MPI_##name params \
	{ \
		enter(); \
		int e = PMPI_##name args; \
		leave(); \
		return e; \
	}

#define BUF const void *b, int n, MPI_Datatype t
#define IN void *b, int n, MPI_Datatype t

CALL(Send, (BUF, int r, int g, MPI_Comm c), (b, n, t, r, g, c))
CALL(Ssend, (BUF, int r, int g, MPI_Comm c), (b, n, t, r, g, c))
CALL(Isend, (BUF, int r, int g, MPI_Comm c, MPI_Request *q), (b, n, t, r, g, c, q))
CALL(Recv, (IN, int r, int g, MPI_Comm c, MPI_Status *s), (b, n, t, r, g, c, s))
CALL(Irecv, (IN, int r, int g, MPI_Comm c, MPI_Request *q), (b, n, t, r, g, c, q))
CALL(Sendrecv, (BUF, int r, int g, void *b2, int n2, MPI_Datatype t2, int r2, int g2, MPI_Comm c, MPI_Status *s),
	(b, n, t, r, g, b2, n2, t2, r2, g2, c, s))
CALL(Wait, (MPI_Request *q, MPI_Status *s), (q, s))
CALL(Waitall, (int n, MPI_Request q[], MPI_Status s[]), (n, q, s))
CALL(Waitany, (int n, MPI_Request q[], int *i, MPI_Status *s), (n, q, i, s))
CALL(Test, (MPI_Request *q, int *f, MPI_Status *s), (q, f, s))
CALL(Probe, (int r, int g, MPI_Comm c, MPI_Status *s), (r, g, c, s))
CALL(Barrier, (MPI_Comm c), (c))
CALL(Bcast, (IN, int r, MPI_Comm c), (b, n, t, r, c))
CALL(Reduce, (const void *b, void *o, int n, MPI_Datatype t, MPI_Op p, int r, MPI_Comm c), (b, o, n, t, p, r, c))
CALL(Allreduce, (const void *b, void *o, int n, MPI_Datatype t, MPI_Op p, MPI_Comm c), (b, o, n, t, p, c))
CALL(Scan, (const void *b, void *o, int n, MPI_Datatype t, MPI_Op p, MPI_Comm c), (b, o, n, t, p, c))
CALL(Gather, (BUF, void *o, int n2, MPI_Datatype t2, int r, MPI_Comm c), (b, n, t, o, n2, t2, r, c))
CALL(Scatter, (BUF, void *o, int n2, MPI_Datatype t2, int r, MPI_Comm c), (b, n, t, o, n2, t2, r, c))
CALL(Allgather, (BUF, void *o, int n2, MPI_Datatype t2, MPI_Comm c), (b, n, t, o, n2, t2, c))
CALL(Alltoall, (BUF, void *o, int n2, MPI_Datatype t2, MPI_Comm c), (b, n, t, o, n2, t2, c))
CALL(Alltoallv, (const void *b, const int n[], const int d[], MPI_Datatype t, void *o, const int n2[], const int d2[], MPI_Datatype t2, MPI_Comm c),
	(b, n, d, t, o, n2, d2, t2, c))

/*
 * In Fortran every argument is a pointer, the last one to the error. A program in C has no such
 * functions behind these, and does not call them.
 */
#define FORTRAN(name, params, args) \
	extern void pmpi_##name##_ params __attribute__((weak)); \
	void mpi_##name##_ params \
	{ \
		enter(); \
		pmpi_##name##_ args; \
		leave(); \
	}

#define P2 void *a1, void *a2
#define P3 P2, void *a3
#define P4 P3, void *a4
#define P5 P4, void *a5
#define P6 P5, void *a6
#define P7 P6, void *a7
#define P8 P7, void *a8
#define P9 P8, void *a9
#define P10 P9, void *a10
#define P13 P10, void *a11, void *a12, void *a13
#define A2 a1, a2
#define A3 A2, a3
#define A4 A3, a4
#define A5 A4, a5
#define A6 A5, a6
#define A7 A6, a7
#define A8 A7, a8
#define A9 A8, a9
#define A10 A9, a10
#define A13 A10, a11, a12, a13

FORTRAN(send, (P7), (A7))
FORTRAN(ssend, (P7), (A7))
FORTRAN(isend, (P8), (A8))
FORTRAN(recv, (P8), (A8))
FORTRAN(irecv, (P8), (A8))
FORTRAN(sendrecv, (P13), (A13))
FORTRAN(wait, (P3), (A3))
FORTRAN(waitall, (P4), (A4))
FORTRAN(waitany, (P5), (A5))
FORTRAN(test, (P4), (A4))
FORTRAN(probe, (P5), (A5))
FORTRAN(barrier, (P2), (A2))
FORTRAN(bcast, (P6), (A6))
FORTRAN(reduce, (P8), (A8))
FORTRAN(allreduce, (P7), (A7))
FORTRAN(scan, (P7), (A7))
FORTRAN(gather, (P9), (A9))
FORTRAN(scatter, (P9), (A9))
FORTRAN(allgather, (P8), (A8))
FORTRAN(alltoall, (P8), (A8))
FORTRAN(alltoallv, (P10), (A10))
