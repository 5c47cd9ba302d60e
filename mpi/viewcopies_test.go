package mpi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rhinet/mpi"
)

// A layout can select a byte any number of times. Calls that copy what they send refuse more than memory may
// hold.
func TestViewsThatRepeatBytesAreNotCopiedWithoutBound(t *testing.T) {
	bothWays(t, 1, func(w *mpi.Comm) error {
		huge := mpi.View([]byte{7}, mpi.Hvector(1<<32, 1, 0))
		one := mpi.View([]byte{0}, mpi.Contiguous(1))
		win, err := mpi.WinAllocate[byte](w, 8)
		if err != nil {
			return err
		}
		if err := win.Fence(); err != nil {
			return err
		}
		for call, err := range map[string]error{ // on one rank
			"Bcast":     mpi.Bcast(w, huge, 0),
			"Ibcast":    second(mpi.Ibcast(w, huge, 0).Wait()),
			"BcastInit": second(mpi.BcastInit(w, huge, 0)),
			"Gather":    mpi.Gather(w, huge, one, 0),
			"Alltoall":  mpi.Alltoall(w, huge, one),
			"Bsend":     mpi.Bsend(w, huge, 0, 1),
			"PutView":   win.PutView(huge, 0, 0, mpi.Contiguous(1)),
		} {
			if err := tooLong(call, err); err != nil {
				return err
			}
		}
		return errors.Join(win.Fence(), win.Free())
	})
}

func TestPartsThatRepeatBytesAreNotCopiedWithoutBound(t *testing.T) {
	bothWays(t, 2, func(w *mpi.Comm) error {
		none := mpi.PartOf([]byte(nil))
		send, recv := []mpi.Part{none, none}, []mpi.Part{none, none}
		send[1-w.Rank()] = mpi.PartOf(mpi.View([]byte{7}, mpi.Hvector(1<<32, 1, 0)))
		return tooLong("Alltoallw", mpi.Alltoallw(w, send, recv))
	})
}

// tooLong is an error unless a call has refused to copy.
func tooLong(call string, err error) error {
	const why = "the layout selects 4294967296 bytes of a slice of 1, and this call copies at most 1073741824 if they are more than the slice has; use a smaller layout, or Send"
	if !errors.Is(err, mpi.ErrLayout) || !strings.HasSuffix(err.Error(), why) || !strings.HasPrefix(err.Error(), "mpi: "+call) {
		return fmt.Errorf("%s: %v", call, err)
	}
	return nil
}

// What is no larger than the bound, or than the slice, is copied.
func TestViewsThatRepeatBytesAreCopied(t *testing.T) {
	bothWays(t, 2, func(w *mpi.Comm) error {
		got, mem := make([]byte, 1<<16), []byte{byte(w.Rank() + 7)}
		var err error
		if w.Rank() == 0 {
			err = mpi.Bcast(w, mpi.View(mem, mpi.Hvector(1<<16, 1, 0)), 0)
		} else {
			err = mpi.Bcast(w, mpi.View(got, mpi.Contiguous(len(got))), 0)
		}
		if err != nil || w.Rank() == 0 {
			return err
		}
		return errors.Join(equal("first", got[0], 7), equal("last", got[len(got)-1], 7))
	})
}
