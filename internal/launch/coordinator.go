package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"rhinet/internal/control"
	"rhinet/internal/fserror"
	"rhinet/internal/kvs/own"
	"rhinet/internal/output"
	"rhinet/internal/program"
)

const (
	callPatience = 30 * time.Second       // for a daemon to connect
	lookPatience = 300 * time.Millisecond // for hosts to report what their ranks wait for
	leaveTime    = 2 * time.Second        // for a daemon to end when its job has
	lastWords    = 200 * time.Millisecond // for its launcher to report how it ended
)

// A coordinator starts the daemons of a job on several hosts and follows them. It has the role that parent
// has on one host, and shows the watcher what the daemons report.
type coordinator struct {
	plan  *Plan
	key   control.Key
	begin time.Time
	hosts []*host  // those with ranks, in order
	code  [][]byte // of the programs that are sent

	ranks *ranks
	mux   *output.Mux
	input *os.File
	exits chan<- []exit
	ready chan<- error
	lost  chan lostHost

	following sync.WaitGroup
	streams   [2][]*output.Stream // of each rank
	taken     chan int            // bytes that the host of rank 0 has passed on to it
	reported  chan struct{}

	mu     sync.Mutex // guards the fields below and the state of hosts
	looks  int
	states []state
	gone   []departed
}

// A host is one on which a daemon runs ranks of the job. The mu of its coordinator guards the mutable fields.
type host struct {
	Host
	number  int
	ranks   []int
	process *launcher
	conn    *control.Conn // nil: the daemon has not connected
	cpus    int
	begun   chan *begun
	outputs chan *piece
	ordered bool          // ranks may run there
	done    bool          // no rank runs there any more, or it cannot be known
	looked  int           // the number of its latest report
	ahead   time.Duration // difference of its clock, as far as known
	heard   bool          // ahead is known
	set     bool          // ahead is final

}

// A lostHost is a host that has left the job, and the reason.
type lostHost struct {
	*host
	err error
}

func newCoordinator(p *Plan) *coordinator {
	l := &coordinator{plan: p, key: control.NewKey(), begin: time.Now(), states: make([]state, len(p.slots)),
		taken: make(chan int, 1), reported: make(chan struct{}, 1)}
	at := map[int]*host{}
	for r, n := range p.away.hosts {
		h := at[n]
		if h == nil {
			// outputs has room for all pieces that a daemon may send before one is acknowledged.
			h = &host{Host: p.job.Hosts[n], number: n, begun: make(chan *begun, 1), outputs: make(chan *piece, window/besidePiece)}
			at[n] = h
			l.hosts = append(l.hosts, h)
		}
		h.ranks = append(h.ranks, r)
	}
	l.lost = make(chan lostHost, len(l.hosts))
	return l
}

// run is the coordinator's goroutine. It returns when no rank is left, or none that is still reachable. The go
// command ends with its thread.
func (l *coordinator) run(ctx context.Context) {
	runtime.LockOSThread()
	for r := range l.states {
		l.streams[0], l.streams[1] = append(l.streams[0], l.mux.Stream(r, false)), append(l.streams[1], l.mux.Stream(r, true))
	}
	end, err := l.start(ctx)
	defer end()
	l.ready <- err
	l.following.Wait()
}

// start builds programs, starts daemons, and has them start the ranks. end releases what start has created.
func (l *coordinator) start(ctx context.Context) (end func(), err error) {
	var undo []func()
	end = func() {
		for i := len(undo); i > 0; i-- {
			undo[i-1]()
		}
	}
	parts, err := l.partSpecs(ctx)
	if err != nil {
		return end, err
	}
	bind := ""
	if l.plan.job.Interface != "" {
		found, err := addresses(l.plan.job.Interface, 0)
		if err != nil {
			return end, &refusal{err.Error()}
		}
		bind = found[0][:len(found[0])-len(":0")]
	}
	listener, err := control.Listen(bind+":0", l.key)
	if err != nil {
		return end, fmt.Errorf("cannot listen for the hosts of the job: %w", err)
	}
	undo = append(undo, func() { listener.Close() })
	where, err := addresses(l.plan.job.Interface, listener.Port())
	if err != nil {
		return end, err
	}
	undo = append(undo, l.dismiss)
	if err := l.launch(where); err != nil {
		return end, err
	}
	if err := l.gather(ctx, listener); err != nil {
		return end, err
	}
	store := l.plan.job.Store
	key := l.key.For("store")
	if store == "" {
		server, err := own.Serve(bind+":0", key, len(l.states))
		if err != nil {
			return end, fmt.Errorf("cannot serve the key-value store of the job: %w", err)
		}
		undo = append(undo, func() { server.Close() })
		store = server.Address()[len(hostOf(server.Address())):]
	}
	return end, l.order(ctx, orders{
		Size: len(l.states), Parts: parts, Environ: l.plan.environ, Env: l.plan.job.Env, NIC: l.plan.job.NIC, Tuning: l.plan.job.Tuning,
		Bind: l.plan.job.Bind, KeepGoing: l.plan.job.KeepGoing, RingMemory: l.plan.job.RingMemory, Gather: l.plan.job.Gather, CPUs: l.processors(), Columns: l.plan.columns, Store: store, Key: key,
	})
}

// hostOf returns the HOST of HOST:PORT.
func hostOf(address string) string {
	i := len(address) - 1
	for i > 0 && address[i] != ':' {
		i--
	}
	return address[:i]
}

// partSpecs returns the parts of the job for daemons, with the programs that are sent.
func (l *coordinator) partSpecs(ctx context.Context) ([]partSpec, error) {
	remove, err := program.Build(ctx, l.plan.programs, l.plan.buildFlags())
	if err != nil {
		return nil, err
	}
	defer remove()
	var all []partSpec
	for i := range l.plan.programs {
		part, prog := &l.plan.job.Parts[i], &l.plan.programs[i]
		e := partSpec{Name: prog.Command(), Path: prog.Path, Args: part.Args, Dir: part.Dir, Env: part.Env}
		if prog.Package != "" || l.plan.job.Preload {
			code, err := os.ReadFile(prog.Path)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", prog.Name, fserror.Reason(err))
			}
			l.code, e.Image = append(l.code, code), len(code)
		}
		all = append(all, e)
	}
	return all, nil
}

// launch starts the daemons and tells them where to connect.
func (l *coordinator) launch(where []string) error {
	for _, h := range l.hosts {
		var err error
		h.process, err = startLauncher(l.plan.job.reach(h.Host), &invitation{invitationVersion, h.number, l.key, where})
		if err != nil {
			return &refusal{fmt.Sprintf("host %s: %v", h.Name, err)}
		}
	}
	return nil
}

// gather waits until all daemons have connected.
func (l *coordinator) gather(ctx context.Context, listener *control.Listener) error {
	patience := time.NewTimer(callPatience)
	defer patience.Stop()
	type call struct {
		conn  *control.Conn
		hello *hello
	}
	calls, failed := make(chan call), make(chan error, len(l.hosts))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for _, h := range l.hosts {
		go func() {
			select {
			case <-h.process.over:
				failed <- &refusal{fmt.Sprintf("host %s: %s before its daemon called%s", h.Name, h.process.outcome(), h.process.words())}
			case <-ctx.Done():
			}
		}()
	}
	answer := func(conn *control.Conn) {
		var m message
		if err := conn.Receive(&m); err != nil || m.Hello == nil {
			conn.Close()
			return
		}
		select {
		case calls <- call{conn, m.Hello}:
		case <-ctx.Done():
			conn.Close()
		}
	}
	for missing := len(l.hosts); missing > 0; {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-failed:
			return err
		case <-patience.C:
			return fmt.Errorf("host %s: its daemon has not called within %v; can it reach this host? --iface names the network interface that it can reach", l.silentHost(), callPatience)
		case conn := <-listener.Conns():
			go answer(conn)
		case c := <-calls:
			if l.called(c.conn, c.hello) {
				missing--
			} else {
				c.conn.Close()
			}
		}
	}
	return nil
}

// silentHost returns the name of a host whose daemon has not connected.
func (l *coordinator) silentHost() string {
	for _, h := range l.hosts {
		if h.conn == nil {
			return h.Name
		}
	}
	return ""
}

// called accepts the connection of a daemon, and reports whether that daemon was missing.
func (l *coordinator) called(conn *control.Conn, m *hello) bool {
	for _, h := range l.hosts {
		if h.number == m.Host && h.conn == nil {
			l.mu.Lock()
			h.conn, h.cpus = conn, m.CPUs
			h.hear(m.Now)
			l.mu.Unlock()
			return true
		}
	}
	return false
}

// processors returns how many processors ranks are told to share: as many as if every host were as
// oversubscribed as the most oversubscribed one, since all ranks must make the same choice.
func (l *coordinator) processors() int {
	least, n := 0, len(l.states)
	for i, h := range l.hosts {
		if c := max(1, h.cpus*n/len(h.ranks)); i == 0 || c < least {
			least = c
		}
	}
	return least
}

// order sends all daemons their orders, and waits until their ranks run.
func (l *coordinator) order(ctx context.Context, common orders) error {
	l.ranks.begun.Store(true)
	for _, h := range l.hosts {
		o := common
		o.Ranks = h.ranks
		for _, r := range h.ranks {
			o.Slots = append(o.Slots, l.plan.slots[r].Part)
		}
		o.Input = l.input != nil && h.ranks[0] == 0
		l.following.Go(func() {
			if l.instruct(h, &o) && o.Input {
				go l.feed(h)
			}
		})
		l.following.Go(func() { l.follow(h) })
		l.mux.Go(func() { l.print(h) })
	}
	var failed error
	for _, h := range l.hosts {
		select {
		case b, ok := <-h.begun:
			if !ok {
				b = &begun{Err: "its daemon does not say whether the ranks run"}
			}
			if err := h.started(b); err != nil && failed == nil {
				failed = err
			}
			for i, pid := range b.PIDs {
				l.ranks.started(h.ranks[i], pid)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return failed
}

// instruct sends a daemon its orders and programs, and the messages that it has missed in the meantime.
func (l *coordinator) instruct(h *host, o *orders) bool {
	err := h.conn.Send(&message{Orders: o})
	if err == nil {
		err = sendCode(h.conn, l.code)
	}
	if err != nil {
		_ = h.conn.Close() // follow notices it
		return false
	}
	l.mu.Lock()
	h.ordered = true
	gone := slices.Clone(l.gone)
	l.mu.Unlock()
	if len(gone) > 0 {
		_ = h.conn.Send(&message{Ended: gone})
	}
	if l.ranks.stop.Load() {
		_ = h.conn.Send(&message{Signal: syscall.SIGKILL})
	}
	return true
}

// started returns why not all ranks of a host run, or nil if they do.
func (h *host) started(b *begun) error {
	switch text := fmt.Sprintf("host %s: %s", h.Name, b.Err); {
	case b.Err == "":
		return nil
	case b.Usage:
		return &refusal{text}
	default:
		return errors.New(text)
	}
}

// dismiss closes the connections, which ends the daemons, and ends the commands that started them.
func (l *coordinator) dismiss() {
	var all sync.WaitGroup
	for _, h := range l.hosts {
		all.Go(func() {
			if h.conn != nil {
				_ = h.conn.Close()
			}
			if h.process != nil {
				h.process.end(leaveTime)
			}
		})
	}
	all.Wait()
}
