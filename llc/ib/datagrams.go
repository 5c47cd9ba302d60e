package ib

import (
	"rhinet/llc/datagram"
	"rhinet/llc/endpoint"
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/ib"
)

// DatagramName is the name of the NIC when only its unreliable datagrams are used.
const DatagramName = Name + ":ud"

// qkey is the Q_Key of the job's datagrams.
const qkey = 0x0dd

// receiveBytes is the size of one receive buffer: the global route header comes first.
const (
	routeBytes   = 40
	receiveBytes = routeBytes + datagram.MaxDatagram
)

// datagrams is the service of unreliable datagrams (infiniband, section 9.8) of one adapter.
type datagrams struct {
	hca   *ib.HCA
	qp    *ib.QP
	in    *ib.CQ
	queue *ib.ReceiveQueue
	room  []byte // receive buffers
	key   ib.Key // of room
	stage []byte // datagram being sent
	sent  ib.Key // of stage
	held  int    // index of the receive that Receive has given, or -1
	peers []address
	work  ib.WorkRequest
}

// An address is where datagrams for a peer go; the zero address is unknown.
type address struct {
	lid ib.LID
	qpn ib.QPN
}

// OpenDatagrams connects rank to the datagrams of its adapter in the memory of a job.
func OpenDatagrams(f *fabric.Fabric, rank int, o ib.Options, faults datagram.Faults, name string) (*datagram.Translator, error) {
	h, err := ib.Open(f, rank, o)
	if err != nil {
		return nil, err
	}
	// Packet rings are not used here, and their memory is the fastest to write for others.
	d := &datagrams{hca: h, held: -1, peers: make([]address, f.Ranks()), room: f.Bytes(rank, fabric.Rings)[:ib.Depth*receiveBytes], stage: make([]byte, datagram.MaxDatagram)}
	if err := d.open(); err != nil {
		_ = h.Close()
		return nil, err
	}
	return datagram.Open(endpoint.New(f, rank, ib.RetryExceeded), name, d, faults), nil
}

// open brings the queue pair to RTS, with all receives posted.
func (d *datagrams) open() error {
	domain := d.hca.AllocDomain()
	out, err := d.hca.CreateCQ()
	if err != nil {
		return err
	}
	if d.in, err = d.hca.CreateCQ(); err != nil {
		return err
	}
	if d.queue, err = d.hca.CreateReceiveQueue(domain, d.in, false); err != nil {
		return err
	}
	if d.qp, err = d.hca.CreateQP(ib.QPConfig{Service: ib.UD, Domain: domain, Send: out, Receive: d.queue}); err != nil {
		return err
	}
	if d.key, err = d.hca.Register(domain, d.room, ib.LocalWrite); err != nil {
		return err
	}
	if d.sent, err = d.hca.Register(domain, d.stage, ib.LocalWrite); err != nil {
		return err
	}
	if err = d.qp.Modify(ib.INIT, ib.Attributes{QKey: qkey}); err != nil {
		return err
	}
	for i := range ib.Depth {
		if err := d.post(i); err != nil {
			return err
		}
	}
	if err = d.qp.Modify(ib.RTR, ib.Attributes{}); err != nil {
		return err
	}
	return d.qp.Modify(ib.RTS, ib.Attributes{})
}

// receive returns the buffer of receive i.
func (d *datagrams) receive(i int) []byte { return d.room[i*receiveBytes : (i+1)*receiveBytes] }

func (d *datagrams) post(i int) error { return d.queue.Post(uint64(i), d.receive(i), d.key) }

// Send sends a datagram to the queue pair of a peer, if it exists.
func (d *datagrams) Send(peer int, b []byte) {
	a := &d.peers[peer]
	if a.qpn == 0 {
		var ok bool
		if a.lid, a.qpn, ok = d.hca.Resolve(peer, qkey); !ok {
			return
		}
	}
	d.work = ib.WorkRequest{Op: ib.Send, Silent: true, Local: d.stage[:copy(d.stage, b)], Key: d.sent, LID: a.lid, QPN: a.qpn, QKey: qkey}
	_ = d.qp.PostSend(&d.work) // like a lost datagram
}

// Receive returns the oldest datagram.
func (d *datagrams) Receive() (from int, b []byte) {
	var c ib.Completion
	for d.in.Poll(&c) {
		i := int(c.ID)
		if c.Op != ib.Receive || c.ID >= ib.Depth {
			continue
		}
		if d.held = i; c.Status == ib.Success && c.Bytes >= routeBytes && c.Bytes <= receiveBytes {
			return int(c.Source) - 1, d.receive(i)[routeBytes:c.Bytes]
		}
		d.Release()
	}
	return -1, nil
}

// Release posts the receive again that Receive has given.
func (d *datagrams) Release() {
	if d.held >= 0 {
		_ = d.post(d.held) // on an error there is one receive less
		d.held = -1
	}
}

// Arm has the next datagram ring the doorbell.
func (d *datagrams) Arm() { d.in.Arm() }

// Left reports whether the adapter of a peer has been closed.
func (d *datagrams) Left(peer int) bool { return d.hca.Left(peer) }

// Close closes the adapter.
func (d *datagrams) Close() error { return d.hca.Close() }

// DatagramEntry returns, for the table of NICs, the adapter with datagrams only.
func DatagramEntry() entry.NIC {
	n := Entry()
	n.Name = DatagramName
	n.Setting = entry.Setting{Key: datagram.Key, Values: datagram.Levels()}
	n.Open = func(f *fabric.Fabric, rank int, o entry.Options) (ir.Translator, error) {
		faults, err := datagram.Level(o.Setting)
		if err != nil {
			return nil, err
		}
		name := DatagramName
		if o.Setting != "" {
			name += ":" + datagram.Key + "=" + o.Setting
		}
		return entry.Opened(OpenDatagrams(f, rank, ib.Options{Attach: o.Attach}, faults, name))
	}
	return n
}
