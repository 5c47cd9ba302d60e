package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// Constants of ptrace(2) and wait(2) that package syscall does not define.
const (
	traceExitKill  = 0x100000
	waitAll        = 0x40000000 // __WALL
	waitThisThread = 0x20000000 // __WNOTHREAD: children of other threads are not ours to reap
	callStop       = syscall.SIGTRAP | 0x80
)

// trace runs a command to its end and returns how many system calls it and all its children made. It fails
// with errNoTrace where tracing is forbidden.
func trace(ctx context.Context, args []string) (int, error) {
	stops := 0
	err := follow(ctx, "system calls", args, nil, func(pid int, status syscall.WaitStatus) {
		signal := 0
		switch s := status.StopSignal(); {
		case s == callStop:
			stops++
		case s == syscall.SIGTRAP, s == syscall.SIGSTOP:
			// an event, the start of a new thread
		default:
			signal = int(s)
		}
		// The thread may be gone by now: then there is nothing to resume.
		_ = syscall.PtraceSyscall(pid, signal)
	})
	return stops / 2, err // a call stops on entry and on exit
}

// follow runs a command, with env added to its environment, to its end, and calls resume whenever a thread
// of it, or of a process that it starts, stops for the tracer. resume must let the thread continue, with
// the signal that stopped it unless the stop was for the tracer. what names what is counted, for errors.
func follow(ctx context.Context, what string, args, env []string, resume func(pid int, status syscall.WaitStatus)) error {
	runtime.LockOSThread() // a tracer is a thread
	defer runtime.UnlockOSThread()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
			return errNoTrace
		}
		return err
	}
	pid := cmd.Process.Pid
	defer cmd.Process.Release()
	stop := context.AfterFunc(ctx, func() { syscall.Kill(pid, syscall.SIGKILL) })
	defer stop()
	err := attend(pid, resume)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("counting %s of %s: %w", what, args[0], err)
	}
	return nil
}

// attend follows the process root and everything that it starts.
func attend(root int, resume func(pid int, status syscall.WaitStatus)) error {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(root, &status, waitAll, nil); err != nil {
		return err
	}
	if !status.Stopped() {
		return errNoTrace
	}
	const follow = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACEFORK |
		syscall.PTRACE_O_TRACEVFORK | syscall.PTRACE_O_TRACEEXEC | traceExitKill
	if err := syscall.PtraceSetOptions(root, follow); err != nil {
		syscall.Kill(root, syscall.SIGKILL)
		return errNoTrace
	}
	resume(root, status)
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
		if pid == root && (status.Exited() && status.ExitStatus() != 0 || status.Signaled()) {
			failed = true
		}
		if status.Stopped() {
			resume(pid, status)
		}
	}
}
