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

// A Gathering is what ranks on other hosts write down there, and mpirun gets when they have ended.
type Gathering struct {
	Observe bool   // what they do, as package observe has it
	Trace   bool   // with its events
	Profile string // the kind of a [pmi.Profile]; empty: none
}

// A Parcel is a part of what a rank has written.
type Parcel struct {
	Rank    int
	Profile bool // it is of the profile of the rank, and not of what it did
	At      int64
	Data    []byte
	Clock   observe.Clock // of times in it
	Now     time.Time     // on the host of the rank
	Lost    string        // why there is no more of it, though there may have been; of a parcel without Data
}

// parcelBytes is how much of a profile goes at a time.
const parcelBytes = 256 << 10

// A gatherer keeps on a host what its ranks write down.
type gatherer struct {
	file   *os.File
	reader *observe.Reader
	dir    string
}

// prepare readies what a job of so many ranks is to write to.
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

// send gives what the ranks have written, until give returns an error, which it returns. A rank that has
// written nothing has nothing to give; of what cannot be read a parcel says why.
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

// read gives the profile of a rank, or what it did.
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
		return nil // it has not come so far
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

// close gives back what prepare has made.
func (g *gatherer) close() {
	if g.file != nil {
		g.file.Close()
	}
	if g.dir != "" {
		os.RemoveAll(g.dir)
	}
}

// gathered takes a part of what a rank has written. All times of a host are set right alike.
func (l *lead) gathered(h *host, p *Parcel) {
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

// hear learns how far the clock of a host is ahead from the time that a message was sent at. It shows best in
// the message that was on its way for the shortest time.
func (h *host) hear(sent time.Time) {
	if ahead := time.Until(sent); !h.set && (!h.heard || ahead > h.ahead) {
		h.ahead, h.heard = ahead, true
	}
}
