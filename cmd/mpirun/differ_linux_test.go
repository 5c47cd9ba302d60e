package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
)

// isRoot hides the conditions of wrong programs from mpivet, which would report mistakes that are there on purpose:
// it does not look for the rank in functions.
func isRoot(world *mpi.Comm) bool { return world.Rank() == 0 }

// differ is what a rank of an erroneous program does: rank 0 makes one call, the others another.
func differ(world *mpi.Comm, what string) error {
	zero := isRoot(world)
	few, all := make([]float64, 1), make([]float64, 100000)
	if zero {
		few = make([]float64, 2)
	}
	switch what {
	case "Barrier, long Allreduce":
		if zero {
			return mpi.Barrier(world)
		}
		return mpi.Allreduce(world, all, all, mpi.Sum)
	case "short and long Allreduce":
		if zero {
			all = few
		}
		return mpi.Allreduce(world, all, all, mpi.Sum)
	case "roots of Reduce":
		return mpi.Reduce(world, all, all, mpi.Sum, min(world.Rank(), 1))
	case "long Reduce and Allreduce":
		if zero {
			return mpi.Reduce(world, all, all, mpi.Sum, 0)
		}
		return mpi.Allreduce(world, few, few, mpi.Sum)
	case "Finalize, Barrier":
		if zero {
			return nil
		}
		return mpi.Barrier(world)
	case "a window that one rank does not free":
		w, err := mpi.WinAllocate[int](world, 1)
		if err == nil && zero {
			_, err = mpi.Recv(world, few, 1, 7)
		}
		if err != nil {
			return err
		}
		return w.Free()
	case "other communicators":
		d, err := world.Dup()
		if err != nil {
			return err
		}
		if zero {
			return mpi.Barrier(world)
		}
		return mpi.Barrier(d)
	case "operations":
		if zero {
			return mpi.Allreduce(world, few, few, mpi.Max)
		}
		return mpi.Allreduce(world, few, few, mpi.Sum)
	case "types":
		if zero {
			return mpi.Send(world, all, 1, 7)
		}
		if world.Rank() == 1 {
			_, err := mpi.Recv(world, make([]int64, len(all)), 0, 7)
			return err
		}
		return nil
	}
	return fmt.Errorf("no program %q", what)
}

// What is reported for ranks in different collective calls, as processes: an error if a message or a flag
// shows it, otherwise the report of a hang.
func TestRanksInDifferentCalls(t *testing.T) {
	const (
		order = ": all ranks of a communicator must make the same collective calls in the same order"
		same  = ": the calls differ in type, length, operation or root, or in what was called before"
	)
	for _, c := range []struct {
		what   string
		hangs  bool
		report string
	}{
		{"Barrier, long Allreduce", true, "mismatch: rank 0 in Barrier, ranks 1-2 in Allreduce" + order},
		{"short and long Allreduce", true, "mismatch: rank 0 in Allreduce, ranks 1-2 in Allreduce" + same},
		{"roots of Reduce", true, "mismatch: rank 0 in Reduce, rank"},
		{"long Reduce and Allreduce", true, "mismatch: rank 0 in Reduce, ranks 1-2 in Allreduce" + order},
		{"a window that one rank does not free", true, "\n2     WinFree "},
		{"other communicators", true, "mismatch: rank 0 in Barrier (world), rank"},
		{"other communicators", true, "\n2     Barrier (world.dup1)  0     -    -"},
		{"Finalize, Barrier", false, "; all ranks must make the same collective calls in the same order"},
		{"operations", false, "; all ranks must use the same operation"},
		{"types", false, "the message holds float64, "},
	} {
		t.Run(c.what, func(t *testing.T) {
			args := func(d time.Duration) []string {
				return []string{"-n", "3", "--timeout", d.String(), "-x", playRank + "=differ " + c.what, os.Args[0]}
			}
			if !c.hangs {
				if status, _, err := mpirun(t, args(time.Minute)...); status != 1 || !strings.Contains(err, c.report) {
					t.Errorf("status %d, %s", status, err)
				}
				return
			}
			patiently(t, func(d time.Duration) string {
				status, _, err := mpirun(t, args(d)...)
				if status == 124 && strings.Contains(err, c.report) {
					return ""
				}
				return fmt.Sprintf("status %d, want %q in\n%s", status, c.report, err)
			})
		})
	}
}
