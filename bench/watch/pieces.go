package watch

import (
	"errors"
	"fmt"
	"os"

	"rhinet/bench"
	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/match"
	"rhinet/llc/nics"
	"rhinet/llc/port"
	"rhinet/mpi"
	"rhinet/nicemu/fabric"
)

// A Piece is a fixed amount of work that one goroutine does without waiting
// for anybody, so that the instructions it takes are the same every time.
type Piece struct {
	Name  string
	About string
	// Few and Many are the repetitions of two runs, whose difference is free of
	// what starting and ending cost.
	Few, Many int
	open      func() (*setup, error)
}

// A setup is a piece that is ready to be done.
type setup struct {
	step  func() error
	close func() error
}

// Pieces are the ways of a message that are counted.
func Pieces() []Piece {
	return []Piece{
		{"message 8", "8 bytes from one port to another, both ends", 1000, 21000, func() (*setup, error) { return message(8) }},
		{"message 4096", "4096 bytes from one port to another, in packets", 500, 5500, func() (*setup, error) { return message(4096) }},
		{"window 64", "64 sends of 8 bytes and their receives, started, and completed by WaitAll", 20, 420, windows},
		{"sendrecv 8", "a Sendrecv of 8 bytes with a rank that calls Send and Recv", 1000, 11000, sendrecv},
		{"match 32", "32 receives posted, and taken by messages from the last to the first", 200, 2200, matching},
		{"self 8", "Isend, Recv and Wait of 8 bytes by one rank with itself", 1000, 21000, self},
	}
}

// FindPiece returns the piece called name, or an error that lists the names.
func FindPiece(name string) (Piece, error) {
	p, known, ok := bench.Pick(Pieces(), func(p Piece) string { return p.Name }, name)
	if !ok {
		return p, fmt.Errorf("unknown piece %q; the pieces are %s", name, known)
	}
	return p, nil
}

// Do does the piece reps times.
func (p Piece) Do(reps int) error {
	b, err := p.open()
	if err != nil {
		return err
	}
	for range reps {
		if err := b.step(); err != nil {
			return errors.Join(err, b.close())
		}
	}
	return b.close()
}

// message moves bytes from one port to another.
func message(bytes int) (*setup, error) {
	ports, closeAll, err := couple()
	if err != nil {
		return nil, err
	}
	from, to := ports[0], ports[1]
	buf, in := make([]byte, bytes), make([]byte, bytes)
	step := func() error {
		if err := from.Send(0, 1, 7, llc.Standard, buf); err != nil {
			return err
		}
		_, err := to.Recv(0, 0, 7, in)
		return err
	}
	return &setup{step, closeAll}, nil
}

// couple returns two ports that have rings at each other.
func couple() (ports [2]*port.Port, closeAll func() error, err error) {
	g := fabric.Default()
	g.Common = 0 // nothing is reserved, and simulated processors have fewer addresses
	file, err := fabric.Create(2, g)
	if err != nil {
		return ports, nil, err
	}
	closers := []func() error{file.Close}
	closeAll = func() (err error) {
		for i := range closers {
			err = errors.Join(err, closers[len(closers)-1-i]())
		}
		return err
	}
	if err := register(file); err != nil {
		return ports, nil, errors.Join(err, closeAll())
	}
	for i := range ports {
		f, err := fabric.Map(file)
		if err != nil {
			return ports, nil, errors.Join(err, closeAll())
		}
		closers = append(closers, f.Close)
		nic, err := nics.Open(nics.Default, f, i)
		if err != nil {
			return ports, nil, errors.Join(err, closeAll())
		}
		ports[i] = port.New(port.Config{NIC: nic, Policy: wait.For(2, 2, false)})
	}
	for i := range 16 { // until both have rings of their own
		from, to := i%2, 1-i%2
		err := ports[from].Send(0, to, 7, llc.Standard, nil)
		if err == nil {
			_, err = ports[to].Recv(0, from, 7, nil)
		}
		if err != nil {
			return ports, nil, errors.Join(err, closeAll())
		}
	}
	return ports, closeAll, nil
}

// worlds returns the world communicators of two ranks that have rings at each other.
func worlds() (ranks [2]*mpi.Comm, closeAll func() error, err error) {
	ports, closeAll, err := couple()
	if err != nil {
		return ranks, nil, err
	}
	for i := range ranks {
		if ranks[i], err = mpi.Join(mpi.Job{Rank: i, Size: 2, Transport: ports[i]}); err != nil {
			return ranks, nil, errors.Join(err, closeAll())
		}
	}
	return ranks, closeAll, nil
}

// window is how many messages are under way at once in the piece of that name.
const window = 64

// windows starts many sends and as many receives, and completes them.
func windows() (*setup, error) {
	ranks, closeAll, err := worlds()
	if err != nil {
		return nil, err
	}
	buf, in := make([]byte, 8), make([]byte, 8)
	var sends, recvs [window]mpi.Request
	var all [2][]*mpi.Request
	for i := range window {
		all[0], all[1] = append(all[0], &sends[i]), append(all[1], &recvs[i])
	}
	step := func() error {
		for i := range window {
			recvs[i] = *mpi.Irecv(ranks[1], in, 0, 1)
		}
		for i := range window {
			sends[i] = *mpi.Isend(ranks[0], buf, 1, 1)
		}
		return errors.Join(mpi.WaitAll(all[0]...), mpi.WaitAll(all[1]...))
	}
	return &setup{step, closeAll}, nil
}

// sendrecv has one rank exchange messages with another, which uses blocking calls.
func sendrecv() (*setup, error) {
	ranks, closeAll, err := worlds()
	if err != nil {
		return nil, err
	}
	buf, in := make([]byte, 8), make([]byte, 8)
	step := func() error {
		err := mpi.Send(ranks[1], buf, 0, 1)
		if err == nil {
			_, err = mpi.Sendrecv(ranks[0], buf, 1, 1, in, 1, 1)
		}
		if err == nil {
			_, err = mpi.Recv(ranks[1], in, 0, 1)
		}
		return err
	}
	return &setup{step, closeAll}, nil
}

// register does the launcher's part.
func register(file *os.File) error {
	f, err := fabric.Map(file)
	if err != nil {
		return err
	}
	return errors.Join(nics.Register(nics.Default, f), f.Close())
}

// matching fills the queue of posted receives, and empties it from behind.
func matching() (*setup, error) {
	const deep = 32
	type owner struct{ number int }
	table := match.New[owner, owner](2)
	entries := make([]match.Receive[owner], deep)
	for i := range entries {
		entries[i].Owner = &owner{i}
	}
	step := func() error {
		for i := range entries {
			table.Post(&entries[i], 0, 1, int32(i))
		}
		for i := range entries {
			if o, _ := table.Arrive(0, 1, int32(deep-1-i), 0); o == nil || o.number != deep-1-i {
				return fmt.Errorf("message %d finds the receive %+v", deep-1-i, o)
			}
		}
		return nil
	}
	return &setup{step, func() error { return nil }}, nil
}

// self sends through the whole of package mpi, in a world of one rank.
func self() (*setup, error) {
	world, err := mpi.Init()
	if err != nil {
		return nil, err
	}
	buf, in := make([]byte, 8), make([]byte, 8)
	step := func() error {
		r := mpi.Isend(world, buf, 0, 1)
		_, err := mpi.Recv(world, in, 0, 1)
		_, late := r.Wait()
		return errors.Join(err, late)
	}
	return &setup{step, func() error { return mpi.Finalize(world) }}, nil
}
