package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Kernels are compared in all modes, using the time that they report.
func TestCostOfPrograms(t *testing.T) {
	status, out, errs := process(t, "cost", "programs", "--kernels", "is,ft", "--classes", "s", "--rounds", "2", "--format", "csv", "--quiet")
	if status != 0 {
		t.Fatalf("status %d, errors %q", status, errs)
	}
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 3 || rows[1][0] != "IS.S" || rows[2][0] != "FT.S" || !slices.Equal(rows[0][3:8], []string{"plain", "--stats", "--trace", "--check", "--stats / plain"}) {
		t.Fatalf("%v, %v", rows, err)
	}
	for _, row := range rows[1:] {
		for _, figure := range row[3:10] {
			if v, err := strconv.ParseFloat(figure, 64); err != nil || v <= 0 {
				t.Errorf("%q in %v", figure, row)
			}
		}
	}
}

// A flag that mpirun refuses is wrong input, reported with mpirun's message.
func TestCostOfRefusedFlags(t *testing.T) {
	mpirun := filepath.Join(t.TempDir(), "mpirun")
	if err := os.WriteFile(mpirun, []byte("#!/bin/sh\ncase \"$1\" in --trace) echo mpirun: no traces here; exit 2;; esac\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	status, _, errs := process(t, "cost", "programs", "--classes", "S", "--mpirun", mpirun, "--npb", mpirun)
	if status != statusUsage || errs != "bench: --trace: mpirun: no traces here\n" {
		t.Errorf("status %d, errors %q", status, errs)
	}
}
