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
	statusFlags // state, call's length, context, calls beside, length of what is taken
	statusWho   // peer, tag
	statusBytes
	statusSince
	statusCall                                 // three words
	statusTeam  = statusCall + pmi.CallBytes/8 // team, turn
	statusSign  = statusTeam + 1
	statusTaken = statusSign + 1 // seven words
	statusEnd   = statusTaken + pmi.TakenBytes/8
)

// Publish puts s on rank's status line, and without Lost, which is for [Fabric.Lose]. If
// Since is 0, it is the present, or what the line has if only the number of calls beside changes. Only the rank itself does that, one
// goroutine at a time. It does not allocate.
func (f *Fabric) Publish(rank int, s *pmi.Status) {
	w := f.Words(rank, Front)[wordStatus : wordStatus+statusEnd]
	line := statusLine(s)
	switch {
	case s.Since != 0:
	case s.State == pmi.Waiting && line.sameWait(w):
		line[statusSince] = atomic.LoadUint64(&w[statusSince])
	default:
		line[statusSince] = uint64(time.Now().UnixNano())
	}
	seq := atomic.AddUint64(&w[statusSeq], 1)
	for i := statusSeq + 1; i < statusEnd; i++ {
		atomic.StoreUint64(&w[i], line[i])
	}
	atomic.StoreUint64(&w[statusSeq], seq+1)
}

// A statusWords is what a status line holds, but for the sequence.
type statusWords [statusEnd]uint64

func statusLine(s *pmi.Status) (w statusWords) {
	call, taken := putText(w[statusCall:statusTeam], s.Call), putText(w[statusTaken:], s.Taken)
	w[statusFlags] = uint64(s.State) | call<<8 | uint64(s.Context)<<16 | uint64(min(s.More, mostMore))<<moreShift | taken<<takenShift
	w[statusWho] = uint64(uint32(s.Peer)) | uint64(uint32(s.Tag))<<32
	w[statusBytes] = uint64(s.Bytes)
	w[statusSince] = uint64(s.Since)
	w[statusTeam] = uint64(s.Team) | uint64(s.Turn)<<32
	w[statusSign] = uint64(s.Sign)
	return w
}

// putText puts as much of a text into words as these hold, and returns how much that is.
func putText(w []uint64, text string) (n uint64) {
	var b [pmi.TakenBytes]byte
	n = uint64(copy(b[:8*len(w)], text))
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return n
}

// text is what putText put into words, with so many bytes.
func text(w []uint64, n uint64) string {
	var b [pmi.TakenBytes]byte
	for i := range w {
		binary.LittleEndian.PutUint64(b[8*i:], atomic.LoadUint64(&w[i]))
	}
	return string(b[:min(n, 8*uint64(len(w)))])
}

// Where the flags have the number of calls beside, the most that it can be, and the length of what is taken.
const (
	moreShift  = 32
	mostMore   = 1<<16 - 1
	takenShift = 48
)

// sameWait reports whether a line differs at most in since when, and how many calls are beside.
func (w *statusWords) sameWait(line []uint64) bool {
	for i := statusFlags; i < statusEnd; i++ {
		changed := atomic.LoadUint64(&line[i]) ^ w[i]
		if i == statusFlags {
			changed &^= mostMore << moreShift
		}
		if changed != 0 && i != statusSince {
			return false
		}
	}
	return true
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
	return pmi.Status{
		State: pmi.State(flags),
		Wait: pmi.Wait{
			Call:    text(w[statusCall:statusTeam], flags>>8&0xff),
			Taken:   text(w[statusTaken:], flags>>takenShift&0xff),
			Peer:    int(int32(who)),
			Tag:     int(int32(who >> 32)),
			Bytes:   int64(atomic.LoadUint64(&w[statusBytes])),
			Context: uint16(flags >> 16),
			More:    int(flags >> moreShift & mostMore),
			Collective: pmi.Collective{
				Team: uint32(team),
				Turn: uint32(team >> 32),
				Sign: uint32(atomic.LoadUint64(&w[statusSign])),
			},
		},
		Since: int64(atomic.LoadUint64(&w[statusSince])),
	}
}
