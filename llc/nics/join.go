package nics

import (
	"errors"
	"fmt"

	"rhinet/internal/kvs"
	"rhinet/internal/pmi"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// Process connects this process to the NIC of its job ("" is the default): in the memory that the launcher
// has made, or, if there is none, in memory of its own as the only rank, checked as d says. The second result
// releases the memory, after the translator is closed.
func Process(job pmi.Job, d Debug) (ir.Translator, func() error, error) {
	return ProcessIn(job, nil, d)
}

// ProcessIn is Process for a rank that has a store open, which it uses and leaves open.
func ProcessIn(job pmi.Job, store kvs.Store, d Debug) (ir.Translator, func() error, error) {
	if job.Fabric >= 0 {
		return join(usual(job.NIC), job, store)
	}
	all, release, err := Local(job.NIC, 1, d)
	if err != nil {
		return nil, nil, err
	}
	return all[0], release, nil
}

// usual returns name, or the name of the default NIC if it is empty.
func usual(name string) string {
	if name == "" {
		return Default
	}
	return name
}

// Join connects a rank to its NIC in the memory that the launcher created for a job of the given number of
// ranks: fd is the inherited descriptor, which Join closes. The second result releases the memory, after the
// translator is closed.
func Join(name string, fd, rank, ranks int) (ir.Translator, func() error, error) {
	job := pmi.Single(rank, ranks)
	job.Fabric = fd
	return join(name, job, nil)
}

// join is Join for a rank of a job that may be on several hosts; see [network].
func join(name string, job pmi.Job, store kvs.Store) (ir.Translator, func() error, error) {
	f, err := fabric.Open(job.Fabric)
	if err != nil {
		return nil, nil, err
	}
	if f.Ranks() != job.Size {
		return nil, nil, errors.Join(fmt.Errorf("nics: the memory is that of a job of %d ranks, not %d", f.Ranks(), job.Size), f.Close())
	}
	var t ir.Translator
	net, err := network(job, store, f)
	if err == nil {
		t, err = openWatched(name, f, job.Rank, net)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return t, f.Close, nil
}

// Local connects all ranks of a job that are goroutines of this process to NICs of the given name ("" is the
// default), checked as d says. The second result releases their memory, after all translators are closed.
func Local(name string, ranks int, d Debug) ([]ir.Translator, func() error, error) {
	name = usual(name)
	f, err := fabric.Heap(ranks, Geometry(name, fabric.Small(), ranks))
	if err != nil {
		return nil, nil, err
	}
	var ts []ir.Translator
	for r := range ranks {
		t, err := d.openNIC(name, f, r, nil)
		if err != nil {
			for _, t := range ts {
				err = errors.Join(err, t.Close())
			}
			return nil, nil, errors.Join(err, f.Close())
		}
		ts = append(ts, t)
	}
	return d.watchAll(ts), f.Close, nil
}
