// Package matched has sends and receives that do not fit together.
package matched

import "rhinet/mpi"

const tagA, tagB = 1, 2

func tags(c *mpi.Comm, buf []int) error {
	if c.Rank() == 0 {
		return mpi.Send(c, buf, 1, tagA) // want `Send to 1 has the tag 1, and rank 1 receives from 0 with the tag 2 \(line 12\); use the same tag`
	} else if c.Rank() == 1 {
		_, err := mpi.Recv(c, buf, 0, tagB)
		return err
	}
	return nil
}

func tagsInASwitch(c *mpi.Comm, buf []int) (err error) {
	switch c.Rank() {
	case 0:
		err = mpi.Ssend(c, buf, 1, 7) // want `Ssend to 1 has the tag 7, and rank 1 receives from 0 with the tag 8 \(line 23\); use the same tag`
	case 1:
		_, err = mpi.Recv(c, buf, 0, 8)
	}
	return err
}

func elements(c *mpi.Comm) error {
	if c.Rank() == 0 {
		return mpi.Send(c, []float64{1}, 1, tagA) // want `Send sends float64, and line 33 receives them as int64; use the same type, or \[\]byte`
	}
	if c.Rank() == 1 {
		_, err := mpi.Recv(c, make([]int64, 1), 0, tagA)
		return err
	}
	return nil
}

type celsius float64

func elementsOfAnyTag(c *mpi.Comm) error {
	rank := c.Rank()
	if rank == 0 {
		return mpi.Send(c, []celsius{1}, 1, tagA) // want `Send sends celsius, and line 47 receives them as \[2\]float32; use the same type, or \[\]byte`
	}
	if rank == 1 {
		_, err := mpi.Recv(c, make([][2]float32, 1), mpi.AnySource, mpi.AnyTag)
		return err
	}
	return nil
}

func rankFromOne(c *mpi.Comm, buf []int) error {
	me := c.Rank() + 1
	if me == 1 {
		return mpi.Send(c, buf, 1, tagA+tagB) // want `Send to 1 has the tag 3, and rank 1 receives from 0 with the tag 4 \(line 59\); use the same tag`
	}
	if c.Rank()+1 == 2 {
		_, err := mpi.Recv(c, buf, 0, 2*tagB)
		return err
	}
	return nil
}

// What follows is right, or may be.

func computedTags(c *mpi.Comm, buf []int) error {
	if c.Rank() == 0 {
		return mpi.Send(c, buf, 1, tagA<<2|tagB)
	} else if c.Rank() == 1 {
		_, err := mpi.Recv(c, buf, 0, 6)
		return err
	}
	return nil
}

func chain(c *mpi.Comm, buf []int) error {
	switch next := c.Rank() + 1; next {
	case 1:
		return mpi.Send(c, buf, next, 7)
	case 2:
		if _, err := mpi.Recv(c, buf, 0, 7); err != nil {
			return err
		}
		return mpi.Send(c, buf, 2, 8)
	case 3:
		_, err := mpi.Recv(c, buf, 1, 8)
		return err
	}
	return nil
}

func evenAndOdd(c *mpi.Comm, buf []int) error {
	half := c.Rank() / 2
	switch half {
	case 0: // ranks 0 and 1
		if c.Rank() == 1 {
			return mpi.Send(c, buf, 3, 5)
		}
		return mpi.Send(c, buf, 1, 5)
	case 1: // ranks 2 and 3
		_, err := mpi.Recv(c, buf, 0, 6)
		return err
	}
	return nil
}

func sameTag(c *mpi.Comm, buf []int) error {
	if c.Rank() == 0 {
		return mpi.Send(c, buf, 1, tagA)
	}
	_, err := mpi.Recv(c, buf, 0, tagA)
	return err
}

func sameElements(c *mpi.Comm) error {
	if c.Rank() == 0 {
		return mpi.Send(c, []int{1}, 1, tagA)
	}
	if c.Rank() == 1 {
		_, err := mpi.Recv(c, make([][1]int64, 1), 0, tagA)
		return err
	}
	return nil
}

func asBytes(c *mpi.Comm, raw []byte) error {
	if c.Rank() == 0 {
		return mpi.Send(c, []int{1}, 1, tagA)
	}
	if c.Rank() == 1 {
		_, err := mpi.Recv(c, raw, 0, tagA)
		return err
	}
	return nil
}

func elsewhere(c *mpi.Comm, buf []int) error {
	if c.Rank() == 0 {
		return mpi.Send(c, buf, 1, tagA)
	} else if c.Rank() == 1 {
		if _, err := mpi.Recv(c, buf, 0, tagB); err != nil {
			return err
		}
		return sameTag(c, buf)
	}
	return nil
}

func severalSends(c *mpi.Comm, buf []int, x []float64) error {
	if c.Rank() == 0 {
		if err := mpi.Send(c, buf, 1, tagA); err != nil {
			return err
		}
		return mpi.Send(c, x, 1, tagB)
	}
	if c.Rank() == 1 {
		if _, err := mpi.Recv(c, x, 0, tagB); err != nil {
			return err
		}
		_, err := mpi.Recv(c, buf, 0, tagA)
		return err
	}
	return nil
}

func anotherRank(c *mpi.Comm, buf []int) error {
	if c.Rank() == 0 {
		return mpi.Send(c, buf, 2, tagA)
	} else if c.Rank() == 1 {
		_, err := mpi.Recv(c, buf, 0, tagB)
		return err
	}
	return nil
}

func variables(c *mpi.Comm, buf []int, tag int) error {
	if c.Rank() == 0 {
		return mpi.Send(c, buf, 1, tag)
	} else if c.Rank() == 1 {
		_, err := mpi.Recv(c, buf, 0, tagB)
		return err
	}
	return nil
}
