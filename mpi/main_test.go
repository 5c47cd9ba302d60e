package mpi_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"rhinet/mpi"
)

// programs are those that this test binary runs when it is started as a program.
var programs = map[string]func(world *mpi.Comm) error{
	"good": func(w *mpi.Comm) error {
		sum := []float64{0}
		if err := mpi.Allreduce(w, []float64{3}, sum, mpi.Sum); err != nil {
			return err
		}
		fmt.Println(w.Rank(), w.Size(), sum[0], os.Getenv("RHINET_JOB"))
		return nil
	},
	"fails":  func(*mpi.Comm) error { return errors.New("no input file") },
	"panics": func(*mpi.Comm) error { panic("out of cheese") },
	"exits":  func(*mpi.Comm) error { runtime.Goexit(); return nil },
	"aborts": func(w *mpi.Comm) error { mpi.Abort(w, 7); return nil },
	"twice": func(*mpi.Comm) error {
		_, err := mpi.Init()
		return err
	},
	"after": func(w *mpi.Comm) error {
		if err := mpi.Finalize(w); err != nil {
			return err
		}
		_, err := mpi.Init()
		return err
	},
	"finalizes": mpi.Finalize,
	"nothing":   nil,

	"handles nil comm":    func(*mpi.Comm) error { mpi.ErrorsAbort((*mpi.Comm)(nil), nil); return nil },
	"handles nil window":  func(*mpi.Comm) error { mpi.ErrorsAbort((*mpi.Win[int])(nil), nil); return nil },
	"handles no window":   func(*mpi.Comm) error { mpi.ErrorsAbort(mpi.AnyWin(nil), nil); return nil },
	"handles nil session": func(*mpi.Comm) error { mpi.ErrorsAbort((*mpi.Session)(nil), nil); return nil },

	"forgets": func(w *mpi.Comm) error {
		mpi.Irecv(w, []int{0}, 0, 5)
		return nil
	},
}

const programVariable = "MPI_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if run, ok := programs[os.Getenv(programVariable)]; ok {
		mpi.Main(run)
		fmt.Println("main returned")
		return
	}
	// Tests that run in parallel mostly wait, so more of them than processors should, unless a flag says otherwise.
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

const errorOfNil = "mpi: ErrorsAbort: the object is nil, so this process alone ends; pass a communicator, a window or a session to end the job, for the error: <nil>\n"

// A program started alone is a world of one rank; its status is how it ends.
func TestHowProgramsEnd(t *testing.T) {
	for _, tc := range []struct {
		program string
		env     string
		status  int
		out     string
		stderr  []string
	}{
		{"good", "", 0, "0 1 3 \nmain returned\n", nil},
		{"finalizes", "", 0, "main returned\n", nil},
		{"fails", "", 1, "", []string{"rank 0: no input file\n"}},
		{"panics", "", 2, "", []string{"rank 0: panic: out of cheese\n", "main_test.go:"}},
		{"exits", "", 2, "", []string{"rank 0: the program ended its goroutine with runtime.Goexit, as t.Fatal of package testing does; return an error instead\n", "main_test.go:"}},
		{"nothing", "", 1, "", []string{"mpi: Main: the function is nil; pass the one that is to run on every rank\n"}},
		{"aborts", "", 7, "", nil},
		{"handles nil comm", "", 1, "", []string{errorOfNil}},
		{"handles nil window", "", 1, "", []string{errorOfNil}},
		{"handles no window", "", 1, "", []string{errorOfNil}},
		{"handles nil session", "", 1, "", []string{errorOfNil}},
		{"twice", "", 1, "", []string{"rank 0: mpi: Init: the process has called Init before; pass on its communicator\n"}},
		{"after", "", 1, "", []string{"rank 0: mpi: Init: the process has called Finalize; Init can be called only once\n"}},
		{"forgets", "RHINET_DEBUG=1", 1, "", []string{"1 request was never completed", "Irecv on world from 0 tag 5: 8 bytes (", "main_test.go:"}},
		{"good", "PMI_SIZE=2", 1, "", []string{"mpi: Init: PMI_SIZE=2 shows that another launcher"}},
		{"good", "RHINET_JOB=junk", 1, "", []string{`mpi: Init: RHINET_JOB is "junk"`}},
		{"good", "RHINET_JOB=version=1 rank=0 size=2 fabric=0", 1, "", []string{"mpi: Init: fabric: descriptor 0 is not a job's memory"}},
		{"good", "RHINET_JOB=version=1 rank=0 size=2 fabric=0 life=77", 1, "", []string{"mpi: Init: RHINET_JOB: life=77 is not an open descriptor"}},
		{"good", "RHINET_NIC=pigeon", 1, "", []string{`mpi: Init: RHINET_NIC=pigeon: no such network interface; there is `}},
		{"good", "RHINET_CMA=maybe", 1, "", []string{`mpi: Init: RHINET_CMA: cross-memory attach "maybe"; it is auto, on or off`}},
		{"good", "RHINET_HUGEPAGES=on", 1, "", []string{`mpi: Init: RHINET_HUGEPAGES: huge pages "on"; it is auto or off`}},
		{"good", "RHINET_COLL=sing=chain", 1, "", []string{`mpi: Init: RHINET_COLL: no operation "sing"; there are barrier, `}},
		{"good", "RHINET_COLL=bcast", 1, "", []string{`mpi: Init: RHINET_COLL: "bcast" is not operation=algorithm, such as bcast=chain`}},
		{"good", "RHINET_COLL=bcast=pigeon", 1, "", []string{`mpi: Init: RHINET_COLL: no algorithm "pigeon" for bcast; there are exchange, `}},
	} {
		t.Run(tc.program+" "+tc.env, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), programVariable+"="+tc.program, "GOCOVERDIR="+t.TempDir())
			if tc.env != "" {
				cmd.Env = append(cmd.Env, tc.env)
			}
			var out, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &stderr
			cmd.Run() // the status is below
			if got := cmd.ProcessState.ExitCode(); got != tc.status {
				t.Errorf("status %d, want %d", got, tc.status)
			}
			if out.String() != tc.out {
				t.Errorf("printed %q, want %q", out.String(), tc.out)
			}
			for _, part := range tc.stderr {
				if !strings.Contains(stderr.String(), part) {
					t.Errorf("standard error %q lacks %q", stderr.String(), part)
				}
			}
			if tc.stderr == nil && stderr.Len() > 0 {
				t.Errorf("standard error is %q", stderr.String())
			}
		})
	}
}
