package virtual

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"rhinet/mpi"
	"rhinet/nicemu/vtime"
)

// TestTwoWindows: a rank fills a Write Window while its board reads the other one, so a message of several
// packets is done sooner than with one window; a single packet takes the same time (dimmnet2, section 9). A
// third packet waits until one of the windows is free. Sending to several ranks, if none of them is the
// bottleneck, is faster as a whole. All data arrives, in order.
func TestTwoWindows(t *testing.T) {
	took := func(windows, ranks, bytes int) (sender, all vtime.Time) {
		r, err := Job{Model: model(t, fmt.Sprintf("dimmnet2:mpi.windows=%d", windows)), Ranks: ranks}.Run(func(w *mpi.Comm, now func() vtime.Time) error {
			buf, want := make([]byte, bytes), make([]byte, bytes)
			for i := range want {
				want[i] = byte(i * i)
			}
			if w.Rank() > 0 {
				_, err := mpi.Recv(w, buf, 0, 1)
				if err == nil && !slices.Equal(buf, want) {
					err = errors.New("other bytes have come")
				}
				return err
			}
			for to := 1; to < ranks; to++ {
				if err := mpi.Send(w, want, to, 1); err != nil {
					return err
				}
			}
			sender = now()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return sender, r.Time
	}
	for _, ranks := range []int{2, 4} {
		for _, bytes := range []int{8, 2000, 20_000} {
			one, oneAll := took(1, ranks, bytes)
			two, twoAll := took(2, ranks, bytes)
			if many := bytes > 1000; many != (two < one) || twoAll > oneAll || many && ranks > 2 && twoAll == oneAll {
				t.Errorf("%d bytes to each of %d: the sender takes %v by one window, %v by two; all %v, %v", bytes, ranks-1, one, two, oneAll, twoAll)
			}
		}
	}
}
