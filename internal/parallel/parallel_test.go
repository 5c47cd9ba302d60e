package parallel

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// Each part is done once, and as many at once as there are jobs: a part ends only when all others of its
// turn have begun.
func TestEach(t *testing.T) {
	for _, jobs := range []int{1, 2, 5} {
		var mu sync.Mutex
		var done []int
		turns := make([]sync.WaitGroup, 4)
		for i := range turns {
			turns[i].Add(jobs)
		}
		err := Each(t.Context(), jobs*len(turns), jobs, func(_ context.Context, i int) error {
			turns[i/jobs].Done()
			turns[i/jobs].Wait()
			mu.Lock()
			defer mu.Unlock()
			done = append(done, i)
			return nil
		})
		if slices.Sort(done); err != nil || len(done) != jobs*len(turns) || done[0] != 0 || len(slices.Compact(done)) != jobs*len(turns) {
			t.Errorf("%d jobs: %v, %v", jobs, done, err)
		}
	}
	var order []int
	if err := Each(t.Context(), 5, 0, func(_ context.Context, i int) error { order = append(order, i); return nil }); err != nil || !slices.Equal(order, []int{0, 1, 2, 3, 4}) {
		t.Errorf("without jobs: %v, %v", order, err)
	}
}

// The first error ends the parts that run beside it, and no more begin.
func TestEachFails(t *testing.T) {
	broken := errors.New("broken")
	var begun atomic.Int32
	err := Each(t.Context(), 1000, 2, func(ctx context.Context, i int) error {
		begun.Add(1)
		if i == 1 {
			return broken
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if err != broken || begun.Load() > 4 {
		t.Errorf("%v after %d", err, begun.Load())
	}
}

// When the caller's context ends, its error is returned, whatever the parts say.
func TestEachIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	begun := 0
	err := Each(ctx, 1000, 1, func(context.Context, int) error {
		begun++
		interrupt()
		return errors.New("interrupted meanwhile")
	})
	if err != context.Canceled || begun > 2 {
		t.Errorf("%v after %d", err, begun)
	}
}
