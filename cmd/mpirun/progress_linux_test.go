package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"rhinet/internal/ptytest"
)

// The kernels show their progress if there is a terminal: at the terminal of mpirun, although the ranks
// have none. When they are done it is removed, and without a terminal nothing is shown.
func TestProgressOfKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	user, program := ptytest.Open(t, 97)
	done := make(chan int, 1)
	go func() {
		done <- run([]string{"-n", "2", "--quiet", "--timeout", "1m", "../npb", "-class", "S", "cg", "is"}, streams{null, program, program})
		program.Close()
	}()
	text, _ := io.ReadAll(user) // ends in EIO when the other side is closed
	if status := <-done; status != 0 {
		t.Errorf("status %d", status)
	}
	for _, want := range []string{" CG iteration 1 of 15", " IS iteration 1 of 10"} {
		if !strings.Contains(string(text), want+"\x1b[K\r") {
			t.Errorf("%q is not shown: %q", want, text)
		}
	}
	left := ptytest.Render(string(text))
	if strings.Contains(left, " iteration ") || strings.Count(left, "= ") < 20 || strings.Count(left, "SUCCESSFUL\n") != 4 {
		t.Errorf("the terminal shows in the end:\n%s", left)
	}
	status, out, errs := mpirun(t, "-n", "2", "--quiet", "--timeout", "1m", "../npb", "-class", "S", "cg")
	if status != 0 || errs != "" || strings.ContainsAny(out, "\r\x1b") {
		t.Errorf("without a terminal: status %d, %q, %q", status, out, errs)
	}
}
