// Package room has receives into nothing.
package room

import "rhinet/mpi"

func declared(c *mpi.Comm) (int, error) {
	var buf []int
	_, err := mpi.Recv(c, buf, 0, 0) // want `buf has no elements, and Recv receives into those that are there; make it with room for the message`
	return buf[0], err
}

func capacity(c *mpi.Comm) (sum int, err error) {
	all := make([]int, 0, 10)
	if err := mpi.Allgather(c, []int{1}, all); err != nil { // want `all has no elements, and Allgather receives into those that are there`
		return 0, err
	}
	for _, v := range all {
		sum += v
	}
	return sum, nil
}

// What follows is right.

func token(c *mpi.Comm) error {
	var none []byte
	_, err := mpi.Recv(c, none, 0, 0)
	return err
}

func madeLater(c *mpi.Comm) (int, error) {
	var buf []int
	if c.Rank() == 0 {
		buf = make([]int, c.Size())
	}
	err := mpi.Gather(c, []int{1}, buf, 0)
	if c.Rank() > 0 {
		return 0, err
	}
	return buf[0], err
}

func array(c *mpi.Comm) (int, error) {
	var buf [4]int
	_, err := mpi.Recv(c, buf[:], 0, 0)
	return buf[0], err
}

func got(w *mpi.Win[int]) (sum int, err error) {
	var buf []int
	err = w.Get(buf, 1, 0) // want `buf has no elements, and Get receives into those that are there`
	for _, v := range buf {
		sum += v
	}
	return sum, err
}
