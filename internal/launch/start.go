package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"rhinet/internal/integer"
	"rhinet/internal/program"
	"rhinet/internal/wait"
)

// A parent forks the ranks and reaps them, on one thread.
type parent struct {
	plan   *Plan
	ranks  *ranks
	output outputs
	input  *os.File // standard input of rank 0; nil: nothing
	fabric Fabric
	exits  chan<- []exit
	ready  chan<- error // receives one value: nil when every rank runs, otherwise why not
	built  func()       // removes what was built, if it is kept until the end; else nil
}

// outputs take the output of ranks.
type outputs interface {
	// Forward passes on one output of a rank, which comes through a pipe that does not block, and closes the pipe.
	Forward(pipe *os.File, r int, isError bool)
}

// run is the parent's goroutine. It returns when no rank is left. The goroutine stays locked, so its thread
// ends with it.
func (p *parent) run(ctx context.Context) {
	runtime.LockOSThread()
	life, err := newLifeline()
	if err == nil {
		defer life.close()
		err = p.startAll(ctx, life)
	}
	if p.built != nil {
		defer p.built()
	}
	p.ready <- err
	for len(p.ranks.alive()) > 0 {
		if !awaitChild() {
			break
		}
		if ended := p.ranks.reap(); len(ended) > 0 {
			p.exits <- ended
		}
	}
}

// startAll builds the programs and starts every rank. When it returns, nothing is left of what it made for
// the start except the started ranks.
func (p *parent) startAll(ctx context.Context, life *lifeline) error {
	remove, err := program.Build(ctx, p.plan.programs, p.plan.buildFlags())
	if err != nil {
		return err
	}
	if p.plan.debugger != "" {
		p.built = remove // the debugger reads it later
	} else {
		defer remove()
	}
	for i := range p.plan.programs {
		prog := &p.plan.programs[i]
		prog.Static = program.IsStatic(prog.Path)
	}
	p.ranks.begun.Store(true)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	p.plan.loaded = len(p.plan.slots) > p.plan.limit && !wait.Alone()
	envs := make([][]string, len(p.plan.job.Parts))
	for i := range envs {
		envs[i] = p.plan.partEnv(&p.plan.job.Parts[i])
	}
	var bound binder
	defer bound.restore()
	for r, slot := range p.plan.slots {
		if p.ranks.stop.Load() {
			return nil
		}
		if err := bound.bind(slot.Cores); err != nil {
			return fmt.Errorf("cannot bind rank %d to cores %s: %w; --bind-to none does without", p.plan.number(r), integer.Ranges(slot.Cores), err)
		}
		input := null
		if p.plan.number(r) == 0 && p.input != nil {
			input = p.input
		}
		pid, err := p.startRank(r, envs[slot.Part], input, life)
		if err != nil {
			return err
		}
		p.plan.started.Store(true)
		p.ranks.started(r, pid)
		if ended := p.ranks.reap(); len(ended) > 0 {
			p.exits <- ended
		}
	}
	return nil
}

// outputOf makes the pipe for one output of a rank. It returns the rank's end, which the caller closes after the
// fork.
func (p *parent) outputOf(r int, isError bool) (int, error) {
	read, write, err := pipe()
	if err != nil {
		return -1, err
	}
	p.output.Forward(os.NewFile(uintptr(read), "output"), r, isError)
	return write, nil
}

// startRank forks one rank with its own two pipes.
func (p *parent) startRank(r int, common []string, input *os.File, life *lifeline) (pid int, err error) {
	out, err := p.outputOf(r, false)
	if err != nil {
		return 0, startError(r, p.plan, err)
	}
	defer syscall.Close(out)
	errs, err := p.outputOf(r, true)
	if err != nil {
		return 0, startError(r, p.plan, err)
	}
	defer syscall.Close(errs)
	alive, err := life.forRank()
	if err != nil {
		return 0, startError(r, p.plan, err)
	}
	defer syscall.Close(alive)
	slot := p.plan.slots[r]
	part := &p.plan.job.Parts[slot.Part]
	prog := &p.plan.programs[slot.Part]
	if prog.Static {
		defer wait.LendSlack()()
	}
	files := []uintptr{input.Fd(), uintptr(out), uintptr(errs), p.fabric.File().Fd(), uintptr(alive)}
	if o := p.plan.job.Observe; o != nil {
		files = append(files, o.Fd())
	}
	if key := p.plan.away.key; key != nil {
		fd, err := handOver(key)
		if err != nil {
			return 0, startError(r, p.plan, err)
		}
		defer syscall.Close(fd)
		files = append(files, uintptr(fd))
	}
	path, args := p.plan.command(r)
	pid, err = syscall.ForkExec(path, args, &syscall.ProcAttr{
		Dir:   part.Dir,
		Env:   p.plan.rankEnv(common, r),
		Files: files,
		Sys:   rankAttr(),
	})
	if err != nil {
		return 0, startError(r, p.plan, err)
	}
	life.arm(alive, pid)
	return pid, nil
}

// startError describes why a rank could not be started.
func startError(r int, plan *Plan, err error) error {
	prog := &plan.programs[plan.slots[r].Part]
	r = plan.number(r)
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return &refusal{fmt.Sprintf("%s is no program for this machine; a script needs a #! line", prog.Name)}
	case errors.Is(err, syscall.EACCES) && prog.Package != "":
		return &refusal{fmt.Sprintf("%s was built in %s, where nothing may be executed; TMPDIR names another place", prog.Name, os.TempDir())}
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.ENOENT):
		return &refusal{fmt.Sprintf("%s: %v", prog.Name, err)}
	case errors.Is(err, syscall.E2BIG):
		return &refusal{fmt.Sprintf("%s: arguments and environment are too long", prog.Name)}
	case errors.Is(err, syscall.EAGAIN):
		return fmt.Errorf("cannot start rank %d: no more processes allowed; raise ulimit -u", r)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("cannot start rank %d: no more open files allowed; raise ulimit -n", r)
	}
	return fmt.Errorf("cannot start rank %d: %w", r, err)
}

// A refusal is a mistake of the user that is found late: the kernel or another host cannot do what is asked.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// refused reports whether an error is a mistake of the user: a refusal, or one of the go command.
func refused(err error) bool {
	var late *refusal
	var built *program.Refusal
	return errors.As(err, &late) || errors.As(err, &built)
}

// An Unready is an error of [Job.Open] other than lack of memory.
type Unready struct{ Err error }

func (u *Unready) Error() string { return u.Err.Error() }

// Unwrap returns the cause.
func (u *Unready) Unwrap() error { return u.Err }
