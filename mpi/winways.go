package mpi

import "rhinet/internal/onesided"

// HintWindow is the hint for windows that chooses how they work:
// "update=remote,lock=ncl". It replaces the variable RHINET_WIN, which is for the whole
// job. With update=remote the network interface updates integers of 8 bytes in
// allocated windows; with lock=ncl the network keeps the locks; with memory=board the
// parts of a window of [WinAllocate] are on the boards of the network interfaces, where
// no processor loads from them: then [Win.Local] is nil, and a rank puts into its own
// part as into others. A choice that the network does not support is ignored.
//
// Not in the standard.
const HintWindow = "rhinet_win"

// waysOf returns the ways of a window with hints.
func (c *Comm) waysOf(s site, hints Info) (onesided.Ways, error) {
	list, ok := hints[HintWindow]
	if !ok {
		return c.w.Windows, nil
	}
	ways, err := onesided.Parse(list)
	if err != nil {
		return 0, c.because(s, ErrArg, err, HintWindow)
	}
	return ways, nil
}

// equip gives the window the ways that were named, as far as they are supported, and
// records in its hints which ones it has. All ranks have named the same.
func (w *window) equip(named onesided.Ways) error {
	used := onesided.Ways(0)
	for _, way := range []struct {
		of   onesided.Ways
		take func() (bool, error)
	}{{onesided.OnBoard, w.board}, {onesided.RemoteUpdates, w.useNICAtomics}, {onesided.NCL, w.queue}} {
		if named&way.of == 0 {
			continue
		}
		took, err := way.take()
		if err != nil {
			return err
		}
		if took {
			used |= way.of
		}
	}
	if named != 0 {
		w.hints[HintWindow] = used.String()
	}
	return nil
}

// command has the network do something that does not wait, if the transport is still
// open.
func (c *Comm) command(do func() error) error {
	err := errClosed
	c.t.Perform(func() { err = do() })
	return err
}
