package matched

import "rhinet/mpi"

func longer(c *mpi.Comm) error {
	if c.Rank() == 0 {
		return mpi.Send(c, []int{1, 2, 3}, 1, tagA) // want `Send sends 3 elements, and line 9 has room for 2; receive into a longer buffer`
	} else if c.Rank() == 1 {
		_, err := mpi.Recv(c, make([]int, 2), 0, tagA)
		return err
	}
	return nil
}

func text(c *mpi.Comm) error {
	const room = 4
	buf := make([]byte, 2*room)
	switch c.Rank() {
	case 0:
		return mpi.Send(c, []byte("hello, world"), 1, tagA) // want `Send sends 12 elements, and line 22 has room for 8`
	case 1:
		_, err := mpi.Recv(c, buf, mpi.AnySource, mpi.AnyTag)
		return err
	}
	return nil
}

func parts(c *mpi.Comm) (err error) {
	var all [10]float64
	n := 4
	if c.Rank() == 0 {
		err = mpi.Send(c, all[3:], 1, tagA) // want `Send sends 7 elements, and line 34 has room for 4`
	} else {
		_, err = mpi.Recv(c, all[:n], 0, tagA)
	}
	return err
}

func afterAReturn(c *mpi.Comm) error {
	tag, other := 1, 2
	buf := make([]int, 1)
	if c.Rank() == 0 {
		return mpi.Send(c, buf, 1, tag) // want `Send to 1 has the tag 1, and rank 1 receives from 0 with the tag 2 \(line 45\); use the same tag`
	}
	_, err := mpi.Recv(c, buf, 0, other)
	return err
}

func otherwise(c *mpi.Comm) error {
	if c.Rank() == 0 {
		return mpi.Send(c, make([]float32, 2), 1, tagA) // want `Send sends float32, and line 53 receives them as float64; use the same type, or \[\]byte`
	} else {
		_, err := mpi.Recv(c, make([]float64, 2), 0, tagA)
		return err
	}
}

func inTurns(c *mpi.Comm) {
	for range 3 {
		if c.Rank() == 0 {
			_ = mpi.Send(c, []int{1, 2}, 1, tagA) // want `Send sends 2 elements, and line \d+ has room for 1`
			continue
		}
		_, _ = mpi.Recv(c, make([]int, 1), 0, tagA)
	}
}

// What follows is right, or may be.

// Limit may be changed by other packages.
var Limit = 1

func upToTheLimit(c *mpi.Comm) (err error) {
	if c.Rank() == 0 {
		err = mpi.Send(c, []int{1, 2}, 1, tagA)
	} else {
		_, err = mpi.Recv(c, make([]int, Limit), 0, tagA)
	}
	return err
}

func fromAnybody(c *mpi.Comm, from int) (err error) {
	if c.Rank() == 0 {
		err = mpi.Send(c, []int{1, 2}, 1, tagA)
	} else {
		_, err = mpi.Recv(c, make([]int, 1), from, tagA)
	}
	return err
}

func withKeys(c *mpi.Comm) (err error) {
	if c.Rank() == 0 {
		err = mpi.Send(c, []int{1, 2}, 1, tagA)
	} else {
		_, err = mpi.Recv(c, []int{7: 0}, 0, tagA)
	}
	return err
}

func shorter(c *mpi.Comm) (err error) {
	buf := make([]int, 8)
	if c.Rank() == 0 {
		err = mpi.Send(c, buf[:4], 1, tagA)
	} else {
		_, err = mpi.Recv(c, buf, 0, tagA)
	}
	return err
}

type stack []int

func (s *stack) push(v int) { *s = append(*s, v) }

func (s stack) top() int { return s[len(s)-1] }

type values []int

func (s values) first() int { return s[0] }

func grown(c *mpi.Comm, n int) (err error) {
	buf, own := []int{1}, stack{}
	own.push(own.top())
	if n > 1 {
		buf = append(buf, 2, 3)
	}
	if c.Rank() == 0 {
		return mpi.Send(c, []int{1, 2, 3}, 1, tagA)
	}
	if c.Rank() == 1 {
		_, err = mpi.Recv(c, buf, 0, tagA)
		return err
	}
	if c.Rank() == 2 {
		return mpi.Send(c, []int{1}, 3, tagB)
	}
	if c.Rank() == 3 {
		_, err = mpi.Recv(c, own, 2, tagB)
		return err
	}
	return nil
}

func ofAStack(c *mpi.Comm) (err error) {
	own := stack{}
	own.push(1)
	if c.Rank() == 0 {
		err = mpi.Send(c, values{1}, 1, tagA)
	} else {
		_, err = mpi.Recv(c, own, 0, tagA)
	}
	return err
}

func ofItsOwn(c *mpi.Comm) error {
	buf := values{1}
	if c.Rank() == 0 {
		return mpi.Send(c, []int{buf.first(), 2}, 1, tagA) // want `Send sends 2 elements, and line \d+ has room for 1`
	}
	_, err := mpi.Recv(c, buf, 0, tagA)
	return err
}

func sparse(c *mpi.Comm, pointer *[4]int) (err error) {
	if c.Rank() == 0 {
		err = mpi.Send(c, []int{7: 1}, 1, tagA)
	} else {
		_, err = mpi.Recv(c, pointer[1:], 0, tagA)
	}
	return err
}

func items(c *mpi.Comm, column, row []mpi.Item) (err error) {
	if c.Rank() == 0 {
		err = mpi.Send(c, []mpi.Item{column[0], column[1]}, 1, tagB)
	} else {
		_, err = mpi.Recv(c, row[:1], 0, tagB) // it may be as long as two
	}
	return err
}

func runes(c *mpi.Comm) (err error) {
	if c.Rank() == 0 {
		err = mpi.Send(c, []rune("日本"), 1, tagA)
	} else {
		_, err = mpi.Recv(c, make([]rune, 2), 0, tagA)
	}
	return err
}

func theSenderGoesOn(c *mpi.Comm, buf []int) error {
	if c.Rank() == 0 {
		if err := mpi.Send(c, buf, 1, tagA); err != nil {
			return err
		}
	}
	_, err := mpi.Recv(c, buf, 0, tagB) // of rank 0, too, from elsewhere
	return err
}
