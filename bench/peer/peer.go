// Package peer holds the C program that runs the tests of package bench/pmb on
// other MPI runtimes, and compiles it on the spot with their compilers.
package peer

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"rhinet/bench"
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

// CompileSource is [Compile] of another program, of the given name.
func CompileSource(ctx context.Context, mpicc, dir, name string, source []byte) (string, error) {
	bin := filepath.Join(dir, name+"-"+filepath.Base(mpicc))
	file := filepath.Join(dir, name+".c")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		return "", err
	}
	if text, err := exec.CommandContext(ctx, mpicc, "-O3", "-o", bin, file).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s cannot compile the peers' program: %v\n%s", mpicc, err, text)
	}
	return bin, nil
}

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
