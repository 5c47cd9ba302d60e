package pending

import "rhinet/mpi"

func putWhatComes(c *mpi.Comm, w *mpi.Win[int], buf []int) error {
	r := mpi.Irecv(c, buf, 1, 0)
	if err := w.Put(buf, 1, 0); err != nil { // want `buf is used while the Irecv of line 6 may still fill it; wait for the request first`
		return err
	}
	_, err := r.Wait()
	return err
}

func getIntoWhatGoes(c *mpi.Comm, w *mpi.Win[int], buf []int) error {
	r := mpi.Isend(c, buf, 1, 0)
	if err := w.Get(buf, 1, 0); err != nil { // want `buf is used while the Isend of line 15 may still send it; wait for the request first`
		return err
	}
	_, err := r.Wait()
	return err
}

func addAndFetch(c *mpi.Comm, w *mpi.Win[int], in, out []int) error {
	reqs := []*mpi.Request{}
	reqs = append(reqs, mpi.Irecv(c, in, 1, 0))
	err := w.Accumulate(in, 1, 0, mpi.Sum) // want `in is used while the Irecv of line 25 may still fill it`
	reqs = append(reqs, mpi.Isend(c, out, 1, 0))
	old := w.RgetAccumulate(in, out, 1, 0, mpi.Sum) // want `out is used while the Isend of line 27 may still send it`
	if _, oldErr := old.Wait(); oldErr != nil || err != nil {
		return err
	}
	return mpi.WaitAll(reqs...)
}

func combine(c *mpi.Comm, in, sum []int) error {
	r := mpi.Ibcast(c, sum, 0)
	err := mpi.ReduceLocal(c, in, sum, mpi.Sum) // want `sum is used while the Ibcast of line 36 may still send it`
	if err != nil {
		return err
	}
	return mpi.WaitAll(r)
}

// What follows is right.

func putWhatGoes(c *mpi.Comm, w *mpi.Win[int], buf, other []int) error {
	r := mpi.Isend(c, buf, 1, 0)
	if err := w.Put(buf, 1, 0); err != nil { // to read what is sent is allowed
		return err
	}
	if err := w.GetAccumulate(buf, other, 1, 0, mpi.Sum); err != nil {
		return err
	}
	_, err := r.Wait()
	return err
}

// An access is complete when the call returns, with a request, too.
func completeAtOnce(w *mpi.Win[int], buf []int) (sum int, err error) {
	if err := w.Put(buf, 1, 0); err != nil {
		return 0, err
	}
	buf[0] = 1
	put := w.Rput(buf, 1, 0)
	buf[0] = 2
	get := w.Rget(buf, 1, 0)
	sum = buf[0]
	var reqs []*mpi.Request
	for to := range 3 {
		buf[0] = to
		reqs = append(reqs, w.Rput(buf, to, 0))
	}
	return sum, mpi.WaitAll(append(reqs, put, get)...)
}
