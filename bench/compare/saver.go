package compare

import (
	"errors"
	"fmt"
	"os"

	"rhinet/bench"
)

// A Saver keeps results in files. A result that is not whole stands beside
// its place, so that an older one is lost only to a whole new one.
type Saver struct{ File string } // "": nothing is kept

// Check reports why results cannot be kept there.
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

// Partial is the name of the file of what is not whole.
func (s Saver) Partial() string { return s.File + ".part" }

// Newest is the file to continue.
func (s Saver) Newest() string {
	if _, err := os.Stat(s.Partial()); err == nil {
		return s.Partial()
	}
	return s.File
}

// Part keeps what was measured so far.
func (s Saver) Part(res *Result) error { return s.write(s.Partial(), res) }

// Whole puts the result in its place.
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
