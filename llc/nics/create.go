package nics

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"rhinet/internal/wait"
	"rhinet/nicemu/fabric"
)

// Create makes the memory of a job whose ranks on this host use the given NIC, and registers them there: its
// caller is the management process of the NICs. The file has no name, and is closed on exec unless it is
// passed on explicitly.
func Create(name string, ranks int) (*os.File, error) {
	g := fabric.Default()
	g.Ring.Spread = ranks <= wait.UsableCPUs()
	g = Geometry(name, g, ranks)
	fit(&g, ranks, syscall.RLIMIT_AS, addressesOfGo)
	fit(&g, ranks, syscall.RLIMIT_FSIZE, 0)
	file, err := fabric.Create(ranks, g)
	if err != nil {
		return nil, err
	}
	err = checkAddresses(file)
	if err == nil {
		err = manage(name, file)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// manage does the part of the management process.
func manage(name string, file *os.File) error {
	f, err := fabric.Map(file)
	if err != nil {
		return err
	}
	return errors.Join(Register(name, f), f.Close())
}

// addressesOfGo is the address space that a starting Go program reserves (1,707,156 KiB here, without the
// job's memory). With less, its runtime may end it at any moment, with a long dump.
const addressesOfGo = 1700 << 20

// fit reduces what a job can reserve until its memory and more bytes stay below a limit of the system, or
// nothing is left to reserve.
func fit(g *fabric.Geometry, ranks, resource int, more uint64) {
	var lim syscall.Rlimit
	if syscall.Getrlimit(resource, &lim) != nil {
		return
	}
	for g.Common > 0 && uint64(g.Bytes(ranks))+more > lim.Cur {
		if g.Common >>= 1; g.Check(ranks) != nil {
			g.Common = 0
		}
	}
}

// checkAddresses returns an error unless the limit on address space lets a process map the job's memory,
// which is in file, and work.
func checkAddresses(file *os.File) error {
	var lim syscall.Rlimit
	info, err := file.Stat()
	if err != nil || syscall.Getrlimit(syscall.RLIMIT_AS, &lim) != nil {
		return nil
	}
	if need := uint64(info.Size()) + addressesOfGo; lim.Cur < need {
		return fmt.Errorf("each process needs %d MiB of address space, but the limit is %d MiB; raise it with ulimit -v", need>>20, lim.Cur>>20)
	}
	return nil
}
