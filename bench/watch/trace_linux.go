package watch

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
)

// Of ptrace(2), wait(2): what package syscall does not name.
const (
	traceExitKill  = 0x100000
	waitAll        = 0x40000000 // __WALL
	waitThisThread = 0x20000000 // __WNOTHREAD: children of other threads are not ours to reap
	callStop       = syscall.SIGTRAP | 0x80
)

// trace runs a command to its end and returns how many system calls it and
// all its children made. It fails with errNoTrace where tracing is forbidden.
func trace(ctx context.Context, args []string) (int, error) {
	runtime.LockOSThread() // a tracer is a thread
	defer runtime.UnlockOSThread()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
			return 0, errNoTrace
		}
		return 0, err
	}
	pid := cmd.Process.Pid
	defer cmd.Process.Release()
	stop := context.AfterFunc(ctx, func() { syscall.Kill(pid, syscall.SIGKILL) })
	defer stop()
	t := tracer{root: pid}
	err := t.run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return 0, fmt.Errorf("counting system calls of %s: %w", args[0], err)
	}
	return t.stops / 2, nil // a call stops on entry and on exit
}

// A tracer follows a process and all that it starts.
type tracer struct {
	root  int
	stops int
}

func (t *tracer) run() error {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(t.root, &status, waitAll, nil); err != nil {
		return err
	}
	if !status.Stopped() {
		return errNoTrace
	}
	const follow = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACEFORK |
		syscall.PTRACE_O_TRACEVFORK | syscall.PTRACE_O_TRACEEXEC | traceExitKill
	if err := syscall.PtraceSetOptions(t.root, follow); err != nil {
		syscall.Kill(t.root, syscall.SIGKILL)
		return errNoTrace
	}
	if err := syscall.PtraceSyscall(t.root, 0); err != nil {
		return err
	}
	failed := false
	for {
		pid, err := syscall.Wait4(-1, &status, waitAll|waitThisThread, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.ECHILD:
			if failed {
				return errors.New("the traced command failed")
			}
			return nil
		case err != nil:
			return err
		}
		if pid == t.root && (status.Exited() && status.ExitStatus() != 0 || status.Signaled()) {
			failed = true
		}
		if status.Stopped() {
			t.resume(pid, status)
		}
	}
}

// resume lets a stopped thread go on, with the signal that stopped it unless
// the stop was for the tracer.
func (t *tracer) resume(pid int, status syscall.WaitStatus) {
	signal := 0
	switch s := status.StopSignal(); {
	case s == callStop:
		t.stops++
	case s == syscall.SIGTRAP, s == syscall.SIGSTOP:
		// an event, the start of a new thread
	default:
		signal = int(s)
	}
	// A thread may be gone by now: then there is nothing to resume.
	_ = syscall.PtraceSyscall(pid, signal)
}
