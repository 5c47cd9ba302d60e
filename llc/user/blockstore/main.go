// Blockstore keeps blocks of bytes in the memory of servers, on the low-level communication library, without
// MPI: what a file system for temporary data does. A client asks a server for room by Unsolicited-Send, and
// then writes and reads its blocks with remote access: the server takes no part, and its processor is free.
//
//	mpirun -n 4 blockstore
//
// Even peers are servers, odd ones clients; a job of one peer is both.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"

	"rhinet/llc/user"
)

const (
	blockBytes = 64 << 10
	perClient  = 16 // blocks of a client at each server
)

// The ids of unsolicited messages.
const (
	idRoom = iota // a client asks for room
	idHere        // its answer: a segment
	idDone        // a client has ended
)

// A store is one peer's part.
type store struct {
	p       *user.Peer
	servers []int
	clients int
	rooms   []user.Segment // of this peer, as a server
	here    user.Segment   // the answer to the latest idRoom
	seen    [idDone + 1]int
}

func main() {
	p, err := user.Join()
	if err == nil {
		err = run(p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "blockstore:", err)
		os.Exit(1)
	}
}

func run(p *user.Peer) error {
	s := &store{p: p, clients: max(p.Peers()/2, 1)}
	for i := 0; i < p.Peers(); i += 2 {
		s.servers = append(s.servers, i)
	}
	if p.Self()%2 == 1 || p.Peers() == 1 {
		if err := s.client(); err != nil {
			return err
		}
	}
	if p.Self()%2 == 0 {
		if err := s.await(idDone, s.clients); err != nil {
			return err
		}
		for _, room := range s.rooms {
			if err := p.Conceal(room); err != nil {
				return err
			}
		}
		if p.Self() == 0 {
			fmt.Printf("%d clients kept %d blocks of %d bytes at %d servers\n", s.clients, s.clients*perClient*len(s.servers), blockBytes, len(s.servers))
		}
	}
	return p.Close()
}

// client writes blocks to all servers, reads them in another order, and compares.
func (s *store) client() error {
	rng := rand.New(rand.NewPCG(1, uint64(s.p.Self())))
	rooms := map[int]user.Segment{}
	kept := map[int][]byte{} // by number: server * perClient + block
	for _, server := range s.servers {
		if err := s.p.Unsolicited(server, idRoom, nil); err != nil {
			return err
		}
		if err := s.await(idHere, len(rooms)+1); err != nil {
			return err
		}
		rooms[server] = s.here
		for i := range perClient {
			block := make([]byte, blockBytes)
			for j := range block {
				block[j] = byte(rng.Uint32())
			}
			if err := s.p.Write(server, s.here, uint64(i)*blockBytes, block); err != nil {
				return err
			}
			kept[server*perClient+i] = block
		}
	}
	got := make([]byte, blockBytes)
	for number, block := range kept {
		server, i := number/perClient, number%perClient
		if err := s.p.Read(server, rooms[server], uint64(i)*blockBytes, got); err != nil {
			return err
		}
		if !bytes.Equal(got, block) {
			return fmt.Errorf("block %d at server %d has changed", i, server)
		}
	}
	// What is outside of the room cannot be reached.
	if err := s.p.Write(s.servers[0], rooms[s.servers[0]], perClient*blockBytes-1, got[:2]); err == nil {
		return fmt.Errorf("server %d took a block that does not fit", s.servers[0])
	}
	for _, server := range s.servers {
		if err := s.p.Unsolicited(server, idDone, nil); err != nil {
			return err
		}
	}
	return nil
}

// await reads the queue until n messages of an id have come, and gives room to clients that ask.
func (s *store) await(id, n int) error {
	for s.seen[id] < n {
		ev := s.p.Next()
		if ev.Err != nil {
			return ev.Err
		}
		if ev.Kind != user.Arrived || ev.ID >= len(s.seen) {
			return fmt.Errorf("peer %d sent %v %d", ev.Peer, ev.Kind, ev.ID)
		}
		s.seen[ev.ID]++
		switch ev.ID {
		case idRoom:
			room, err := s.p.Expose(make([]byte, perClient*blockBytes))
			if err != nil {
				return err
			}
			s.rooms = append(s.rooms, room)
			if err := s.p.Unsolicited(ev.Peer, idHere, binary.LittleEndian.AppendUint64(nil, uint64(room))); err != nil {
				return err
			}
		case idHere:
			if len(ev.Data) != 8 {
				return fmt.Errorf("server %d answered with %d bytes", ev.Peer, len(ev.Data))
			}
			s.here = user.Segment(binary.LittleEndian.Uint64(ev.Data))
		}
	}
	return nil
}
