package mpi_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"unsafe"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 9.2: memory of MPI_Alloc_mem has the alignment that
// mpi_minimum_memory_alignment asks for, serves as any buffer, and is freed once.
func TestAllocMem(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		for _, align := range []int{1, 64, 256, 4096} {
			buf, err := mpi.AllocMem[int32](w, 33, mpi.Info{mpi.KeyAlignment: fmt.Sprint(align)})
			if err != nil {
				return err
			}
			if at := uintptr(unsafe.Pointer(&buf[0])); at%uintptr(align) != 0 || len(buf) != 33 || cap(buf) != 33 {
				return fmt.Errorf("%d elements, room for %d, at %x", len(buf), cap(buf), at)
			}
			buf[32] = 7
			if err := mpi.Bcast(w, buf, 1); err != nil {
				return err
			}
			if err := errors.Join(is(mpi.FreeMem(w, buf[1:]), mpi.ErrBase, ""), is(mpi.FreeMem(w, buf[:4]), mpi.ErrBase, ""), mpi.FreeMem(w, buf)); err != nil {
				return err
			}
			if err := is(mpi.FreeMem(w, buf), mpi.ErrBase, "mpi: FreeMem on world: the memory does not begin where AllocMem has begun it, or has been given back"); err != nil {
				return err
			}
		}
		none, err := mpi.AllocMem[byte](w, 0)
		if err := errors.Join(err, mpi.FreeMem(w, none)); err != nil {
			return err
		}
		align := func(text string) error { return second(mpi.AllocMem[byte](w, 1, mpi.Info{mpi.KeyAlignment: text})) }
		return errors.Join(
			is(second(mpi.AllocMem[byte](w, -1)), mpi.ErrCount, "mpi: AllocMem on world: -1 elements; there must be 0 or more"),
			is(second(mpi.AllocMem[int64](w, 1<<60)), mpi.ErrNoMem, "mpi: AllocMem on world: 1152921504606846976 elements of 8 bytes are more than any memory holds"),
			is(second(mpi.AllocMem[string](w, 1)), mpi.ErrType, ""),
			is(align("48"), mpi.ErrInfoValue, `mpi: AllocMem on world: mpi_minimum_memory_alignment is "48"; it must be a power of two, 1073741824 at most`),
			is(align("0"), mpi.ErrInfoValue, ""), is(align("large"), mpi.ErrInfoValue, ""), is(align("4294967296"), mpi.ErrInfoValue, ""))
	})
}

// MPI 4.1, section 10: MPI_Info_create_env describes how the process was started.
func TestInfoEnv(t *testing.T) {
	info := mpi.InfoEnv()
	host, _ := os.Hostname()
	dir, _ := os.Getwd()
	for key, want := range map[string]string{"host": host, "wdir": dir, "thread_level": "MPI_THREAD_MULTIPLE"} {
		if info[key] != want {
			t.Errorf("%s is %q, want %q", key, info[key], want)
		}
	}
	if info["command"] == "" || info["arch"] == "" {
		t.Errorf("missing values: %v", info)
	}
}

// MPI 4.1, section 10: "argv" is the arguments to the command. A process that has none has no such key.
func TestInfoEnvArguments(t *testing.T) {
	args := os.Args
	t.Cleanup(func() { os.Args = args })
	for want, given := range map[string][]string{"-n 2": {"prog", "-n", "2"}, "": {"prog"}} {
		os.Args = given
		if argv, ok := mpi.InfoEnv()["argv"]; argv != want || ok != (want != "") {
			t.Errorf("%q: argv is %q, %v", given, argv, ok)
		}
	}
}

// MPI 4.1, section 7.4.2: with MPI_COMM_TYPE_HW_GUIDED ranks that are restricted to the
// same resource form a communicator; ranks of one host are restricted to that host.
func TestSplitHardware(t *testing.T) {
	mpitest.Run(t, 3, func(w *mpi.Comm) error {
		for _, kind := range []string{"host", mpi.HardwareScheme + "host"} {
			c, err := w.SplitHardware(kind, -w.Rank())
			if err != nil {
				return err
			}
			if err := errors.Join(equal("size", c.Size(), 3), equal("rank", c.Rank(), 2-w.Rank()), c.Free()); err != nil {
				return err
			}
		}
		info := mpi.HwResourceInfo()
		for _, kind := range slices.Sorted(maps.Keys(info)) {
			restricted := info[kind]
			c, err := w.SplitHardware(kind, 0)
			if err != nil {
				return err
			}
			if (c != nil) != (restricted == "true") {
				return fmt.Errorf("%s is %s, and the communicator %v", kind, restricted, c)
			}
		}
		return nil
	})
}

// MPI 4.1, section 7.4.2: other MPI libraries have other names for kinds of resources; a kind that is not known gives
// MPI_COMM_NULL on all ranks.
func TestNamesOfHardware(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		for _, names := range [][2]string{
			{"host", "node"}, {"host", "hwloc://Machine"}, {"package", "socket"}, {"package", "Package"}, {"numa", "numanode"}, {"numa", "hwloc://NUMANode"},
			{"l1cache", "L1Cache"}, {"l2cache", "hwloc://L2Cache"}, {"l3cache", "L3cache"}, {"core", "hwloc://Core"}, {"hwthread", "PU"},
		} {
			c, err := w.SplitHardware(names[0], 0)
			if err != nil {
				return err
			}
			d, err := w.SplitHardware(names[1], 0)
			if err != nil {
				return err
			}
			if (c == nil) != (d == nil) {
				return fmt.Errorf("%s gives %v, and %s %v", names[0], c, names[1], d)
			}
			if c == nil {
				continue
			}
			info, err := d.Info()
			if err := errors.Join(err, equal(names[1], info[mpi.HintHwResource], mpi.HardwareScheme+names[0]), equal("ranks", d.Size(), c.Size()), c.Free(), d.Free()); err != nil {
				return err
			}
		}
		for _, split := range []func(kind string) (*mpi.Comm, error){
			func(kind string) (*mpi.Comm, error) { return w.SplitHardware(kind, 0) },
			func(kind string) (*mpi.Comm, error) { return w.SplitResource(mpi.Info{mpi.HintHwResource: kind}, 0) },
		} {
			for _, kind := range []string{"drawer", "hwloc://drawer", mpi.HardwareScheme, "l3"} {
				if c, err := split(kind); err != nil || c != nil {
					return fmt.Errorf("%s gives %v, %v", kind, c, err)
				}
			}
		}
		return nil
	})
}
