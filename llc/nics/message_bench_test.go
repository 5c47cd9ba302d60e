package nics

import (
	"testing"

	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/port"
	"rhinet/nicemu/fabric"
)

// BenchmarkMessage measures the whole software path of one small message, both sides in one goroutine, so
// that no cache line moves and neither side waits: what remains of a message's latency without the machine's
// share.
func BenchmarkMessage(b *testing.B) {
	file, err := fabric.Create(2, fabric.Default())
	if err != nil {
		b.Skip("no anonymous memory files here")
	}
	defer file.Close()
	register(b, file)
	var ports [2]*port.Port
	for i := range ports {
		f, err := fabric.Map(file)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		nic, err := Open(Default, f, i)
		if err != nil {
			b.Fatal(err)
		}
		ports[i] = port.New(port.Config{NIC: nic, Policy: wait.For(2, 2, false)})
	}
	buf := make([]byte, 8)
	bounce := func() {
		if err := ports[0].Send(0, 1, 7, llc.Standard, buf); err != nil {
			b.Fatal(err)
		}
		if _, err := ports[1].Recv(0, 0, 7, buf); err != nil {
			b.Fatal(err)
		}
	}
	for range 8 { // until both have rings of their own
		bounce()
		ports[1].Send(0, 0, 7, llc.Standard, buf)
		ports[0].Recv(0, 1, 7, buf)
	}
	b.ReportAllocs()
	for b.Loop() {
		bounce()
	}
}
