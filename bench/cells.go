package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"rhinet/internal/parallel"
)

// Cells are the parts of a long run. Their results are kept in a folder, so that an interrupted run can be
// continued.
type Cells[C fmt.Stringer, R any] struct {
	Dir   string // results are in its folder "cells", a file for each cell
	Jobs  int    // cells in parallel; 0: 1
	Setup func(C) string
	Of    func(R) string // the setup with which a result was made
	Run   func(context.Context, C) (R, error)
}

func (s *Cells[C, R]) folder() string { return filepath.Join(s.Dir, "cells") }

// File is the file with the result of a cell.
func (s *Cells[C, R]) File(c C) string { return filepath.Join(s.folder(), c.String()+".json") }

// kept returns the stored result of a cell, if it was made with the same setup.
func (s *Cells[C, R]) kept(c C) (res R, there bool, err error) {
	text, err := os.ReadFile(s.File(c))
	if errors.Is(err, fs.ErrNotExist) {
		return res, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &res)
	}
	if err != nil {
		return res, false, fmt.Errorf("%s: %w; remove it", s.File(c), err)
	}
	if of, want := s.Of(res), s.Setup(c); of != want {
		return res, false, fmt.Errorf("%s is of another study (%s, not %s); give another folder", s.File(c), of, want)
	}
	return res, true, nil
}

// All runs the cells that have no result yet, and reports each that has a result. If a cell fails, the
// others still run, and then All returns the error.
func (s *Cells[C, R]) All(ctx context.Context, cells []C, report func(R)) error {
	if err := os.MkdirAll(s.folder(), 0o777); err != nil {
		return err
	}
	var todo []C
	for _, c := range cells {
		res, there, err := s.kept(c)
		if err != nil {
			return err
		}
		if there {
			report(res)
			continue
		}
		todo = append(todo, c)
	}
	return s.run(ctx, todo, report)
}

// run runs the cells, s.Jobs in parallel.
func (s *Cells[C, R]) run(ctx context.Context, todo []C, report func(R)) error {
	var mu sync.Mutex
	var errs []error
	ended := parallel.Each(ctx, len(todo), s.Jobs, func(ctx context.Context, i int) error {
		res, err := s.cell(ctx, todo[i])
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			errs = append(errs, fmt.Errorf("%v: %w", todo[i], err)) // the others go on
		} else {
			report(res)
		}
		return nil
	})
	return errors.Join(append(errs, ended)...)
}

// cell runs one cell and stores its result.
func (s *Cells[C, R]) cell(ctx context.Context, c C) (R, error) {
	res, err := s.Run(ctx, c)
	if err != nil {
		return res, err
	}
	text, err := json.Marshal(res)
	if err != nil {
		return res, err
	}
	return res, os.WriteFile(s.File(c), append(text, '\n'), 0o666)
}
