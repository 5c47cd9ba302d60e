// Package peer holds the C program that runs the tests of package bench/pmb on
// other MPI runtimes, and compiles it on the spot with their compilers.
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

// CompileCalls is [Compile] of the program that makes single calls for a tracer.
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

// CompileWaits is [Compile] of the library that, preloaded into a program, measures how long its
// ranks are in MPI calls ([ParseWaits]).
func CompileWaits(ctx context.Context, mpicc, dir string) (string, error) {
	return CompileSource(ctx, mpicc, dir, "waits", waits, "-shared", "-fPIC")
}

// CompileShim is [Compile] of the library by which programs in Go run on an MPI (package libmpi).
func CompileShim(ctx context.Context, mpicc, dir string) (string, error) {
	return CompileSource(ctx, mpicc, dir, "shim", libmpi.Source, "-shared", "-fPIC")
}

// computation is what programs include that compute.
//
//go:embed c/compute.h
var computation []byte

// CompileSource is [Compile] of another program, of the given name, with more flags.
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

// Budget writes the time that a size takes as the programs here and in bench/rma take it: in milliseconds.
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

// A Wait is what lies between two calls of MPI_Wtime: how long it is on rank 0 and where it
// is longest, and how much of that ranks were in MPI calls, in seconds.
type Wait struct{ First, Longest, Mean, Most float64 }

// ParseWaits returns the "waits" lines of the library that measures them, in the order of time.
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

// ParseSlow returns what the program's "slow" lines say was left out.
func ParseSlow(text string) (rows []bench.Row) {
	for line := range strings.Lines(text) {
		var r bench.Row
		if n, _ := fmt.Sscanf(line, "slow %s %d %d", &r.Test, &r.Ranks, &r.Bytes); n == 3 {
			rows = append(rows, r)
		}
	}
	return rows
}
