package main

import (
	"errors"
	"fmt"
	"os"

	"rhinet/bench"
	"rhinet/bench/compare"
)

// A saver keeps results in files. A result that is not whole stands beside
// its place, so that an older one is lost only to a whole new one.
type saver struct{ file string }

func newSaver(file string) *saver { return &saver{file} }

// check reports why results cannot be kept there.
func (s *saver) check() error {
	if s.file == "" {
		return nil
	}
	for _, file := range []string{s.file, s.partial()} {
		if err := (bench.Kept{File: file, Kind: "result of bench compare", Is: compare.IsResult}).Check(); err != nil {
			return err
		}
	}
	return nil
}

// partial is the name of the file of what is not whole.
func (s *saver) partial() string { return s.file + ".part" }

// newest is the file to continue.
func (s *saver) newest() string {
	if _, err := os.Stat(s.partial()); err == nil {
		return s.partial()
	}
	return s.file
}

// part keeps what was measured so far.
func (s *saver) part(res *compare.Result) error { return s.write(s.partial(), res) }

// whole puts the result in its place.
func (s *saver) whole(res *compare.Result) error {
	if err := s.write(s.file, res); err != nil || s.file == "" {
		return err
	}
	if err := os.Remove(s.partial()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the result is whole, but what was kept before stays: %w; remove it", err)
	}
	return nil
}

func (s *saver) write(file string, res *compare.Result) error {
	if s.file == "" {
		return nil
	}
	return bench.Replace(file, func(out *os.File) error { return res.Encode(out) })
}
