package nics

import (
	"errors"
	"fmt"

	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// Join connects a rank to its NIC in the memory that the launcher created for
// a job of the given number of ranks: fd is the inherited descriptor, which
// Join closes. The second result releases the memory, after the translator is
// closed.
func Join(name string, fd, rank, ranks int) (ir.Translator, func() error, error) {
	f, err := fabric.Open(fd)
	if err != nil {
		return nil, nil, err
	}
	if f.Ranks() != ranks {
		return nil, nil, errors.Join(fmt.Errorf("nics: the memory is that of a job of %d ranks, not %d", f.Ranks(), ranks), f.Close())
	}
	t, err := Open(name, f, rank)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return t, f.Close, nil
}

// Local connects all ranks of a job that are goroutines of this process, watched
// as d says. The second result releases their memory, after all translators are closed.
func Local(name string, ranks int, d Debug) ([]ir.Translator, func() error, error) {
	f, err := fabric.Heap(ranks, Geometry(name, fabric.Small(), ranks))
	if err != nil {
		return nil, nil, err
	}
	var ts []ir.Translator
	for r := range ranks {
		t, err := open(name, f, r)
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
