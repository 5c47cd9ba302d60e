package pm

import (
	"errors"

	"rhinet/bench/pair"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/pm"
)

// A side is one of the two active nodes.
type side struct {
	*pair.End
	nic  *martini.NIC
	link link
}

func (s *side) Close() error { return errors.Join(s.link.close(), s.nic.Close()) }

// Run runs a ping-pong or a burst; the first side is the sender.
func (s *side) Run(series, bytes, reps int) error {
	for range reps {
		if s.Rank == 0 {
			if err := s.send(bytes); err != nil {
				return err
			}
		}
		if series == PingPong || s.Rank == 1 {
			if err := s.receive(); err != nil {
				return err
			}
		}
		if series == PingPong && s.Rank == 1 {
			if err := s.send(bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *side) send(bytes int) error {
	for n := 0; ; n++ {
		if ok, err := s.link.send(1-s.Rank, bytes); ok || err != nil {
			return err
		}
		if err := s.pause(n); err != nil {
			return err
		}
	}
}

func (s *side) receive() error {
	for n := 0; ; n++ {
		if ok, err := s.link.receive(); ok || err != nil {
			return err
		}
		if err := s.pause(n); err != nil {
			return err
		}
	}
}

// passes is how many unsuccessful passes a side makes before it gives way.
const passes = 32

// pause checks the other side every few passes only, because a pass of a layer may take long.
func (s *side) pause(n int) error {
	if n%passes != passes-1 {
		return nil
	}
	return s.Pause()
}

// messages is a link over one of the PM layers.
type messages struct {
	pm interface {
		pm.Messages
		Close() error
	}
}

func openRHiNET(t pm.Throttle) func(*martini.NIC) (link, error) {
	return func(nic *martini.NIC) (link, error) {
		p, err := pm.NewRHiNET(nic, pm.Options{Throttle: t})
		if err != nil {
			return nil, err
		}
		return messages{p}, nil
	}
}

func openVP(nic *martini.NIC) (link, error) { return messages{pm.NewVP(nic)}, nil }

func (m messages) close() error { return m.pm.Close() }

func (m messages) send(to, n int) (bool, error) {
	b, err := m.pm.GetSendBuffer(to, n)
	if err == nil {
		b[0], b[n-1] = byte(n), byte(n)
		err = m.pm.Send()
	}
	if err == pm.ErrNoBufs {
		return false, nil
	}
	return err == nil, err
}

func (m messages) receive() (bool, error) {
	_, err := m.pm.Receive()
	if err == pm.ErrNoMessage {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, m.pm.ReleaseReceiveBuffer()
}
