package lowlevel

import (
	"errors"
	"testing"

	"rhinet/nicemu/martini"
)

// FuzzDescriptors writes its input into both Descriptor Tables: Recv returns a message that fits,
// or an error.
func FuzzDescriptors(f *testing.F) {
	f.Add(make([]byte, descriptorBytes), false)
	good := make([]byte, descriptorBytes)
	good[descLength], good[descValid] = 5, 1
	f.Add(good, false)
	f.Add(good, true)
	f.Fuzz(func(t *testing.T, data []byte, offer bool) {
		all := job(t, 2, martini.Options{})
		silent := errors.New("silent")
		all[1].o.Alive = func() error { return silent }
		all[1].o.Policy.Yield = 0
		table := at(0, descriptorTable)
		if offer {
			table = at(0, offerTable)
		}
		copy(all[1].mem[table:table+descriptorBytes], data)
		b := make([]byte, 100)
		for range 3 {
			n, err := all[1].Recv(0, b)
			if err == nil && (n < 0 || n > len(b)) {
				t.Fatalf("%d bytes into %d", n, len(b))
			}
			if err != nil {
				return
			}
		}
	})
}
