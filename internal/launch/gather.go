package launch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rhinet/internal/observe"
	"rhinet/internal/pmi"
)

// A Gathering says which records ranks on other hosts make there and mpirun collects when the ranks have
// ended.
type Gathering struct {
	Observe bool   // statistics of package observe
	Trace   bool   // with events
	Profile string // the kind of a [pmi.Profile]; empty: none
}

// A Parcel is a part of the records of a rank.
type Parcel struct {
	Rank    int
	Profile bool // it belongs to the profile of the rank, not to its statistics
	At      int64
	Data    []byte
	Clock   observe.Clock // of the times in it
	Now     time.Time     // on the host of the rank
	Lost    string        // why the rest of the record is missing; only in a parcel without Data
}

// parcelBytes is how much of a profile is sent at a time.
const parcelBytes = 256 << 10

// A gatherer keeps the records of the ranks of one host.
type gatherer struct {
	file   *os.File
	reader *observe.Reader
	dir    string
}

// prepare creates the memory and the directory for the records.
func (g *gatherer) prepare(what Gathering, job *Job) (err error) {
	if what.Observe {
		if g.file, err = observe.Create(job.MaxRanks, what.Trace); err != nil {
			return err
		}
		if g.reader, err = observe.NewReader(g.file); err != nil {
			return err
		}
		job.Observe = g.file
	}
	if what.Profile != "" {
		if g.dir, err = os.MkdirTemp("", "rhinet-profile-"); err != nil {
			return err
		}
		job.Env = append(job.Env[:len(job.Env):len(job.Env)], pmi.ProfileVariable+"="+pmi.Profile{Kind: what.Profile, Dir: g.dir}.Encode())
	}
	return nil
}

// send passes all records of the ranks to give, until give returns an error, which send returns. A rank
// that has written nothing has no parcel; if a record cannot be read, a parcel says why.
func (g *gatherer) send(ranks []int, give func(*Parcel) error) error {
	var cut error
	pass := func(p *Parcel) error {
		cut = give(p)
		return cut
	}
	for _, r := range ranks {
		for _, profile := range []bool{false, true} {
			if err := g.read(r, profile, pass); err != nil && cut == nil {
				cut = give(&Parcel{Rank: r, Profile: profile, Lost: err.Error()})
			}
			if cut != nil {
				return cut
			}
		}
	}
	return nil
}

// read passes the profile or the statistics of a rank to give.
func (g *gatherer) read(r int, profile bool, give func(*Parcel) error) error {
	if profile {
		return g.profile(r, give)
	}
	return g.observed(r, give)
}

func (g *gatherer) observed(r int, give func(*Parcel) error) error {
	if g.reader == nil {
		return nil
	}
	c, err := g.reader.Clock(r)
	if err != nil {
		return err
	}
	return g.reader.Parts(r, func(at int64, part []byte) error {
		return give(&Parcel{Rank: r, At: at, Data: part, Clock: c, Now: time.Now()})
	})
}

func (g *gatherer) profile(r int, give func(*Parcel) error) error {
	if g.dir == "" {
		return nil
	}
	file, err := os.Open(filepath.Join(g.dir, pmi.ProfileName(r)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the rank has not written it yet
	} else if err != nil {
		return err
	}
	defer file.Close()
	buf := make([]byte, parcelBytes)
	for at := int64(0); ; {
		n, err := io.ReadFull(file, buf)
		if n > 0 {
			if err := give(&Parcel{Rank: r, Profile: true, At: at, Data: buf[:n]}); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
		at += int64(n)
	}
}

// close releases what prepare has created.
func (g *gatherer) close() {
	if g.file != nil {
		g.file.Close()
	}
	if g.dir != "" {
		os.RemoveAll(g.dir)
	}
}

// gathered handles a parcel with the records of a rank. All times of one host are corrected by the same
// amount.
func (l *coordinator) gathered(h *host, p *Parcel) {
	if !slices.Contains(h.ranks, p.Rank) || l.plan.job.Take == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case p.Lost != "":
		p.Lost = fmt.Sprintf("rank %d on host %s: %s", p.Rank, h.Name, p.Lost)
	case !p.Profile:
		h.hear(p.Now)
		h.set = true
		p.Clock.Wall -= int64(h.ahead) + l.begin.UnixNano()
	}
	l.plan.job.Take(p)
}

// hear estimates how far the clock of a host is ahead, from the time at which a message was sent. The
// message with the shortest transfer time gives the best estimate.
func (h *host) hear(sent time.Time) {
	if ahead := time.Until(sent); !h.set && (!h.heard || ahead > h.ahead) {
		h.ahead, h.heard = ahead, true
	}
}
