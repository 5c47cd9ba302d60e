package nic

import (
	"rhinet/bench/pair"
	"rhinet/internal/ring"
	"rhinet/nicemu/martini"
)

// A ringer measures VPUSH: it writes records into the ring of the other side.
type ringer struct {
	*pair.End
	nic    *martini.NIC
	mail   *martini.Mailbox
	reader *ring.SharedReader
	packet ring.Packet
	buf    []byte
}

func openVpush(e *pair.End) (pair.Side, error) {
	nic, err := martini.Open(e.F, e.Rank, martini.Options{})
	if err != nil {
		return nil, err
	}
	mail, err := nic.Mailbox(nic.Window(0), 1-e.Rank)
	if err != nil {
		return nil, err
	}
	return &ringer{End: e, nic: nic, mail: mail, reader: nic.MailReader(), buf: make([]byte, 2048)}, nil
}

func (r *ringer) Close() error { return r.nic.Close() }

func (r *ringer) Run(series, bytes, reps int) error {
	for range reps {
		if r.Rank == 0 {
			if err := r.send(bytes); err != nil {
				return err
			}
		}
		if series == 0 || r.Rank == 1 {
			if err := r.receive(); err != nil {
				return err
			}
		}
		if series == 0 && r.Rank == 1 {
			if err := r.send(bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *ringer) send(bytes int) error {
	var head [3]uint64
	for n := 0; ; n++ {
		if ok, err := r.mail.Append(&head, r.buf[:bytes]); ok || err != nil {
			return err
		}
		if n%pair.Polls == pair.Polls-1 {
			if err := r.Pause(); err != nil {
				return err
			}
		}
	}
}

func (r *ringer) receive() error {
	for n := 0; !r.reader.Ready(); n++ {
		if n%pair.Polls == pair.Polls-1 {
			if err := r.Pause(); err != nil {
				return err
			}
		}
	}
	ok, err := r.reader.Poll(&r.packet)
	if err != nil {
		return err
	}
	if !ok { // it was the padding before the end of the ring
		return r.receive()
	}
	r.reader.Consume()
	return nil
}
