package pair

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"rhinet/bench"
	"rhinet/internal/pmi"
	"rhinet/llc/nics"
	"rhinet/nicemu/fabric"
)

// secondVariable is the environment variable that tells the other processes what to open, placeVariable the
// one that contains the rank of a process and the number of processes.
const (
	secondVariable = "RHINET_BENCH_SECOND"
	placeVariable  = "RHINET_BENCH_PLACE"
)

// grace is how long another process may take to stop after it has been told to.
const grace = 500 * time.Millisecond

var epoch = time.Now()

// now returns the seconds since epoch.
func now() float64 { return time.Since(epoch).Seconds() }

// A Leader is the first process, with the processes that it has started.
type Leader struct {
	*End
	others []*follower
}

// A follower is one of the processes that a leader has started.
type follower struct {
	cmd   *exec.Cmd
	life  io.Closer // its standard input; the follower ends when this is closed
	ended chan error
}

// Lead creates the memory of a job of the given number of nodes and starts the other count-1 processes,
// which get the name of what they are to open from [Second].
func Lead(name string, count, nodes int, g fabric.Geometry, errs io.Writer) (*Leader, error) {
	if os.Getenv(pmi.Variable) != "" {
		return nil, fmt.Errorf("%w: this measurement starts what processes it needs itself; run it without mpirun", bench.ErrInput)
	}
	g.Common = 0 // no measurement reserves any
	file, err := fabric.Create(nodes, g)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := fabric.Map(file)
	if err != nil {
		return nil, err
	}
	if err := nics.Register(nics.Default, f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	l := &Leader{End: NewEnd(f, 0, count)}
	for rank := 1; rank < count; rank++ {
		if err := l.start(name, rank, file, errs); err != nil {
			return nil, errors.Join(fmt.Errorf("cannot start process %d: %w", rank, err), l.Close())
		}
	}
	return l, nil
}

func (l *Leader) start(name string, rank int, file *os.File, errs io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	f := &follower{ended: make(chan error, 1), cmd: exec.Command(self)}
	f.cmd.Env = append(os.Environ(), secondVariable+"="+name, fmt.Sprintf("%s=%d/%d", placeVariable, rank, l.count))
	f.cmd.ExtraFiles = []*os.File{file}
	f.cmd.Stderr = errs
	if f.life, err = f.cmd.StdinPipe(); err == nil {
		err = f.cmd.Start()
	}
	if err != nil {
		return err
	}
	l.others = append(l.others, f)
	go func() {
		err := f.cmd.Wait()
		l.End.End(err)
		f.ended <- err
	}()
	return nil
}

// Close ends the other processes and frees the memory.
func (l *Leader) Close() error {
	l.Stop()
	var err error
	for _, f := range l.others {
		err = errors.Join(err, f.end())
	}
	return errors.Join(err, l.F.Close())
}

// end waits until a process that has been told to stop has ended; after a while it forces it to end.
func (f *follower) end() (err error) {
	defer f.life.Close()
	select {
	case err = <-f.ended:
	case <-time.After(grace):
		_ = f.life.Close() // it waits for this process
		select {
		case err = <-f.ended:
		case <-time.After(10 * grace):
			_ = f.cmd.Process.Kill()
			err = fmt.Errorf("a process of the measurement did not end: %w", <-f.ended)
		}
	}
	return err
}

// Second returns the name that a leader has given to this process when it started it, or "".
func Second() string { return os.Getenv(secondVariable) }

// place returns the rank of this process and the number of processes.
func place() (rank, count int, err error) {
	text := os.Getenv(placeVariable)
	if text == "" {
		return 1, 2, nil
	}
	if _, err := fmt.Sscanf(text, "%d/%d", &rank, &count); err != nil || rank < 1 || rank >= count || count > Most {
		return 0, 0, fmt.Errorf("%s is %q, not one of at most %d processes", placeVariable, text, Most)
	}
	return rank, count, nil
}

// Follow runs the processes other than the first: it opens the side and serves. It ends when standard input
// does, because then the first process is gone.
func Follow(open func(*End) (Side, error)) error {
	rank, count, err := place()
	if err != nil {
		return err
	}
	f, err := fabric.Open(3)
	if err != nil {
		return err
	}
	e := NewEnd(f, rank, count)
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
