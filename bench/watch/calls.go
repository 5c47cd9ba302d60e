package watch

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"rhinet/mpi"
)

// How single calls are measured, on all runtimes alike (see bench/peer/c/calls.c).
const (
	CallBytes = 8
	CallReps  = 9
	// CallPause is how long rank 1 stays away before it receives, so that it does not sleep in the call and
	// need not be woken; rank 0 receives its answer after one and a half pauses. Rank 1 then stays away for
	// another half, because otherwise it would come earlier each time, and finally sleep in the call.
	CallPause = 100 * time.Millisecond

	callWarm = 200 // round trips before the measurement; not enough for a poll delay
	// In the middle of these, both ranks stay away for callSettle pauses: a job that has just begun works
	// differently.
	callSettle = 2
	callTag    = 1
)

// A CallCost is how many instructions one blocking call takes on one runtime, the smallest count of all
// repetitions: Send, and Recv of a message that has arrived.
type CallCost struct {
	Runtime    string
	Send, Recv int
}

// Call makes single calls, each between two breakpoints, which a process only survives under a tracer.
// Ranks 0 and 1 take part.
func Call(world *mpi.Comm, pause time.Duration) error {
	runtime.LockOSThread() // the tracer follows one thread
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	out, in := make([]byte, CallBytes), make([]byte, CallBytes)
	for i := range callWarm + CallReps {
		var err error
		if i == callWarm/2 {
			time.Sleep(callSettle * pause)
		}
		switch {
		case world.Rank() == 1:
			if i >= callWarm {
				time.Sleep(pause)
			}
			if _, err = mpi.Recv(world, in, 0, callTag); err == nil {
				err = mpi.Send(world, out, 0, callTag)
			}
			if i >= callWarm {
				time.Sleep(pause / 2)
			}
		case world.Rank() == 0 && i < callWarm:
			if err = mpi.Send(world, out, 1, callTag); err == nil {
				_, err = mpi.Recv(world, in, 1, callTag)
			}
		case world.Rank() == 0:
			err = marked(world, out, in, pause)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// marked is one repetition: nothing, a send, and a receive.
func marked(world *mpi.Comm, out, in []byte, pause time.Duration) error {
	runtime.Breakpoint()
	runtime.Breakpoint()
	runtime.Breakpoint()
	err := mpi.Send(world, out, 1, callTag)
	runtime.Breakpoint()
	if err != nil {
		return err
	}
	time.Sleep(pause + pause/2)
	runtime.Breakpoint()
	_, err = mpi.Recv(world, in, 1, callTag)
	runtime.Breakpoint()
	return err
}

// CountCalls runs a command whose ranks make single calls, and counts their instructions by
// single-stepping.
func CountCalls(ctx context.Context, name string, args []string) (CallCost, error) {
	c := CallCost{Runtime: name}
	counts, err := steps(ctx, args)
	if err != nil {
		return c, err
	}
	if len(counts) != 3*CallReps {
		return c, fmt.Errorf("%s: %d stretches between breakpoints were counted, want %d", name, len(counts), 3*CallReps)
	}
	var kinds [3][]int
	for i, n := range counts {
		kinds[i%3] = append(kinds[i%3], n)
	}
	none := slices.Min(kinds[0])
	c.Send, c.Recv = slices.Min(kinds[1])-none, slices.Min(kinds[2])-none
	return c, nil
}
