package compare

import (
	"errors"
	"fmt"
	"os"

	"rhinet/bench"
)

// A Saver stores results in files. An incomplete result is stored in a file beside the final one, so that
// an older result is only replaced by a complete one.
type Saver struct{ File string } // "": nothing is kept

// Check returns why results cannot be stored there.
func (s Saver) Check() error {
	if s.File == "" {
		return nil
	}
	for _, file := range []string{s.File, s.Partial()} {
		if err := (bench.Kept{File: file, Kind: "result of bench compare", Is: IsResult}).Check(); err != nil {
			return err
		}
	}
	return nil
}

// Partial is the file for an incomplete result.
func (s Saver) Partial() string { return s.File + ".part" }

// Newest is the file from which to continue.
func (s Saver) Newest() string {
	if _, err := os.Stat(s.Partial()); err == nil {
		return s.Partial()
	}
	return s.File
}

// Part stores what has been measured so far.
func (s Saver) Part(res *Result) error { return s.write(s.Partial(), res) }

// Whole stores the complete result.
func (s Saver) Whole(res *Result) error {
	if err := s.write(s.File, res); err != nil || s.File == "" {
		return err
	}
	if err := os.Remove(s.Partial()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the result is whole, but what was kept before stays: %w; remove it", err)
	}
	return nil
}

func (s Saver) write(file string, res *Result) error {
	if s.File == "" {
		return nil
	}
	return bench.Replace(file, func(out *os.File) error { return res.Encode(out) })
}
