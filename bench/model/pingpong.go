package model

import (
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/stepped"
)

// pingPong has the nodes answer each other's messages: send writes message number from one node to the
// first bytes of the other's area.
func (w *world) pingPong(bytes, reps int, send func(from int, number uint32) error) (point, error) {
	steps, micros, err := w.timed(reps, func(number uint32) error {
		for from := range 2 {
			if err := w.kick(func() error { return send(from, number) }); err != nil {
				return err
			}
			if err := w.await(w.area[1-from][:bytes], number); err != nil {
				return err
			}
		}
		return nil
	})
	return point{steps: steps, micros: micros}, err
}

// A way writes b to the start of the other node's area.
type way func(w *world, from int, b []byte) error

func byPush(w *world, from int, b []byte) error {
	_, err := w.m.Push(from, 0, martini.Request{Node: 1 - from, Segment: w.seg[1-from]}, b)
	return err
}

func byBotf(w *world, from int, b []byte) error {
	to := 1 - from
	_, err := w.m.Botf(from, 0, &martini.Packet{Type: martini.PacketPush, PID: to, Node: to, Segment: w.seg[to], Payload: b})
	return err
}

// latency is E1: a ping-pong, one way.
func latency(by way) measurement {
	return func(bytes, reps int) (point, error) {
		w, err := newWorld(2, bytes, bytes, stepped.Options{})
		if err != nil {
			return point{}, err
		}
		defer w.close()
		p, err := w.pingPong(bytes, reps, func(from int, number uint32) error {
			b := w.source[from][:bytes]
			mark(b, number)
			return by(w, from, b)
		})
		return p.half(bytes), err
	}
}

// aotf is E1 with one store of eight bytes and a header prepared in advance.
func aotf(bytes, reps int) (point, error) {
	w, err := newWorld(2, bytes, bytes, stepped.Options{})
	if err != nil {
		return point{}, err
	}
	defer w.close()
	for i, nic := range w.nics {
		if err := nic.RegisterHeader(0, martini.Header{Node: 1 - i, Segment: w.seg[1-i], Override: true}); err != nil {
			return point{}, err
		}
	}
	p, err := w.pingPong(bytes, reps, func(from int, number uint32) error {
		b := w.source[from][:8]
		mark(b, number)
		return w.m.WriteAOTF(from, 0, *martini.Word64(b, 0))
	})
	return p.half(bytes), err
}

// half turns a round trip into one way.
func (p point) half(bytes int) point {
	p.steps, p.micros = p.steps/2, p.micros/2
	return p.moving(bytes)
}

func (p point) moving(bytes int) point {
	if p.steps > 0 {
		p.perStep = float64(bytes) / p.steps
	}
	return p
}

// pull is E2: from the request until the data is seen, by PULL or by a request packet that the Window sends
// unchanged.
func pull(image bool) measurement {
	return func(bytes, reps int) (point, error) {
		w, err := newWorld(2, bytes, bytes, stepped.Options{})
		if err != nil {
			return point{}, err
		}
		defer w.close()
		to := w.source[0][:bytes]
		p := martini.Packet{
			Type: martini.PacketPullRequest, PID: 1, Node: 1, Segment: w.seg[1], Local: fabric.Address(to), Length: bytes,
		}
		steps, micros, err := w.timed(reps, func(number uint32) error {
			mark(w.area[1][:bytes], number)
			err := w.kick(func() (err error) {
				if image {
					_, err = w.m.Botf(0, 0, &p)
				} else {
					_, err = w.m.Pull(0, 0, martini.Request{Node: 1, Segment: w.seg[1]}, to)
				}
				return err
			})
			if err != nil {
				return err
			}
			return w.await(to, number)
		})
		return point{steps: steps, micros: micros}.moving(bytes), err
	}
}

// evicting returns how many pages evict each other from one set of PATLB when used in turn, and their
// distance in bytes.
func evicting() (count, stride int) {
	return stepped.Host32.Ways + 1, stepped.Host32.Sets * fabric.PageBytes
}

// missWorld returns a world whose sources have such pages.
func missWorld(o stepped.Options) (*world, error) {
	count, stride := evicting()
	o.TLB = stepped.Host32
	return newWorld(2, fabric.PageBytes, (count-1)*stride+fabric.PageBytes, o)
}

// bounce is a ping-pong by PUSH in which each Initiator misses in PATLB on every send, since its source
// lies on another page of the same set each time; without misses, the source stays in its place.
func (w *world) bounce(misses bool, bytes, reps int) (point, error) {
	count, stride := evicting()
	return w.pingPong(bytes, reps, func(from int, number uint32) error {
		at := 0
		if misses {
			at = int(number) % count * stride
		}
		b := w.source[from][at : at+bytes]
		mark(b, number)
		return byPush(w, from, b)
	})
}

// missing is E7: after a miss, hardware continues or firmware does the rest.
func missing(misses, software bool) measurement {
	return func(bytes, reps int) (point, error) {
		w, err := missWorld(stepped.Options{})
		if err != nil {
			return point{}, err
		}
		defer w.close()
		for i := range w.nics {
			w.m.Software(i, software)
		}
		return w.bounce(misses, bytes, reps)
	}
}
