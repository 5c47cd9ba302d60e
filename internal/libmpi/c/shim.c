/*
 * What package internal/libmpi calls of an MPI library. The library's mpicc compiles it into a
 * shared object, so that Go need not know what handles, constants and datatypes are there. All
 * functions take one struct call and return an error code of the library, 0 for success. Messages
 * are bytes; a tag or a rank below 0 is any. Handles travel as words.
 */
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

/* Changes with the functions and with the struct, as does the constant of internal/libmpi. */
#define VERSION 1

struct transfer {
	int64_t request, source, tag, bytes, error;
};

/* Package internal/libmpi has the same in abi_unsafe.go. */
struct call {
	int64_t comm, peer, tag, count, kind, op, flag;
	void *send, *recv;
	int32_t *sendcounts, *senddispls, *recvcounts, *recvdispls;
	struct transfer *transfers;
};

enum { MOST = 64 }; /* transfers of one call */

#define COMM ((MPI_Comm)(intptr_t)c->comm)
#define REQUEST(t) ((MPI_Request)(intptr_t)(t).request)
#define WORD(handle) ((int64_t)(intptr_t)(handle))
#define TAG (c->tag < 0 ? MPI_ANY_TAG : (int)c->tag)
#define SOURCE (c->peer < 0 ? MPI_ANY_SOURCE : (int)c->peer)
#define COUNT ((int)c->count)
#define PEER ((int)c->peer)
#define INPUT (c->flag ? MPI_IN_PLACE : c->send) /* flag: in place */

int64_t rhinet_version(struct call *c)
{
	(void)c;
	return VERSION;
}

/* What a call costs that does nothing. */
int64_t rhinet_nothing(struct call *c)
{
	(void)c;
	return 0;
}

/* Go's signal handlers stay: they alone know Go's stacks, and Go tells its own faults from others. */
int64_t rhinet_open(struct call *c)
{
	struct sigaction mine[NSIG];
	int known[NSIG], got = 0, rank, size, set = 0, *most, e;

	for (int i = 1; i < NSIG; i++)
		known[i] = sigaction(i, NULL, &mine[i]) == 0;
	e = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &got);
	for (int i = 1; i < NSIG; i++)
		if (known[i])
			sigaction(i, &mine[i], NULL);
	if (e != MPI_SUCCESS)
		return e;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &set);
	c->comm = WORD(MPI_COMM_WORLD);
	c->peer = rank;
	c->count = size;
	c->tag = set ? *most : 32767;
	c->flag = got >= MPI_THREAD_SERIALIZED;
	return MPI_SUCCESS;
}

int64_t rhinet_close(struct call *c)
{
	(void)c;
	return MPI_Finalize();
}

int64_t rhinet_abort(struct call *c) { return MPI_Abort(MPI_COMM_WORLD, (int)c->op); }

/* The text of a code, or, if that is 0, of the library, into recv; flag: the code is that of a message too long. */
int64_t rhinet_text(struct call *c)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING + MPI_MAX_ERROR_STRING] = "";
	int n = 0, class = MPI_SUCCESS;

	if (c->op) {
		MPI_Error_string((int)c->op, text, &n);
		MPI_Error_class((int)c->op, &class);
	} else {
		MPI_Get_library_version(text, &n);
	}
	c->flag = class == MPI_ERR_TRUNCATE;
	c->count = n < c->count ? n : c->count;
	memcpy(c->recv, text, (size_t)c->count);
	return MPI_SUCCESS;
}

/* The communicator of count ranks of the world, which all of them make. */
int64_t rhinet_group(struct call *c)
{
	MPI_Group all, some;
	MPI_Comm made = MPI_COMM_NULL;
	int e;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	e = MPI_Group_incl(all, COUNT, c->sendcounts, &some);
	MPI_Group_free(&all);
	if (e != MPI_SUCCESS)
		return e;
	e = MPI_Comm_create_group(MPI_COMM_WORLD, some, (int)c->tag, &made);
	MPI_Group_free(&some);
	if (e != MPI_SUCCESS)
		return e;
	c->comm = WORD(made);
	return MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
}

int64_t rhinet_free(struct call *c)
{
	MPI_Comm comm = COMM;
	return MPI_Comm_free(&comm);
}

/* flag: synchronous */
int64_t rhinet_send(struct call *c)
{
	if (c->flag)
		return MPI_Ssend(c->send, COUNT, MPI_BYTE, PEER, (int)c->tag, COMM);
	return MPI_Send(c->send, COUNT, MPI_BYTE, PEER, (int)c->tag, COMM);
}

static void look(struct transfer *t, const MPI_Status *s)
{
	int n = 0;
	MPI_Get_count(s, MPI_BYTE, &n);
	t->source = s->MPI_SOURCE;
	t->tag = s->MPI_TAG;
	t->bytes = n;
}

int64_t rhinet_recv(struct call *c)
{
	MPI_Status s;
	int e = MPI_Recv(c->recv, COUNT, MPI_BYTE, SOURCE, TAG, COMM, &s);
	look(c->transfers, &s);
	return e;
}

int64_t rhinet_isend(struct call *c)
{
	MPI_Request q = MPI_REQUEST_NULL;
	int e = c->flag ? MPI_Issend(c->send, COUNT, MPI_BYTE, PEER, (int)c->tag, COMM, &q)
			: MPI_Isend(c->send, COUNT, MPI_BYTE, PEER, (int)c->tag, COMM, &q);
	c->transfers->request = WORD(q);
	return e;
}

int64_t rhinet_irecv(struct call *c)
{
	MPI_Request q = MPI_REQUEST_NULL;
	int e = MPI_Irecv(c->recv, COUNT, MPI_BYTE, SOURCE, TAG, COMM, &q);
	c->transfers->request = WORD(q);
	return e;
}

/* Waits for all count transfers, at most MOST; what became of each is in it. */
int64_t rhinet_wait(struct call *c)
{
	MPI_Request q[MOST];
	MPI_Status s[MOST];
	int n = COUNT, e;

	for (int i = 0; i < n; i++)
		q[i] = REQUEST(c->transfers[i]);
	e = n == 1 ? MPI_Wait(q, s) : MPI_Waitall(n, q, s);
	for (int i = 0; i < n; i++) {
		look(&c->transfers[i], &s[i]);
		c->transfers[i].error = e == MPI_ERR_IN_STATUS ? s[i].MPI_ERROR : e;
	}
	return MPI_SUCCESS;
}

/* Looks whether one of count transfers is complete, or, with op, waits for one: its number is peer, or -1. */
int64_t rhinet_any(struct call *c)
{
	MPI_Request q[MOST];
	MPI_Status s;
	int n = COUNT, at = 0, done = 1, e;

	for (int i = 0; i < n; i++)
		q[i] = REQUEST(c->transfers[i]);
	if (c->op)
		e = MPI_Waitany(n, q, &at, &s);
	else
		e = MPI_Testany(n, q, &at, &done, &s);
	if (at == MPI_UNDEFINED)
		return e;
	c->peer = done ? at : -1;
	if (done) {
		look(&c->transfers[at], &s);
		c->transfers[at].error = e;
	}
	return MPI_SUCCESS;
}

/* op: wait for a message; flag says then whether there is one. */
int64_t rhinet_probe(struct call *c)
{
	MPI_Status s;
	int there = 1;
	int e = c->op ? MPI_Probe(SOURCE, TAG, COMM, &s) : MPI_Iprobe(SOURCE, TAG, COMM, &there, &s);
	if (e == MPI_SUCCESS && there)
		look(c->transfers, &s);
	c->flag = there;
	return e;
}

/* The kinds of numbers are those of Go's package reflect, the operations those of package mpi, from 1. */
static MPI_Datatype type(const struct call *c)
{
	switch (c->kind) {
	case 1: return MPI_C_BOOL;
	case 3: return MPI_INT8_T;
	case 4: return MPI_INT16_T;
	case 5: return MPI_INT32_T;
	case 6: return MPI_INT64_T;
	case 8: return MPI_UINT8_T;
	case 9: return MPI_UINT16_T;
	case 10: return MPI_UINT32_T;
	case 11: return MPI_UINT64_T;
	case 13: return MPI_FLOAT;
	case 14: return MPI_DOUBLE;
	case 15: return MPI_C_FLOAT_COMPLEX;
	case 16: return MPI_C_DOUBLE_COMPLEX;
	}
	return MPI_DATATYPE_NULL;
}

static MPI_Op operation(const struct call *c)
{
	switch (c->op) {
	case 1: return MPI_SUM;
	case 2: return MPI_PROD;
	case 3: return MPI_MIN;
	case 4: return MPI_MAX;
	case 5: return MPI_LAND;
	case 6: return MPI_LOR;
	case 7: return MPI_LXOR;
	case 8: return MPI_BAND;
	case 9: return MPI_BOR;
	case 10: return MPI_BXOR;
	}
	return MPI_OP_NULL;
}

int64_t rhinet_barrier(struct call *c) { return MPI_Barrier(COMM); }

int64_t rhinet_bcast(struct call *c) { return MPI_Bcast(c->recv, COUNT, MPI_BYTE, PEER, COMM); }

int64_t rhinet_reduce(struct call *c)
{
	return MPI_Reduce(INPUT, c->recv, COUNT, type(c), operation(c), PEER, COMM);
}

int64_t rhinet_allreduce(struct call *c)
{
	return MPI_Allreduce(INPUT, c->recv, COUNT, type(c), operation(c), COMM);
}

int64_t rhinet_scan(struct call *c) { return MPI_Scan(INPUT, c->recv, COUNT, type(c), operation(c), COMM); }

/* In the following count is the bytes of one rank. */

int64_t rhinet_gather(struct call *c)
{
	return MPI_Gather(INPUT, COUNT, MPI_BYTE, c->recv, COUNT, MPI_BYTE, PEER, COMM);
}

int64_t rhinet_scatter(struct call *c)
{
	return MPI_Scatter(c->send, COUNT, MPI_BYTE, c->flag ? MPI_IN_PLACE : c->recv, COUNT, MPI_BYTE, PEER, COMM);
}

int64_t rhinet_allgather(struct call *c)
{
	return MPI_Allgather(INPUT, COUNT, MPI_BYTE, c->recv, COUNT, MPI_BYTE, COMM);
}

int64_t rhinet_alltoall(struct call *c)
{
	return MPI_Alltoall(INPUT, COUNT, MPI_BYTE, c->recv, COUNT, MPI_BYTE, COMM);
}

int64_t rhinet_alltoallv(struct call *c)
{
	return MPI_Alltoallv(INPUT, c->sendcounts, c->senddispls, MPI_BYTE,
			     c->recv, c->recvcounts, c->recvdispls, MPI_BYTE, COMM);
}
