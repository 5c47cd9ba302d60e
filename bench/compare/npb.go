package compare

import (
	"debug/elf"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mops is the unit of the NAS Parallel Benchmarks: 10^6 operations a second.
const mops = "Mop/s"

// kernelNames and classNames are what the NAS Parallel Benchmarks offer.
var (
	kernelNames = []string{"bt", "cg", "ep", "ft", "is", "lu", "mg", "sp"}
	classNames  = []string{"S", "W", "A", "B", "C", "D"}
)

// NPB plans the NAS Parallel Benchmarks: every kernel in every class on every
// number of ranks that it can run on. skipped says which it cannot. An unknown
// name is an error that lists the right ones.
func NPB(kernels, classes []string, ranks []int) (cells []Cell, skipped []string, err error) {
	if len(kernels) == 0 || slices.Equal(kernels, []string{"all"}) {
		kernels = kernelNames
	}
	for _, class := range classes {
		if !slices.Contains(classNames, class) {
			return nil, nil, fmt.Errorf("unknown class %q; the classes are %s", class, strings.Join(classNames, ", "))
		}
	}
	for _, k := range kernels {
		k = strings.ToLower(k)
		if !slices.Contains(kernelNames, k) {
			return nil, nil, fmt.Errorf("unknown kernel %q; the kernels are %s", k, strings.Join(kernelNames, ", "))
		}
		for _, class := range classes {
			for _, n := range ranks {
				switch rule := countRule(k, n); {
				case n < 1:
					return nil, nil, fmt.Errorf("%d is no number of ranks", n)
				case rule != "":
					skipped = append(skipped, fmt.Sprintf("%s.%s on %d ranks: it needs %s", strings.ToUpper(k), class, n, rule))
				default:
					cells = append(cells, Cell{strings.ToUpper(k) + "." + class, n, []int{0}})
				}
			}
		}
	}
	if len(cells) == 0 {
		return nil, nil, fmt.Errorf("nothing to measure: %s", strings.Join(skipped, "; "))
	}
	return cells, skipped, nil
}

// countRule returns what kernel needs of the number of ranks, or nothing if n will do.
func countRule(kernel string, n int) string {
	root := int(math.Sqrt(float64(n)) + 0.5)
	switch {
	case kernel == "ep":
	case kernel == "bt" || kernel == "sp":
		if root*root != n {
			return "a square: 1, 4, 9, 16"
		}
	case n&(n-1) != 0:
		return "a power of two: 1, 2, 4, 8, 16"
	}
	return ""
}

// OursNPB is this runtime with a setting, running the kernels of the program npb.
func OursNPB(mpirun, npb string, s Setting) Runtime {
	return Runtime{
		Name: s.Name,
		command: func(job []Cell, _ time.Duration) []string {
			c := job[0]
			kernel, class, _ := strings.Cut(c.Test, ".")
			args := append([]string{mpirun}, s.flags()...)
			return append(args, "-n", strconv.Itoa(c.Ranks), npb, "-class", class, strings.ToLower(kernel))
		},
		read: readNAS,
		env:  s.Env,
	}
}

// executable is how compiled kernels are called: cg.A.x, or cg.A.2 for those
// compiled for a number of ranks.
var executable = regexp.MustCompile(`^(bt|cg|ep|ft|is|lu|mg|sp)\.([SWABCD])\.(x|[0-9]+)$`)

// Reference is the compiled kernels of a folder under their MPI: that of
// mpi (openmpi or mpich), or, if mpi is empty, the one they are linked with.
func Reference(dir, mpi string) (Runtime, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Runtime{}, fmt.Errorf("--reference: %w", err)
	}
	files := map[string]string{} // cg.A.x -> path
	for _, e := range entries {
		if m := executable.FindStringSubmatch(e.Name()); m != nil {
			path, err := filepath.Abs(filepath.Join(dir, e.Name()))
			if err != nil {
				return Runtime{}, err
			}
			files[e.Name()] = path
			if mpi == "" {
				if mpi, err = linkedWith(path); err != nil {
					return Runtime{}, err
				}
			}
		}
	}
	if len(files) == 0 {
		return Runtime{}, fmt.Errorf("--reference %s holds no kernel; they are called like cg.A.x or cg.A.2", dir)
	}
	k, err := find(mpi)
	if err != nil {
		return Runtime{}, err
	}
	if _, err := exec.LookPath(k.launcher); err != nil {
		return Runtime{}, fmt.Errorf("%w: %s is not in PATH; install it (Debian: apt-get install %s)", ErrNoPeers, k.launcher, k.packages)
	}
	return Runtime{
		Name: filepath.Base(filepath.Clean(dir)),
		command: func(job []Cell, _ time.Duration) []string {
			c := job[0]
			kernel, class, _ := strings.Cut(c.Test, ".")
			stem := strings.ToLower(kernel) + "." + class + "."
			bin := files[stem+strconv.Itoa(c.Ranks)]
			if bin == "" {
				bin = files[stem+"x"]
			}
			if bin == "" {
				return nil
			}
			return append(k.launch(c.Ranks), bin)
		},
		read: readNAS,
	}, nil
}

// launch returns the launcher's arguments up to the number of ranks.
func (k kind) launch(ranks int) []string {
	flags := k.fits
	if ranks > runtime.NumCPU() {
		flags = k.crowded
	}
	return append(append([]string{k.launcher}, flags...), strconv.Itoa(ranks))
}

// linkedWith returns the name of the MPI whose library an executable needs.
func linkedWith(path string) (string, error) {
	unknown := fmt.Errorf("%s: cannot tell which MPI it was compiled with; name it with --reference-mpi", path)
	f, err := elf.Open(path)
	if err != nil {
		return "", unknown
	}
	defer f.Close()
	libs, err := f.ImportedLibraries()
	if err != nil {
		return "", unknown
	}
	for _, lib := range libs {
		switch {
		case strings.HasPrefix(lib, "libmpich"):
			return "mpich", nil
		case strings.HasPrefix(lib, "libmpi.so"), strings.HasPrefix(lib, "libmpi_mpifh"):
			return "openmpi", nil
		}
	}
	return "", unknown
}

var errReport = errors.New("printed no report of the NAS Parallel Benchmarks")

// readNAS takes Mop/s from the report that every NAS Parallel Benchmark ends
// with. A run that was not verified is a failure.
func readNAS(job []Cell, text string, _ time.Duration) ([]Sample, error) {
	rate, verdict := math.NaN(), ""
	for line := range strings.Lines(text) {
		label, value, ok := strings.Cut(line, "=")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(label) {
		case "Mop/s total":
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return nil, fmt.Errorf("gave %q for Mop/s", value)
			}
			rate = v
		case "Verification":
			verdict = value
		}
	}
	switch {
	case math.IsNaN(rate) || verdict == "":
		return nil, errReport
	case verdict != "SUCCESSFUL":
		return nil, fmt.Errorf("was not verified: %s", verdict)
	}
	return []Sample{{Test: job[0].Test, Ranks: job[0].Ranks, Value: rate, Unit: mops}}, nil
}
