package fabric

import (
	"encoding/binary"
	"sync/atomic"
	"time"

	"rhinet/internal/pmi"
)

// The words of a status line, from wordStatus on. The sequence is odd while
// the line is being written.
const (
	statusSeq   = iota
	statusFlags // state, call's length, context
	statusWho   // peer, tag
	statusBytes
	statusSince
	statusCall                                // three words
	statusTeam = statusCall + pmi.CallBytes/8 // team, turn
	statusSign = statusTeam + 1
	statusEnd  = statusSign + 1
)

// Publish puts s on rank's status line, with the present if Since is 0, and
// without Lost, which is for [Fabric.Lose]. Only the rank itself does that, one
// goroutine at a time. It does not allocate.
func (f *Fabric) Publish(rank int, s *pmi.Status) {
	w := f.Words(rank, Front)[wordStatus : wordStatus+statusEnd]
	var call [pmi.CallBytes]byte
	n := copy(call[:], s.Call)
	since := s.Since
	if since == 0 {
		since = time.Now().UnixNano()
	}
	seq := atomic.AddUint64(&w[statusSeq], 1)
	atomic.StoreUint64(&w[statusFlags], uint64(s.State)|uint64(n)<<8|uint64(s.Context)<<16)
	atomic.StoreUint64(&w[statusWho], uint64(uint32(s.Peer))|uint64(uint32(s.Tag))<<32)
	atomic.StoreUint64(&w[statusBytes], uint64(s.Bytes))
	atomic.StoreUint64(&w[statusSince], uint64(since))
	for i := range pmi.CallBytes / 8 {
		atomic.StoreUint64(&w[statusCall+i], binary.LittleEndian.Uint64(call[8*i:]))
	}
	atomic.StoreUint64(&w[statusTeam], uint64(s.Team)|uint64(s.Turn)<<32)
	atomic.StoreUint64(&w[statusSign], uint64(s.Sign))
	atomic.StoreUint64(&w[statusSeq], seq+1)
}

// statusTries is how often a reader meets a writer before it gives up: the
// writer died in the middle.
const statusTries = 1000

// Status returns what rank published last and whom it has lost, and whether the
// line was whole: a rank that died while it wrote leaves it torn. What it holds
// is for [pmi.Status.Plausible] to judge.
func (f *Fabric) Status(rank int) (s pmi.Status, whole bool) {
	w := f.Words(rank, Front)[wordStatus : wordStatus+statusEnd]
	for range statusTries {
		seq := atomic.LoadUint64(&w[statusSeq])
		s = readStatus(w)
		if whole = seq&1 == 0 && atomic.LoadUint64(&w[statusSeq]) == seq; whole {
			break
		}
	}
	if peer, ok := f.Lost(rank); ok {
		s.Lost = peer + 1
	}
	return s, whole
}

func readStatus(w []uint64) pmi.Status {
	flags := atomic.LoadUint64(&w[statusFlags])
	who := atomic.LoadUint64(&w[statusWho])
	team := atomic.LoadUint64(&w[statusTeam])
	var call [pmi.CallBytes]byte
	for i := range pmi.CallBytes / 8 {
		binary.LittleEndian.PutUint64(call[8*i:], atomic.LoadUint64(&w[statusCall+i]))
	}
	return pmi.Status{
		State: pmi.State(flags),
		Wait: pmi.Wait{
			Call:    string(call[:min(flags>>8&0xff, pmi.CallBytes)]),
			Peer:    int(int32(who)),
			Tag:     int(int32(who >> 32)),
			Bytes:   int64(atomic.LoadUint64(&w[statusBytes])),
			Context: uint16(flags >> 16),
			Collective: pmi.Collective{
				Team: uint32(team),
				Turn: uint32(team >> 32),
				Sign: uint32(atomic.LoadUint64(&w[statusSign])),
			},
		},
		Since: int64(atomic.LoadUint64(&w[statusSince])),
	}
}
