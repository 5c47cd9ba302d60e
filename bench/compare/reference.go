package compare

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"rhinet/bench"
)

// executable matches the names of compiled kernels: cg.A.x, or cg.A.2 if compiled for a number of ranks.
var executable = regexp.MustCompile(`^(bt|cg|ep|ft|is|lu|mg|sp)\.([SWABCD])\.(x|[1-9][0-9]*)$`)

// References returns a runtime for each folder of compiled kernels. They run under the MPI named by mpi
// (openmpi or mpich) or, if that is empty, under the one each kernel is linked with. lacking lists the
// parts of the plan that a folder cannot run; a folder that cannot run any part is an error. Without a plan
// this is not checked. probe, if not nil, compiles the library that measures the communication wait time
// for an MPI ([peer.CompileWaits]): then the figures are run time and wait time instead of the rate.
func References(dirs []string, mpi string, plan []Cell, probe func(mpicc string) (string, error)) (list []Runtime, lacking []string, err error) {
	for _, dir := range dirs {
		kernels, err := originals(dir, mpi)
		if err != nil {
			return nil, nil, err
		}
		r := Runtime{
			Name: filepath.Base(dir),
			command: func(job []Cell, _ time.Duration) []string {
				if k, ok := kernels.find(job[0]); ok {
					return append(k.kind.launch(job[0].Ranks), k.path)
				}
				return nil
			},
			read: readNAS,
		}
		if probe != nil {
			probes, err := kernels.probes(probe)
			if err != nil {
				return nil, nil, err
			}
			r.read = readProbed
			r.command = func(job []Cell, _ time.Duration) []string {
				if k, ok := kernels.find(job[0]); ok {
					return append(k.kind.launch(job[0].Ranks), "env", "LD_PRELOAD="+probes[k.kind.name], k.path)
				}
				return nil
			}
		}
		var missing []string
		for _, c := range plan {
			if _, ok := kernels.find(c); !ok {
				missing = append(missing, fmt.Sprintf("%s on %s", c.Test, bench.Number(c.Ranks, "rank")))
			}
		}
		if len(plan) > 0 && len(missing) == len(plan) {
			return nil, nil, fmt.Errorf("--reference %s holds nothing of what is to be measured: %s", dir, strings.Join(missing, ", "))
		}
		if len(missing) > 0 {
			lacking = append(lacking, fmt.Sprintf("%s holds no original for %s", dir, strings.Join(missing, ", ")))
		}
		list = append(list, r)
	}
	return list, lacking, nil
}

// An original is a compiled kernel with its MPI.
type original struct {
	path string
	kind kind
}

// compiled are the originals of a folder, by the names of their files.
type compiled map[string]original

// find returns the executable for a cell: that for its number of ranks, or else that for any number.
func (k compiled) find(c Cell) (original, bool) {
	kernel, class, _ := strings.Cut(c.Test, ".")
	stem := strings.ToLower(kernel) + "." + class + "."
	for _, name := range []string{stem + strconv.Itoa(c.Ranks), stem + "x"} {
		if o, ok := k[name]; ok {
			return o, true
		}
	}
	return original{}, false
}

// probes compiles the library that measures waits for each MPI of the originals, and returns the files.
func (k compiled) probes(compile func(mpicc string) (string, error)) (map[string]string, error) {
	libraries := map[string]string{}
	for _, o := range k {
		if libraries[o.kind.name] != "" {
			continue
		}
		if err := Installed([]string{o.kind.name}); err != nil {
			return nil, err
		}
		file, err := compile(o.kind.mpicc)
		if err != nil {
			return nil, err
		}
		libraries[o.kind.name] = file
	}
	return libraries, nil
}

// originals finds the compiled kernels of a folder.
func originals(dir, mpi string) (compiled, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("--reference: %w; name a folder of kernels that are called like cg.A.x or cg.A.2", err)
	}
	files := compiled{}
	for _, e := range entries {
		if !executable.MatchString(e.Name()) {
			continue
		}
		path, err := filepath.Abs(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("--reference: %w", err)
		case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
			return nil, fmt.Errorf("--reference: %s is called like a compiled kernel, but is no executable file", path)
		}
		k, err := kindOf(path, mpi)
		if err != nil {
			return nil, err
		}
		files[e.Name()] = original{path, k}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("--reference %s holds no kernel; they are called like cg.A.x or cg.A.2", dir)
	}
	return files, nil
}

// kindOf returns the runtime of an executable, which must be installed: mpi, or the one it is linked with.
func kindOf(path, mpi string) (kind, error) {
	if mpi == "" {
		var err error
		if mpi, err = linkedWith(path); err != nil {
			return kind{}, err
		}
	}
	k, err := find(mpi)
	if err != nil {
		return kind{}, err
	}
	if _, err := exec.LookPath(k.launcher); err != nil {
		return kind{}, fmt.Errorf("%w: %s is not in PATH; install it (Debian: apt-get install %s)", ErrNoPeers, k.launcher, k.packages)
	}
	return k, nil
}

// launch returns the launcher's arguments up to the number of ranks.
func (k kind) launch(ranks int) []string {
	flags := k.fits
	if ranks > runtime.NumCPU() {
		flags = k.oversubscribed
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
	if name := mpiOf(libs); name != "" {
		return name, nil
	}
	return "", unknown
}

// mpiOf determines an MPI from the libraries of its programs, empty if it cannot. MPICH is called libmpich
// by Debian, but libmpi.so.12 and libmpifort by its own build; the first was once Open MPI's name, too, and
// is not enough alone.
func mpiOf(libs []string) string {
	any := func(prefix string) bool {
		return slices.ContainsFunc(libs, func(l string) bool { return strings.HasPrefix(l, prefix) })
	}
	switch {
	case any("libmpich"), any("libmpifort"):
		return "mpich"
	case any("libmpi_mpifh"), any("libmpi_usempi"), any("libmpi.so") && !any("libmpi.so.12"):
		return "openmpi"
	}
	return ""
}
