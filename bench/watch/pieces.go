package watch

import (
	"errors"
	"fmt"
	"os"
	"time"

	"rhinet/bench"
	"rhinet/internal/observe"
	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/match"
	"rhinet/llc/nics"
	"rhinet/llc/port"
	"rhinet/mpi"
	"rhinet/nicemu/fabric"
)

// A Piece is a fixed amount of work that one goroutine does without waiting, so that it takes the same
// number of instructions every time.
type Piece struct {
	Name  string
	About string
	// Few and Many are the repetitions of two runs, whose difference excludes the cost of starting and
	// ending.
	Few, Many int
	open      func(nic string) (*setup, error) // on a NIC
}

// A setup is a piece that is ready to run.
type setup struct {
	step  func() error
	close func() error
}

// Pieces returns the pieces that are counted.
func Pieces() []Piece {
	return []Piece{
		{"message 8", "8 bytes from one port to another, both ends", 1000, 21000, func(nic string) (*setup, error) { return message(nic, 8) }},
		{"message 64", "64 bytes from one port to another, which do not fit a line but its slot", 1000, 11000, func(nic string) (*setup, error) { return message(nic, 64) }},
		{"message 4096", "4096 bytes from one port to another, in packets", 500, 5500, func(nic string) (*setup, error) { return message(nic, 4096) }},
		{"message 81920", "81920 bytes from one port to another, which copies them", 200, 2200, func(nic string) (*setup, error) { return pulled(nic, 81920) }},
		{"window 64", "64 sends of 8 bytes and their receives, started, and completed by WaitAll", 20, 420, func(nic string) (*setup, error) { return windows(nic, worlds) }},
		{"sendrecv 8", "a Sendrecv of 8 bytes with a rank that calls Send and Recv", 1000, 11000, sendrecv},
		{"traffic 8", "8 bytes from one rank to another by Send and Recv", 1000, 11000, func(nic string) (*setup, error) { return traffic(nic, worlds) }},
		{"observed 8", "the same by ranks whose calls are counted, as mpirun --stats does", 1000, 11000, func(nic string) (*setup, error) { return traffic(nic, counted) }},
		{"traced 8", "the same by ranks whose calls are written down, as mpirun --trace does", 1000, 11000, func(nic string) (*setup, error) { return traffic(nic, traced) }},
		{"checked 8", "the same by ranks that are checked, as mpirun --check does", 1000, 11000, func(nic string) (*setup, error) { return traffic(nic, checked) }},
		{"observed window 64", "window 64 by ranks whose calls are counted", 20, 420, func(nic string) (*setup, error) { return windows(nic, counted) }},
		{"traced window 64", "window 64 by ranks whose calls are written down", 20, 420, func(nic string) (*setup, error) { return windows(nic, traced) }},
		{"checked window 64", "window 64 by ranks that are checked", 20, 420, func(nic string) (*setup, error) { return windows(nic, checked) }},
		{"allreduce 8", "Allreduce of 8 bytes by two ranks", 500, 5500, func(nic string) (*setup, error) { return together(nic, worlds, allreduce) }},
		{"observed allreduce 8", "the same by ranks whose calls are counted", 500, 5500, func(nic string) (*setup, error) { return together(nic, counted, allreduce) }},
		{"traced allreduce 8", "the same by ranks whose calls are written down", 500, 5500, func(nic string) (*setup, error) { return together(nic, traced, allreduce) }},
		{"checked allreduce 8", "the same by ranks that are checked", 500, 5500, func(nic string) (*setup, error) { return together(nic, checked, allreduce) }},
		{"barrier", "Barrier of two ranks", 500, 5500, func(nic string) (*setup, error) { return together(nic, worlds, barrier) }},
		{"observed barrier", "the same by ranks whose calls are counted", 500, 5500, func(nic string) (*setup, error) { return together(nic, counted, barrier) }},
		{"traced barrier", "the same by ranks whose calls are written down", 500, 5500, func(nic string) (*setup, error) { return together(nic, traced, barrier) }},
		{"checked barrier", "the same by ranks that are checked", 500, 5500, func(nic string) (*setup, error) { return together(nic, checked, barrier) }},
		{"gather 8", "Gather of 8 bytes of each of two ranks", 500, 5500, func(nic string) (*setup, error) { return rooted(nic, 1, gather) }},
		{"gatherv 8", "the same with counts", 500, 5500, func(nic string) (*setup, error) { return rooted(nic, 1, gatherv) }},
		{"scatter 8", "Scatter of 8 bytes to each of two ranks", 500, 5500, func(nic string) (*setup, error) { return rooted(nic, 0, scatter) }},
		{"scatterv 8", "the same with counts", 500, 5500, func(nic string) (*setup, error) { return rooted(nic, 0, scatterv) }},
		{"alltoall 8", "Alltoall of 8 bytes between two ranks", 500, 5500, func(nic string) (*setup, error) { return everyone(nic, alltoall) }},
		{"alltoallv 8", "the same with counts", 500, 5500, func(nic string) (*setup, error) { return everyone(nic, alltoallv) }},
		{"match 32", "32 receives posted, and taken by messages from the last to the first", 200, 2200, matching},
		{"iallreduce 8", "an Iallreduce of 8 bytes with its Wait, by two ranks one after the other", 500, 5500, iallreduce},
		{"ibarrier", "an Ibarrier with its Wait, by two ranks one after the other", 500, 5500, ibarrier},
		{"igatherv 8", "an Igatherv of 8 bytes of each rank with its Wait, by two ranks one after the other", 500, 5500, igatherv},
		{"allreduceinit 8", "iallreduce 8 by persistent requests", 500, 5500, allreduceInit},
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

// Do runs the piece reps times on a NIC.
func (p Piece) Do(nic string, reps int) error {
	b, err := p.open(nic)
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

// message transfers bytes from one port to another.
func message(nic string, bytes int) (*setup, error) {
	ports, closeAll, err := couple(nic, nics.Debug{}, [2]*observe.Rank{})
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

// pulled transfers messages that the receiver copies from the sender's memory.
func pulled(nic string, bytes int) (*setup, error) {
	ports, closeAll, err := couple(nic, nics.Debug{}, [2]*observe.Rank{})
	if err != nil {
		return nil, err
	}
	from, to := ports[0], ports[1]
	send := &llc.Request{Peer: 1, Tag: 7, Buf: make([]byte, bytes)}
	in := make([]byte, bytes)
	step := func() error {
		from.Start(send, true)
		if _, err := to.Recv(0, 0, 7, in); err != nil {
			return err
		}
		from.Wait(send)
		return send.Status.Err
	}
	return &setup{step, closeAll}, nil
}

// coupleSettles is the time after which messages take their final path: membarrier does not reach processes
// that have just started.
const coupleSettles = 250 * time.Millisecond

// couple returns two ports with rings to each other, checked according to d and observed by by.
func couple(name string, d nics.Debug, by [2]*observe.Rank) (ports [2]*port.Port, closeAll func() error, err error) {
	g := nics.Geometry(name, fabric.Default(), 2)
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
	if err := register(name, file); err != nil {
		return ports, nil, errors.Join(err, closeAll())
	}
	for i := range ports {
		f, err := fabric.Map(file)
		if err != nil {
			return ports, nil, errors.Join(err, closeAll())
		}
		closers = append(closers, f.Close)
		nic, err := nics.OpenWatched(name, f, i, d)
		if err != nil {
			return ports, nil, errors.Join(err, closeAll())
		}
		p := port.New(port.Config{NIC: nic, Policy: wait.For(2, 2, false), Observe: by[i]})
		ports[i] = p
		closers = append(closers, func() error { p.Abandon(); _ = p.Close(); return nil }) // the result does not matter
	}
	for i := range 160 { // until both have their own rings, which messages use in a settled job
		if i == 16 {
			time.Sleep(coupleSettles)
		}
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

// An opener returns the world communicators of two ranks with rings to each other. The transport of rank 0
// goes through relay, if that is not nil.
type opener func(nic string, through *relay) (ranks [2]*mpi.Comm, closeAll func() error, err error)

// worlds is the opener for ranks that are neither checked nor observed.
func worlds(nic string, through *relay) ([2]*mpi.Comm, func() error, error) {
	return join(nic, through, nics.Debug{}, mpi.Job{})
}

// checked is the opener for ranks that are checked.
func checked(nic string, through *relay) ([2]*mpi.Comm, func() error, error) {
	return join(nic, through, nics.Debug{Checksum: true}, mpi.Job{Debug: true, Check: true, Forgotten: func(string) {}})
}

// join returns two ranks of a job like j, checked according to d.
func join(nic string, through *relay, d nics.Debug, j mpi.Job) (ranks [2]*mpi.Comm, closeAll func() error, err error) {
	return joinObserved(nic, through, d, j, [2]*observe.Rank{})
}

// joinObserved is join for ranks that are observed by by.
func joinObserved(nic string, through *relay, d nics.Debug, j mpi.Job, by [2]*observe.Rank) (ranks [2]*mpi.Comm, closeAll func() error, err error) {
	ports, closeAll, err := couple(nic, d, by)
	if err != nil {
		return ranks, nil, err
	}
	for i := range ranks {
		j.Rank, j.Size, j.Transport, j.Observe = i, 2, ports[i], by[i]
		if i == 0 && through != nil {
			through.Transport, j.Transport = ports[i], through
		}
		if ranks[i], err = mpi.Join(j); err != nil {
			return ranks, nil, errors.Join(err, closeAll())
		}
	}
	return ranks, closeAll, nil
}

func counted(nic string, through *relay) ([2]*mpi.Comm, func() error, error) {
	return observedWorlds(nic, through, false)
}

func traced(nic string, through *relay) ([2]*mpi.Comm, func() error, error) {
	return observedWorlds(nic, through, true)
}

// observedWorlds returns worlds whose calls are counted or traced.
func observedWorlds(nic string, through *relay, traced bool) (ranks [2]*mpi.Comm, closeAll func() error, err error) {
	var by [2]*observe.Rank
	closePorts := func() error { return nil }
	closeAll = func() error {
		err := closePorts()
		for _, o := range by {
			if o != nil {
				err = errors.Join(err, o.Close())
			}
		}
		return err
	}
	for i := range by {
		if by[i], err = observe.Private(i, 2, traced); err != nil {
			return ranks, nil, errors.Join(err, closeAll())
		}
	}
	var ports func() error
	if ranks, ports, err = joinObserved(nic, through, nics.Debug{}, mpi.Job{}, by); err != nil {
		return ranks, nil, errors.Join(err, closeAll())
	}
	closePorts = ports
	return ranks, closeAll, nil
}

// traffic sends from one rank to the other.
func traffic(nic string, open opener) (*setup, error) {
	ranks, closeAll, err := open(nic, nil)
	if err != nil {
		return nil, err
	}
	buf, in := make([]byte, 8), make([]byte, 8)
	step := func() error {
		if err := mpi.Send(ranks[0], buf, 1, 1); err != nil {
			return err
		}
		_, err := mpi.Recv(ranks[1], in, 0, 1)
		return err
	}
	return &setup{step, closeAll}, nil
}

// window is how many messages are in flight at the same time in the piece of that name.
const window = 64

// windows starts many sends and as many receives, and completes them.
func windows(nic string, open opener) (*setup, error) {
	ranks, closeAll, err := open(nic, nil)
	if err != nil {
		return nil, err
	}
	buf, in := make([]byte, 8), make([]byte, 8*window)
	var into [window][]byte // separate ones, which the checks require
	var sends, recvs [window]mpi.Request
	var all [2][]*mpi.Request
	for i := range window {
		into[i] = in[8*i:][:8]
		all[0], all[1] = append(all[0], &sends[i]), append(all[1], &recvs[i])
	}
	step := func() error {
		for i := range window {
			recvs[i] = *mpi.Irecv(ranks[1], into[i], 0, 1)
		}
		for i := range window {
			sends[i] = *mpi.Isend(ranks[0], buf, 1, 1)
		}
		return errors.Join(mpi.WaitAll(all[0]...), mpi.WaitAll(all[1]...))
	}
	return &setup{step, closeAll}, nil
}

// sendrecv has one rank call Sendrecv with another one that uses blocking calls.
func sendrecv(nic string) (*setup, error) {
	ranks, closeAll, err := worlds(nic, nil)
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
func register(name string, file *os.File) error {
	f, err := fabric.Map(file)
	if err != nil {
		return err
	}
	return errors.Join(nics.Register(name, f), f.Close())
}

// matching fills the queue of posted receives, and empties it from its end.
func matching(string) (*setup, error) {
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

// self sends through the complete package mpi, in a world of one rank.
func self(string) (*setup, error) {
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
