package timed

import (
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/martini/timed"
)

// ringBytes is the size of a VPUSH ring: that of a node under PM/RHiNET-VP (pm-messaging, section 1.5.4).
const ringBytes = 128 << 10

// vpushed is E8: one node sends VPUSHes of one size on one Window; the receiving
// process releases each record when it has seen it.
func vpushed(o stepped.RingOptions) func(l *lab, bytes int) (point, error) {
	return func(l *lab, bytes int) (point, error) {
		if err := l.build("one:2", timed.Options{Source: bytes, Ring: ringBytes, Rings: o}); err != nil {
			return point{}, err
		}
		l.start(1, func(p *timed.Process) error {
			x := &timed.Transfer{Kind: timed.Release, To: 1, Bytes: bytes}
			for i := 0; ; i++ {
				p.Until(func() bool { return l.got[1].count > i })
				if i > 0 {
					p.Await(x, timed.Accepted)
				}
				if err := p.Post(x); err != nil {
					return err
				}
			}
		})
		f := l.newFlow(timed.VPush, 1, bytes, 0, 1)
		return l.flows(1, []int{0}, []*flow{f})
	}
}
