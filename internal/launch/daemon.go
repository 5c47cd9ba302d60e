package launch

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"rhinet/internal/control"
	"rhinet/internal/fserror"
	"rhinet/internal/kvs/own"
	"rhinet/internal/program"
	"rhinet/internal/wait"
)

// A daemon runs the ranks of a job on one of several hosts.
type daemon struct {
	conn   *control.Conn
	open   func(nic string, ranks int) (Fabric, error)
	orders *orders
	images []image // of each part

	plan   *Plan
	ranks  *ranks
	fabric Fabric
	output *exporter
	input  chan *piece // for rank 0; nil: rank 0 has no input
	kept   gatherer
}

// Daemon runs mpirun's part on one host of a job on several hosts. It reads from stdin how to reach the
// leading mpirun, and ends when stdin or the connection closes; open creates the memory of the ranks on
// this host. It returns the exit status.
func Daemon(stdin io.Reader, stderr io.Writer, open func(nic string, ranks int) (Fabric, error)) int {
	in := bufio.NewReader(stdin)
	to, err := readInvitation(in)
	if err == nil {
		err = attend(to, in, open)
	}
	if err != nil {
		fmt.Fprintf(stderr, "mpirun on this host: %v\n", err)
		return StatusFailed
	}
	return 0
}

func readInvitation(in *bufio.Reader) (*invitation, error) {
	line, err := in.ReadBytes('\n')
	to := new(invitation)
	if err == nil {
		err = json.Unmarshal(line, to)
	}
	switch {
	case err != nil:
		return nil, errors.New("its standard input does not say how to reach the mpirun that leads; this mode is for mpirun --hosts")
	case to.Version != invitationVersion:
		return nil, fmt.Errorf("it speaks version %d, and the mpirun that leads version %d; use one build on all hosts", invitationVersion, to.Version)
	}
	return to, nil
}

// attend connects to the leading mpirun and follows its orders.
func attend(to *invitation, stdin io.Reader, open func(string, int) (Fabric, error)) error {
	conn, err := control.Dial(to.Addresses, to.Key)
	if err != nil {
		return fmt.Errorf("the mpirun that leads cannot be reached at %s: %w", strings.Join(to.Addresses, ", "), err)
	}
	defer conn.Close()
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		conn.Close()
	}()
	d := &daemon{conn: conn, open: open}
	defer d.release()
	if err := conn.Send(&message{Hello: &hello{to.Host, usableLimit(), time.Now()}}); err != nil {
		return err
	}
	var m message
	if err := conn.Receive(&m); err != nil || m.Orders == nil {
		return severed(err) // if it is nil, mpirun has given up, and says why
	}
	d.orders = m.Orders
	if d.images, err = fetch(conn, d.orders.Parts); err != nil {
		return severed(err)
	}
	return severed(d.work(to.Host))
}

// severed returns what is to be said of the end of the connection to the leading mpirun: nothing, if that
// has closed it, or if this side has because its input is closed.
func severed(err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return fmt.Errorf("the connection to the mpirun that leads has failed: %w", err)
}

// release releases the resources of the ranks.
func (d *daemon) release() {
	for i := range d.images {
		d.images[i].close()
	}
	if d.fabric != nil {
		d.fabric.Close()
	}
	d.kept.close()
}

// work runs the ranks until they have ended. It returns how the connection has ended.
func (d *daemon) work(host int) (end error) {
	d.ranks = &ranks{list: make([]rank, len(d.orders.Ranks))}
	d.output = newExporter(func(m *message) error { return d.conn.Send(m) }, func(r int) int { return d.orders.Ranks[r] })
	var listening sync.WaitGroup
	err := d.prepare(host)
	listening.Go(func() { end = d.listen() })
	if err != nil {
		d.begun(err)
	} else {
		d.runRanks()
	}
	d.output.finish()
	err = d.kept.send(d.orders.Ranks, func(p *Parcel) error { return d.conn.Send(&message{Parcel: p}) })
	if err == nil {
		err = d.conn.Send(&message{Done: true})
	}
	if err != nil {
		d.conn.Close() // mpirun then reports that it has lost this host
	}
	listening.Wait() // until mpirun has read everything and closed the connection
	return end
}

// runRanks starts the ranks and returns when none is left.
func (d *daemon) runRanks() {
	exits, ready := make(chan []exit, 16), make(chan error, 1)
	p := &parent{plan: d.plan, ranks: d.ranks, output: d.output, fabric: d.fabric, exits: exits, ready: ready}
	var feeding *os.File
	if d.input != nil {
		r, w, err := blockingPipe()
		if err != nil {
			d.begun(fmt.Errorf("no pipe for the input of rank 0: %w", err))
			return
		}
		p.input, feeding = r, w
		go d.feed(feeding)
	}
	go func() {
		p.run(context.Background())
		close(exits)
	}()
	for exits != nil {
		select {
		case err := <-ready:
			d.begun(err)
			ready = nil
			if p.input != nil {
				p.input.Close()
			}
		case batch, ok := <-exits:
			if !ok {
				exits = nil
				break
			}
			d.tell(batch)
		}
	}
	if ready != nil {
		d.begun(<-ready)
	}
}

// tell reports ranks that have ended or were stopped.
func (d *daemon) tell(batch []exit) {
	var all []departed
	for _, e := range batch {
		r := d.plan.number(e.rank)
		if !e.ws.Stopped() {
			d.fabric.MarkFailed(r)
		}
		all = append(all, departed{r, uint32(e.ws), d.fabric.Status(r)})
	}
	_ = d.conn.Send(&message{Ended: all})
}

// begun reports whether all ranks run.
func (d *daemon) begun(err error) {
	b := &begun{}
	for r := range d.ranks.list {
		b.PIDs = append(b.PIDs, d.ranks.pid(r))
	}
	if err != nil {
		b.Err, b.Usage = err.Error(), refused(err)
	}
	_ = d.conn.Send(&message{Begun: b})
}

// prepare sets up what the ranks need.
func (d *daemon) prepare(host int) (err error) {
	o := d.orders
	job := &Job{NIC: o.NIC, Tuning: o.Tuning, Bind: o.Bind, Env: o.Env, MaxRanks: o.Size, KeepGoing: o.KeepGoing, RingMemory: o.RingMemory}
	d.plan = &Plan{job: job, environ: ownEnv(o.Environ, os.Environ()), columns: o.Columns}
	for i := range o.Parts {
		e := &o.Parts[i]
		prog, err := d.program(e, &d.images[i])
		if err != nil {
			return err
		}
		job.Parts = append(job.Parts, Part{Program: e.Name, Args: e.Args, Dir: e.Dir, Env: e.Env})
		d.plan.programs = append(d.plan.programs, prog)
	}
	for i := range o.Ranks {
		job.Parts[o.Slots[i]].Ranks++
	}
	if err := checkDescriptors(len(o.Ranks)); err != nil {
		return err
	}
	cores := []int(nil)
	if o.Bind != BindNone {
		cores = usableCores()
	}
	d.plan.limit = usableLimit()
	d.plan.slots = place([]Part{{Ranks: len(o.Ranks)}}, cores, d.plan.limit, o.Bind)
	for i := range d.plan.slots {
		d.plan.slots[i].Part = o.Slots[i]
	}
	d.plan.threads = strconv.Itoa(wait.Threads(d.plan.limit, len(o.Ranks)))
	d.plan.away = away{numbers: o.Ranks, size: o.Size, cpus: o.CPUs, host: host, address: d.conn.Local(), store: o.Store, key: o.Key}
	if strings.HasPrefix(o.Store, ":") {
		d.plan.away.store = own.Scheme + net.JoinHostPort(d.conn.Remote(), o.Store[1:])
	}
	if o.Input {
		d.input = make(chan *piece, 1)
	}
	if err := d.kept.prepare(o.Gather, job); err != nil {
		return fmt.Errorf("no place for what the ranks write down: %w", err)
	}
	d.fabric, err = d.open(o.NIC, o.Size)
	if err != nil {
		return fmt.Errorf("no memory for the ranks to share: %w%s", err, limits(err))
	}
	return nil
}

// program finds the program of a part on this host, or takes the one that was sent.
func (d *daemon) program(e *partSpec, sent *image) (prog program.Program, err error) {
	if info, err := os.Stat(e.Dir); err != nil || !info.IsDir() {
		return program.Program{}, &refusal{fmt.Sprintf("there is no directory %s; --wdir names one that is there", e.Dir)}
	}
	prog = program.Program{Name: e.Name, Path: e.Path}
	if e.Image > 0 {
		if prog.Path, err = sent.path(); err != nil {
			return prog, fmt.Errorf("no place for the program %s: %w", e.Name, err)
		}
		return prog, nil
	}
	if _, err := os.Stat(e.Path); err != nil {
		return prog, &refusal{fmt.Sprintf("%s: %v; --preload sends it there", e.Path, fserror.Reason(err))}
	}
	return prog, nil
}

// listen follows the messages of mpirun. When the connection ends, so do the ranks; listen returns why it has
// ended.
func (d *daemon) listen() (end error) {
	for {
		var m message
		if end = d.conn.Receive(&m); end != nil {
			break
		}
		switch {
		case m.Signal != 0:
			if m.Signal == syscall.SIGTERM || m.Signal == syscall.SIGKILL {
				d.ranks.stop.Store(true)
			}
			d.ranks.signal(m.Signal)
		case m.Taken > 0:
			d.output.taken(m.Taken)
		case m.Look > 0:
			_ = d.conn.Send(&message{Report: d.report(m.Look)})
		case m.Input != nil && d.input != nil:
			d.input <- m.Input // only one piece is in flight at a time
		case m.Ended != nil && d.fabric != nil:
			d.markFailed(m.Ended)
		}
	}
	d.ranks.stop.Store(true)
	d.ranks.signal(syscall.SIGKILL)
	d.output.abandon()
	if d.input != nil {
		close(d.input)
	}
	return end
}

// markFailed tells the ranks on this host that others have ended.
func (d *daemon) markFailed(all []departed) {
	for i := range all {
		if e := &all[i]; e.Rank >= 0 && e.Rank < d.orders.Size && !syscall.WaitStatus(e.Wait).Stopped() {
			d.fabric.MarkFailed(e.Rank)
		}
	}
}

// report reports what the ranks on this host wait for.
func (d *daemon) report(number int) *report {
	r := &report{Number: number, Now: time.Now()}
	if d.fabric == nil {
		return r
	}
	for i, n := range d.orders.Ranks {
		r.Ranks = append(r.Ranks, state{n, d.fabric.Status(n), cpuTime(d.ranks.pid(i))})
	}
	return r
}

// feed passes input on to rank 0.
func (d *daemon) feed(w *os.File) {
	defer w.Close()
	for p := range d.input {
		if p.End {
			return
		}
		if _, err := w.Write(p.Data); err != nil {
			return // mpirun keeps the rest
		}
		_ = d.conn.Send(&message{Taken: p.weight()})
	}
}

// ownEnv returns the environment of mpirun, except for variables that describe its host and session, which
// keep their local values.
func ownEnv(mpirun, here []string) []string {
	local := func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return name == "HOSTNAME" || strings.HasPrefix(name, "SSH_")
	}
	var env []string
	for _, e := range mpirun {
		if !local(e) {
			env = append(env, e)
		}
	}
	for _, e := range here {
		if local(e) {
			env = append(env, e)
		}
	}
	return env
}

// handOver returns a descriptor from which a key can be read once, in hexadecimal.
func handOver(key []byte) (int, error) {
	r, w, err := pipe()
	if err != nil {
		return -1, err
	}
	defer syscall.Close(w)
	if _, err := syscall.Write(w, []byte(hex.EncodeToString(key))); err != nil {
		syscall.Close(r)
		return -1, err
	}
	return r, nil
}
