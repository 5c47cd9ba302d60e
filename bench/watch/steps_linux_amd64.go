package watch

import (
	"context"
	"syscall"
)

// breakpoint is the instruction int3.
const breakpoint = 0xcc

// A stepper counts the instructions that threads execute between two breakpoints.
type stepper struct {
	started bool             // the command has started, whose first stop is not counted
	under   map[int]*stretch // threads between breakpoints
	counts  []int
}

// A stretch is the instructions of a thread since a breakpoint.
type stretch struct {
	steps int
	at    uint64 // the next instruction
}

// steps runs a command and everything that it starts, and returns the numbers of instructions between each
// breakpoint reached by a thread and the next one.
func steps(ctx context.Context, args []string) ([]int, error) {
	s := stepper{under: map[int]*stretch{}}
	err := follow(ctx, "single steps", args, calm, s.resume)
	return s.counts, err
}

// resume lets a stopped thread continue, by one instruction if it is between breakpoints.
func (s *stepper) resume(pid int, status syscall.WaitStatus) {
	signal := 0
	switch stop := status.StopSignal(); {
	case stop == syscall.SIGTRAP && status.TrapCause() == 0 && s.started:
		s.trapped(pid)
	case stop == syscall.SIGTRAP, stop == syscall.SIGSTOP:
		// an event, the start of a new thread
	default:
		signal = int(stop)
	}
	s.started = true
	request := syscall.PTRACE_CONT
	if _, between := s.under[pid]; between {
		request = syscall.PTRACE_SINGLESTEP
	}
	// The thread may be gone by now: then there is nothing to resume.
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PTRACE, uintptr(request), uintptr(pid), 0, uintptr(signal), 0, 0)
}

// trapped counts a step, or begins or ends a count.
func (s *stepper) trapped(pid int) {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(pid, &regs) != nil {
		return // the thread is gone
	}
	switch t := s.under[pid]; {
	case t == nil && isBreakpoint(pid, regs.Rip-1):
		s.under[pid] = &stretch{at: regs.Rip}
	case t == nil:
		// a signal that somebody sent
	case regs.Rip == t.at+1 && isBreakpoint(pid, t.at):
		s.counts = append(s.counts, t.steps)
		delete(s.under, pid)
	default:
		t.steps++
		t.at = regs.Rip
	}
}

// isBreakpoint reports whether the instruction at an address is a breakpoint.
func isBreakpoint(pid int, at uint64) bool {
	var b [1]byte
	_, err := syscall.PtracePeekText(pid, uintptr(at), b[:])
	return err == nil && b[0] == breakpoint
}
