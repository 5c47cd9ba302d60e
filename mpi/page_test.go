package mpi_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// mistakes are the programs whose errors docs/mpi.md shows, by how the errors begin. All run on three ranks.
func mistakes() map[string]func(world *mpi.Comm) error {
	return map[string]func(world *mpi.Comm) error{
		"Barrier on world: rank 0": func(world *mpi.Comm) error {
			if world.Rank() == 2 {
				return mpi.Allreduce(world, []int{1}, []int{0}, mpi.Sum)
			}
			return mpi.Barrier(world)
		},
		"Allreduce on world: rank 0": func(world *mpi.Comm) error {
			if world.Rank() == 1 {
				return mpi.Allreduce(world, []int{1, 2}, []int{0, 0}, mpi.Sum)
			}
			return mpi.Allreduce(world, []int{1}, []int{0}, mpi.Sum)
		},
		"Irecv on world from 1 tag 6": func(world *mpi.Comm) error {
			buf := make([]int64, 3)
			switch world.Rank() {
			case 0:
				first := mpi.Irecv(world, buf, 1, 5)
				return mpi.WaitAll(first, mpi.Irecv(world, buf, 1, 6))
			case 1:
				return mpi.WaitAll(mpi.Isend(world, buf, 0, 5), mpi.Isend(world, buf, 0, 6))
			}
			return nil
		},
		"Scatterv on world root 0": func(world *mpi.Comm) error {
			return mpi.Scatterv(world, make([]int, 3), []int{1, 1, 1}, []int{2, 0, 2}, []int{0}, 0)
		},
		"Alltoallw on world": func(world *mpi.Comm) error {
			buf := make([]int, 4)
			send, recv := make([]mpi.Part, 3), make([]mpi.Part, 3)
			for i := range send {
				send[i], recv[i] = mpi.PartOf(buf[i:][:1]), mpi.PartOf(buf[i+1:][:1])
			}
			return mpi.Alltoallw(world, send, recv)
		},
		"Finalize on world": func(world *mpi.Comm) error {
			if world.Rank() == 1 {
				return mpi.Send(world, make([]int64, 3), 0, 5)
			}
			if world.Rank() == 0 { // Finalize looks when the message has arrived
				_, err := mpi.Probe(world, 1, 5)
				return err
			}
			return nil
		},
		"Fence on world.win1": func(world *mpi.Comm) error {
			w, err := mpi.WinAllocate[int64](world, 6)
			if err != nil {
				return err
			}
			if err := w.Fence(); err != nil {
				return err
			}
			switch world.Rank() { // a message orders the two, but not for the window
			case 1:
				if err := w.Put([]int64{1}, 0, 3); err != nil {
					return err
				}
				err = mpi.Send(world, []int64{}, 2, 0)
			case 2:
				if _, err := mpi.Recv(world, []int64{}, 1, 0); err != nil {
					return err
				}
				err = w.Get([]int64{1}, 0, 3)
			}
			if err != nil {
				return err
			}
			if err := w.Fence(); err != nil {
				return err
			}
			return w.Free()
		},
	}
}

var (
	shownErrors = regexp.MustCompile(`(?m)^    mpi: .*\n(    \t.*\n)*`)
	codePlace   = regexp.MustCompile(`[^\s(]*\.go:\d+`)
)

// Every error that docs/mpi.md shows is that of a program which makes the mistake, but for the places in the code.
func TestErrorsOnThePageOfMPI(t *testing.T) {
	page, err := os.ReadFile("../docs/mpi.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := mistakes()
	shown := shownErrors.FindAllString(string(page), -1)
	if len(shown) != len(programs) {
		t.Errorf("the page shows %d errors, and there are %d programs", len(shown), len(programs))
	}
	for _, text := range shown {
		want := codePlace.ReplaceAllString(strings.TrimSpace(strings.ReplaceAll(text, "\n    ", "\n")), "CODE")
		var begin string
		var run func(*mpi.Comm) error
		for b, f := range programs {
			if strings.HasPrefix(want, "mpi: "+b) {
				begin, run = b, f
			}
		}
		if run == nil {
			t.Errorf("no program makes the mistake of %q", want)
			continue
		}
		err := mpitest.World(3, run, mpitest.Patience(10*time.Millisecond))
		if err == nil || !strings.Contains(codePlace.ReplaceAllString(err.Error(), "CODE"), want) {
			t.Errorf("%s: the page shows\n%s\nand the program fails with\n%v", begin, want, err)
		}
	}
}
