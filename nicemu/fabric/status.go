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
	statusFlags // state, call's length, context, number of other calls, lengths of taken and note
	statusWho   // peer, tag
	statusBytes
	statusSince
	statusCall                                 // three words
	statusTeam  = statusCall + pmi.CallBytes/8 // team, turn
	statusSign  = statusTeam + 1
	statusTaken = statusSign + 1                 // seven words
	statusNote  = statusTaken + pmi.TakenBytes/8 // as many words
	statusFirst = statusNote + pmi.NoteBytes/8   // of the unmatched messages: rank and tag, and
	statusCount = statusFirst + 1                // how many there are, and whether they are in another context
	statusEnd   = statusCount + 1
)

// Publish writes s to rank's status line, without Lost and World, which [Fabric.Lose] and
// [Fabric.MarkWorld] write. If Since is 0, Publish uses the present time, or keeps that of the line
// if only the number of other calls or the unmatched messages change. Only the rank itself calls it, one
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

// A statusWords is the content of a status line, without the sequence.
type statusWords [statusEnd]uint64

func statusLine(s *pmi.Status) (w statusWords) {
	call, taken, note := putText(w[statusCall:statusTeam], s.Call), putText(w[statusTaken:statusNote], s.Taken), putText(w[statusNote:statusFirst], s.Note)
	if s.Named {
		note |= named
	}
	w[statusFlags] = uint64(s.State) | call<<8 | uint64(s.Context)<<16 | uint64(min(s.More, mostMore))<<moreShift | taken<<takenShift | note<<noteShift
	w[statusFirst] = uint64(uint32(s.First)) | uint64(uint32(s.MessagesTag))<<32
	if w[statusCount] = uint64(s.Messages) &^ elsewhere; s.Elsewhere {
		w[statusCount] |= elsewhere
	}
	w[statusWho] = uint64(uint32(s.Peer)) | uint64(uint32(s.Tag))<<32
	w[statusBytes] = uint64(s.Bytes)
	w[statusSince] = uint64(s.Since)
	w[statusTeam] = uint64(s.Team) | uint64(s.Turn)<<32
	w[statusSign] = uint64(s.Sign)
	return w
}

// putText stores as much of text in w as fits, and returns its length in bytes.
func putText(w []uint64, text string) (n uint64) {
	var b [pmi.TakenBytes]byte
	n = uint64(copy(b[:8*len(w)], text))
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return n
}

// text returns the first n bytes of a text that putText has stored.
func text(w []uint64, n uint64) string {
	var b [pmi.TakenBytes]byte
	for i := range w {
		binary.LittleEndian.PutUint64(b[8*i:], atomic.LoadUint64(&w[i]))
	}
	return string(b[:min(n, 8*uint64(len(w)))])
}

// Where the flags hold the number of other calls, its maximum, and where they hold the lengths of
// taken and of the note; named is the bit of the latter that says that the note is the name of a communicator.
const (
	moreShift  = 32
	mostMore   = 1<<16 - 1
	takenShift = 48
	noteShift  = 56
	named      = 1 << 7
)

// elsewhere is the bit of the count that says where the messages are.
const elsewhere = 1 << 63

// sameWait reports whether a line differs at most in its start time, in the number of other calls and in the
// unmatched messages.
func (w *statusWords) sameWait(line []uint64) bool {
	for i := statusFlags; i < statusEnd; i++ {
		changed := atomic.LoadUint64(&line[i]) ^ w[i]
		if i == statusFlags {
			changed &^= mostMore << moreShift
		}
		if changed != 0 && i != statusSince && i != statusFirst && i != statusCount {
			return false
		}
	}
	return true
}

// statusTries is how often a reader retries while the line is being written before it gives up:
// then the writer has died in the middle.
const statusTries = 1000

// Status returns what rank has published last, the peer it has lost and whether it is in the world,
// and whether the line was complete: a rank that dies while it writes leaves it torn. The caller checks the contents with
// [pmi.Status.Plausible].
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
	s.World = f.InWorld(rank)
	return s, whole
}

func readStatus(w []uint64) pmi.Status {
	flags := atomic.LoadUint64(&w[statusFlags])
	who := atomic.LoadUint64(&w[statusWho])
	first, count := atomic.LoadUint64(&w[statusFirst]), atomic.LoadUint64(&w[statusCount])
	team := atomic.LoadUint64(&w[statusTeam])
	return pmi.Status{
		State: pmi.State(flags),
		Wait: pmi.Wait{
			Call:    text(w[statusCall:statusTeam], flags>>8&0xff),
			Note:    text(w[statusNote:statusFirst], flags>>noteShift&^named),
			Taken:   text(w[statusTaken:statusNote], flags>>takenShift&0xff),
			Peer:    int(int32(who)),
			Tag:     int(int32(who >> 32)),
			Bytes:   int64(atomic.LoadUint64(&w[statusBytes])),
			Context: uint16(flags >> 16),
			More:    int(flags >> moreShift & mostMore),
			Unmatched: pmi.Unmatched{
				Messages:    int(count &^ elsewhere),
				First:       int(int32(first)),
				MessagesTag: int(int32(first >> 32)),
				Elsewhere:   count&elsewhere != 0,
			},
			Collective: pmi.Collective{
				Team: uint32(team),
				Turn: uint32(team >> 32),
				Sign: uint32(atomic.LoadUint64(&w[statusSign])),

				Named: flags>>noteShift&named != 0,
			},
		},
		Since: int64(atomic.LoadUint64(&w[statusSince])),
	}
}
