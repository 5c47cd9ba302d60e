package pending

import "rhinet/mpi"

func beforeTheClosure(c *mpi.Comm, buf []int) int {
	r := mpi.Irecv(c, buf, 1, 0)
	first := buf[0] // want `buf is used while the Irecv of line 6 may still fill it; wait for the request first`
	done := make(chan error)
	go func() {
		_, err := r.Wait()
		done <- err
	}()
	if <-done != nil {
		return 0
	}
	return first + buf[1]
}
