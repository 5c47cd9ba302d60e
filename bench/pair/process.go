package pair

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"rhinet/nicemu/fabric"
)

// secondVariable names, in the environment of the second process, what it
// opens; jobVariable is how a launcher's rank is known.
const (
	secondVariable = "RHINET_BENCH_SECOND"
	jobVariable    = "RHINET_JOB"
)

// grace is how long the second process may take to see that it is to stop.
const grace = 500 * time.Millisecond

var epoch = time.Now()

// now returns seconds.
func now() float64 { return time.Since(epoch).Seconds() }

// A Leader is the first process and what it has started.
type Leader struct {
	*End
	cmd   *exec.Cmd
	life  io.Closer // the second's standard input: its end is the second's
	ended chan error
}

// Lead creates the memory of a job of so many nodes and starts the second
// process, which learns the name of what to open from [Second].
func Lead(name string, nodes int, g fabric.Geometry, errs io.Writer) (*Leader, error) {
	if os.Getenv(jobVariable) != "" {
		return nil, fmt.Errorf("%w: this measurement starts its own second process; run it without mpirun", ErrInput)
	}
	file, err := fabric.Create(nodes, g)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := fabric.Map(file)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	l := &Leader{End: NewEnd(f, 0), ended: make(chan error, 1), cmd: exec.Command(self)}
	l.cmd.Env = append(os.Environ(), secondVariable+"="+name)
	l.cmd.ExtraFiles = []*os.File{file}
	l.cmd.Stderr = errs
	if l.life, err = l.cmd.StdinPipe(); err == nil {
		err = l.cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot start the second process: %w", err), f.Close())
	}
	go func() {
		err := l.cmd.Wait()
		l.End.End(err)
		l.ended <- err
	}()
	return l, nil
}

// Close ends the second process and gives the memory back.
func (l *Leader) Close() error {
	l.Stop()
	var err error
	select {
	case err = <-l.ended:
	case <-time.After(grace):
		_ = l.life.Close() // it waits for this process
		select {
		case err = <-l.ended:
		case <-time.After(10 * grace):
			_ = l.cmd.Process.Kill()
			err = fmt.Errorf("the second process did not end: %w", <-l.ended)
		}
	}
	_ = l.life.Close()
	return errors.Join(err, l.F.Close())
}

// Second returns the name that this process was started with as a second
// process, or "".
func Second() string { return os.Getenv(secondVariable) }

// Follow is the life of the second process: it opens its side and serves. It
// ends when its standard input does, since then the first process is gone.
func Follow(open func(*End) (Side, error)) error {
	f, err := fabric.Open(3)
	if err != nil {
		return err
	}
	e := NewEnd(f, 1)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		e.End(nil)
	}()
	side, err := open(e)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	err = errors.Join(e.Serve(side), side.Close(), f.Close())
	if err != nil {
		err = errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return err
}
