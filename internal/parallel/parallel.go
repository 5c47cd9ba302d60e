// Package parallel runs parts of a long work side by side.
package parallel

import (
	"context"
	"sync"
)

// Each calls do for 0 to n-1, begun in this order, at most jobs at once (below 1: 1). The first error of do
// cancels the context that do gets, and no more begin. Each returns when all have returned: the error of the
// given context if it has ended, or else the first error of do.
func Each(outer context.Context, n, jobs int, do func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(outer)
	defer stop(nil)
	next := make(chan int)
	var all sync.WaitGroup
	for range max(1, jobs) {
		all.Go(func() {
			for i := range next {
				if err := do(ctx, i); err != nil {
					stop(err)
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	all.Wait()
	if err := outer.Err(); err != nil {
		return err
	}
	return context.Cause(ctx)
}
