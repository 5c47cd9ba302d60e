// Hashtable is a distributed hash table on the low-level communication library, without MPI. Its slots lie in
// memory that all peers share, a part with each peer; a peer adds to a slot with atomic operations, and the
// slot's owner takes no part. What a peer must learn from an owner travels by Unsolicited-Send: where the
// part lies, and at the end the values, which handlers send.
//
//	mpirun -n 4 hashtable
//
// Each peer counts the numbers of a sequence of its own. At the end the counts are compared with those of one
// process.
package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync/atomic"

	"rhinet/llc/user"
)

const (
	slots = 1 << 12 // of each part
	keys  = 1000    // different numbers
	draws = 20000   // of each peer
)

// The ids of unsolicited messages.
const (
	idPart  = iota // where the sender's part lies
	idReady        // the sender has counted
	idAsk          // a key: how often was it counted?
	idTell         // the answer
	idBye          // the sender asks no more
)

// A table is one peer's view of all parts. A slot is two words: the key, 0 if it is
// free, and the count.
type table struct {
	p     *user.Peer
	parts []user.Area
	seen  [idBye + 1]int // events of each id
	told  uint64
}

func main() {
	p, err := user.Join()
	if err == nil {
		err = run(p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hashtable:", err)
		os.Exit(1)
	}
}

func run(p *user.Peer) error {
	t := &table{p: p, parts: make([]user.Area, p.Peers())}
	own, err := p.Allocate(slots * 16)
	if err != nil {
		return err
	}
	p.Handle(idAsk, t.answer)
	if err := t.tellAll(idPart, own.At); err != nil {
		return err
	}
	if err := t.await(idPart, p.Peers()); err != nil {
		return err
	}
	for i := range draws {
		if err := t.add(draw(p.Self(), i)); err != nil {
			return err
		}
	}
	if err := t.tellAll(idReady, 0); err != nil {
		return err
	}
	if err := t.await(idReady, p.Peers()); err != nil {
		return err
	}
	if err := t.check(); err != nil {
		return err
	}
	if err := t.tellAll(idBye, 0); err != nil { // until then other peers may ask
		return err
	}
	if err := t.await(idBye, p.Peers()); err != nil {
		return err
	}
	if p.Self() == 0 {
		fmt.Printf("%d peers counted %d numbers, %d different ones\n", p.Peers(), p.Peers()*draws, keys)
	}
	return p.Close()
}

// draw returns number i of a peer's sequence.
func draw(peer, i int) uint64 { return uint64(i*(peer+7)+i/13)%keys + 1 }

// home returns the peer that has the slot of a key, and the first slot to look at.
func (t *table) home(key uint64) (peer, slot int) {
	h := key * 0x9E3779B97F4A7C15
	return int(h>>40) % t.p.Peers(), int(h>>16) % slots
}

// find returns the slot of a key. With claim a free slot becomes its slot; without, the result is nil if
// there is none.
func (t *table) find(key uint64, claim bool) (slot []atomic.Uint64, err error) {
	peer, at := t.home(key)
	words := t.parts[peer].Words()
	for range slots {
		s := words[2*at : 2*at+2]
		was := s[0].Load()
		if was == 0 && claim && s[0].CompareAndSwap(0, key) {
			return s, nil
		}
		if was = s[0].Load(); was == key {
			return s, nil
		} else if was == 0 && !claim {
			return nil, nil
		}
		at = (at + 1) % slots
	}
	return nil, fmt.Errorf("the part of peer %d is full", peer)
}

// add counts a key.
func (t *table) add(key uint64) error {
	s, err := t.find(key, true)
	if err == nil {
		s[1].Add(1)
	}
	return err
}

// answer tells the asking peer how often a key was counted.
func (t *table) answer(src int, data []byte) {
	count := uint64(0)
	if s, err := t.find(binary.LittleEndian.Uint64(data), false); err == nil && s != nil {
		count = s[1].Load()
	}
	if err := t.tell(src, idTell, count); err != nil {
		fmt.Fprintln(os.Stderr, "hashtable:", err)
	}
}

// check compares this peer's share of the keys with what one process counts, by asking their homes.
func (t *table) check() error {
	want := map[uint64]uint64{}
	for peer := range t.p.Peers() {
		for i := range draws {
			want[draw(peer, i)]++
		}
	}
	for key := uint64(1 + t.p.Self()); key <= keys; key += uint64(t.p.Peers()) {
		home, _ := t.home(key)
		if err := t.tell(home, idAsk, key); err != nil {
			return err
		}
		if err := t.await(idTell, 1); err != nil {
			return err
		}
		t.seen[idTell] = 0
		if t.told != want[key] {
			return fmt.Errorf("peer %d : number %d was counted %d times, not %d", t.p.Self(), key, t.told, want[key])
		}
	}
	return nil
}

func (t *table) tell(dst, id int, value uint64) error {
	return t.p.Unsolicited(dst, id, binary.LittleEndian.AppendUint64(nil, value))
}

func (t *table) tellAll(id int, value uint64) error {
	for dst := range t.p.Peers() {
		if err := t.tell(dst, id, value); err != nil {
			return err
		}
	}
	return nil
}

// await reads the queue until n messages of an id have come.
func (t *table) await(id, n int) error {
	for t.seen[id] < n {
		ev := t.p.Next()
		if ev.Err != nil {
			return ev.Err
		}
		if ev.ID >= len(t.seen) || len(ev.Data) != 8 {
			return fmt.Errorf("peer %d sent %d bytes as %d", ev.Peer, len(ev.Data), ev.ID)
		}
		t.seen[ev.ID]++
		value := binary.LittleEndian.Uint64(ev.Data)
		switch ev.ID {
		case idPart:
			part, err := t.p.Area(value, slots*16)
			if err != nil {
				return err
			}
			t.parts[ev.Peer] = part
		case idTell:
			t.told = value
		}
	}
	return nil
}
