// Package peer contains the C program that runs the tests of package bench/pmb on other MPI runtimes. It
// compiles the program with their compilers when it is needed.
package peer

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"rhinet/bench"
	"rhinet/internal/libmpi"
)

//go:embed c/peer.c
var source []byte

//go:embed c/calls.c
var calls []byte

// CompileCalls does the same as [Compile] with the program that makes single calls for a tracer.
func CompileCalls(ctx context.Context, mpicc, dir string) (string, error) {
	return CompileSource(ctx, mpicc, dir, "calls", calls)
}

// Compile builds the program with the C compiler driver mpicc into dir and
// returns its path.
func Compile(ctx context.Context, mpicc, dir string) (string, error) {
	return CompileSource(ctx, mpicc, dir, "peer", source)
}

//go:embed c/waits.c
var waits []byte

// CompileWaits does the same as [Compile] with the library that, preloaded into a program, measures how
// long its ranks are in MPI calls ([ParseWaits]).
func CompileWaits(ctx context.Context, mpicc, dir string) (string, error) {
	return CompileSource(ctx, mpicc, dir, "waits", waits, "-shared", "-fPIC")
}

// CompileShim does the same as [Compile] with the library through which Go programs use an MPI (libmpi).
func CompileShim(ctx context.Context, mpicc, dir string) (string, error) {
	return CompileSource(ctx, mpicc, dir, "shim", libmpi.Source, "-shared", "-fPIC")
}

// computation is a header for programs that compute.
//
//go:embed c/compute.h
var computation []byte

// CompileSource does the same as [Compile] with another program, which has the given name; flags are added
// to those of the compiler.
func CompileSource(ctx context.Context, mpicc, dir, name string, source []byte, flags ...string) (string, error) {
	bin := filepath.Join(dir, name+"-"+filepath.Base(mpicc))
	file := filepath.Join(dir, name+".c")
	if err := errors.Join(os.WriteFile(file, source, 0o600), os.WriteFile(filepath.Join(dir, "compute.h"), computation, 0o600)); err != nil {
		return "", err
	}
	args := append([]string{"-O3", "-o", bin, file}, flags...)
	if text, err := exec.CommandContext(ctx, mpicc, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s cannot compile the peers' program: %v\n%s", mpicc, err, text)
	}
	return bin, nil
}

// Budget writes the time limit of one size in the form that the programs here and in bench/rma expect: in
// milliseconds.
func Budget(d time.Duration) string { return strconv.FormatFloat(d.Seconds()*1e3, 'f', 3, 64) }

// Parse reads the program's "row" lines.
func Parse(text string) ([]bench.Row, error) {
	var rows []bench.Row
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 6 || f[0] != "row" {
			continue
		}
		r := bench.Row{Test: f[1]}
		var errs [4]error
		r.Ranks, errs[0] = strconv.Atoi(f[2])
		r.Bytes, errs[1] = strconv.Atoi(f[3])
		r.Repetitions, errs[2] = strconv.Atoi(f[4])
		r.Microsecs, errs[3] = strconv.ParseFloat(f[5], 64)
		for _, err := range errs {
			if err != nil {
				return nil, fmt.Errorf("peer's line %q: %w", strings.TrimSpace(line), err)
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// A Wait is the interval between two calls of MPI_Wtime, in seconds: its length on rank 0 and on the rank
// where it is longest, and the mean and largest time that ranks spent in MPI calls during it.
type Wait struct{ First, Longest, Mean, Most float64 }

// ParseWaits returns the "waits" lines that the library prints, in the order of time.
func ParseWaits(text string) (list []Wait) {
	for line := range strings.Lines(text) {
		var w Wait
		if n, _ := fmt.Sscanf(line, "waits %g %g %g %g", &w.First, &w.Longest, &w.Mean, &w.Most); n == 4 {
			list = append(list, w)
		}
	}
	return list
}

// ParseHello returns the largest resident set, in KiB, of the "hello RANK
// KIBIBYTES" lines in text, and how many there were.
func ParseHello(text string) (kib float64, ranks int) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) != 3 || f[0] != "hello" {
			continue
		}
		if v, err := strconv.ParseFloat(f[2], 64); err == nil {
			kib = max(kib, v)
			ranks++
		}
	}
	return kib, ranks
}

// ParseSlow returns the cells that the program left out, from its "slow" lines.
func ParseSlow(text string) (rows []bench.Row) {
	for line := range strings.Lines(text) {
		var r bench.Row
		if n, _ := fmt.Sscanf(line, "slow %s %d %d", &r.Test, &r.Ranks, &r.Bytes); n == 3 {
			rows = append(rows, r)
		}
	}
	return rows
}
