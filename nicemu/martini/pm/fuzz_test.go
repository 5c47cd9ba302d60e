package pm

import (
	"errors"
	"testing"
)

// FuzzRing writes its input where a source writes: Receive may report a message or a corrupt ring,
// but never reads beyond the ring, and other rings work.
func FuzzRing(f *testing.F) {
	f.Add([]byte{8, 0, 0, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0x80}, uint16(0))
	f.Add([]byte{0, 0, 0, 0xc0}, uint16(2))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, uint16(63))
	f.Fuzz(func(t *testing.T, data []byte, skip uint16) {
		p := open(t, 3, rhinet(Options{}))
		a, b := p[0].(*RHiNET), p[1].(*RHiNET)
		for range skip % ringSlots {
			must(t, a, 1, []byte{1})
			expect(t, b, 0, []byte{1})
		}
		at := int(skip%ringSlots) * slotBytes
		copy(b.lanes[0].ring[at:], data)
		must(t, p[2], 1, []byte("others"))
		heard := false
		for range 2 * ringSlots {
			msg, err := b.Receive()
			if errors.Is(err, ErrNoMessage) {
				break
			}
			if err != nil {
				continue
			}
			if len(msg) < 1 || len(msg) > maxRHiNET {
				t.Fatalf("a message of %d bytes", len(msg))
			}
			heard = heard || b.Source() == 2 && string(msg) == "others"
			if err := b.ReleaseReceiveBuffer(); err != nil {
				t.Fatal(err)
			}
		}
		if !heard {
			t.Error("a lie of one source silences another")
		}
	})
}
