package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"rhinet/bench"
	"rhinet/bench/host"
)

// A Session is a comparison whose result is stored and printed.
type Session struct {
	Options
	Saver
	Continue bool     // continue the stored result, which must exist
	Left     []string // what the plan leaves out, and why
	Format   string   // of Formats
	Measured func()   // called before anything is printed, if not nil
}

// Run measures, stores the result after each round and at the end, and prints it. If there is an error,
// what was measured before it is stored and printed, too.
func (s Session) Run(ctx context.Context, all []Runtime, out io.Writer) error {
	if err := distinct(all); err != nil {
		return bench.Input(err)
	}
	if s.Continue {
		if _, err := os.Stat(s.Newest()); errors.Is(err, fs.ErrNotExist) {
			return bench.Input(fmt.Errorf("--resume: there is no %s to continue; leave --resume out to make it", s.File))
		}
		var err error
		if s.Previous, err = Resume(s.Newest(), all, s.Options); err != nil {
			return bench.Input(fmt.Errorf("--resume: %w", err))
		}
	}
	s.Calibrate, s.Save = host.Calibrate, s.Part
	res, err := Run(ctx, all, s.Options)
	if s.Measured != nil {
		s.Measured()
	}
	for _, n := range s.Left {
		if n = "left out: " + n; !slices.Contains(res.Notes, n) { // a continued result may have the note already
			res.Notes = append(res.Notes, n)
		}
	}
	if err != nil {
		return s.broken(res, err, out)
	}
	if err := s.Whole(res); err != nil {
		return err
	}
	return res.Write(out, s.Format)
}

// broken stores and prints the result of a comparison that has not been completed.
func (s Session) broken(res *Result, cause error, out io.Writer) error {
	if errors.Is(cause, context.Canceled) {
		cause = errors.New("interrupted")
	}
	if len(res.Samples) == 0 {
		return cause
	}
	if err := s.Part(res); err != nil {
		return errors.Join(cause, err)
	}
	if s.File != "" {
		cause = fmt.Errorf("%w; what was measured is in %s, --resume continues it", cause, s.Partial())
	}
	return errors.Join(cause, res.Write(out, s.Format))
}

// distinct reports runtimes with the same name.
func distinct(all []Runtime) error {
	for i, r := range all {
		if slices.ContainsFunc(all[:i], func(o Runtime) bool { return o.Name == r.Name }) {
			return fmt.Errorf("two runtimes are called %s; name each once, and give folders of originals different names", r.Name)
		}
	}
	return nil
}

// Variants makes a runtime of each setting that mpirun accepts for a program on the largest number of ranks
// of any cell. If mpirun refuses a setting, its message is the error.
func Variants(ctx context.Context, settings []Setting, mpirun, program string, cells []Cell, runtime func(Setting) Runtime) (all []Runtime, err error) {
	most := 1
	for _, c := range cells {
		most = max(most, c.Ranks)
	}
	for _, s := range settings {
		if err := s.Try(ctx, mpirun, most, program); err != nil {
			return nil, err
		}
		all = append(all, runtime(s))
	}
	return all, nil
}
