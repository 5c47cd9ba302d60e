package traffic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Job is one run of a program of this package on several processes.
type Job struct {
	Ranks   int
	NIC     string   // as mpirun takes it; empty: the default
	Env     []string // NAME=VALUE
	Timeout time.Duration
	Args    []string // of the program, after "traffic"
}

// RanksOf returns the number of ranks, out of those offered, on which a seed is run.
func RanksOf(seed uint64, offered []int) int {
	return offered[rand.New(rand.NewPCG(seed, 0x4a6b)).IntN(len(offered))]
}

// Command returns the command that runs the job, given the names of the two programs.
func (j *Job) Command(mpirun, bench string) []string {
	words := []string{mpirun, "-q", "-n", strconv.Itoa(j.Ranks), "--timeout", j.Timeout.String()}
	if j.NIC != "" {
		words = append(words, "--nic", j.NIC)
	}
	return append(append(words, bench, "traffic"), j.Args...)
}

// String returns the job as a user would write it.
func (j *Job) String() string {
	return strings.Join(append(slices.Clone(j.Env), j.Command("mpirun", "bench")...), " ")
}

// Failures of a job.
var (
	ErrHang      = errors.New("the job did not end in time: it hangs, or the machine is too busy")
	ErrViolation = errors.New("the job failed")
)

// statusTimeout is mpirun's exit status after a timeout.
const statusTimeout = 124

// mostOutput is how many bytes of a failed job's output an error keeps.
const mostOutput = 8 << 10

// Run runs the job with the two programs at the given paths. The error wraps ErrHang or ErrViolation and
// contains the job's output, or it is that of ctx. A job that prints anything to standard error has failed.
func (j *Job) Run(ctx context.Context, mpirun, bench string) error {
	words := j.Command(mpirun, bench)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = append(append(os.Environ(), "RHINET_DEBUG=1"), j.Env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case cmd.ProcessState == nil:
		return err
	case cmd.ProcessState.ExitCode() == statusTimeout:
		return j.failure(ErrHang, errs.Bytes())
	case err != nil || errs.Len() > 0:
		return j.failure(ErrViolation, append(errs.Bytes(), out.Bytes()...))
	}
	return nil
}

func (j *Job) failure(kind error, said []byte) error {
	if len(said) > mostOutput {
		said = append(said[:mostOutput:mostOutput], "\n..."...)
	}
	return fmt.Errorf("%w\nrepeat it with: %v\n%s", kind, j, bytes.TrimSpace(said))
}
