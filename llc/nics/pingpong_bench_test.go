package nics

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"rhinet/internal/ring"
	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/port"
	"rhinet/nicemu/fabric"
)

// The level that a child process of BenchmarkPingPong plays.
const pingPongVariable = "RHINET_TEST_PINGPONG"

func TestMain(m *testing.M) {
	var level string
	var rounds int
	if n, _ := fmt.Sscanf(os.Getenv(pingPongVariable), "%s %d", &level, &rounds); n == 2 {
		if err := pingPong(level, 3, 1, rounds); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv(breachVariable) != "" {
		breach()
	}
	os.Exit(m.Run())
}

// pingPong bounces 8 bytes between rank and the other one of two processes.
func pingPong(level string, fd, rank, rounds int) error {
	if err := pin(rank); err != nil {
		return err
	}
	f, err := fabric.Open(fd)
	if err != nil {
		return err
	}
	defer f.Close()
	var bounce func(send bool)
	switch level {
	case "line":
		mine, theirs := f.Flags()[32*rank:], f.Flags()[32-32*rank:]
		var sent, got uint64
		bounce = func(send bool) {
			if send {
				l := ring.Line{uint64(ring.Seq(sent))}
				ring.Publish(&theirs[sent%32], &l)
				sent++
				return
			}
			for l := &mine[got%32]; uint32(atomic.LoadUint64(&l[0])) != ring.Seq(got); {
			}
			got++
		}
	case "nic":
		nic, err := Open(Default, f, rank)
		if err != nil {
			return err
		}
		defer nic.Close()
		nic.Post(&ir.Command{Op: ir.Watch, Peer: int32(1 - rank)})
		var sent uint64
		var ev ir.Event
		cmd := ir.Command{Op: ir.Packet, Peer: int32(1 - rank), Header: ir.Header{Kind: 1}, Data: make([]byte, 8)}
		bounce = func(send bool) {
			if send {
				cmd.Slot = sent
				nic.Post(&cmd)
				sent++
				return
			}
			for !nic.Poll(&ev) {
			}
		}
	case "port":
		nic, err := Open(Default, f, rank)
		if err != nil {
			return err
		}
		p := port.New(port.Config{NIC: nic, Policy: wait.For(2, 2, false)})
		defer p.Close()
		buf := make([]byte, 8)
		bounce = func(send bool) {
			if send {
				p.Send(0, 1-rank, 7, llc.Standard, buf)
			} else {
				p.Recv(0, 1-rank, 7, buf)
			}
		}
	}
	for range rounds {
		bounce(rank == 0)
		bounce(rank != 0)
	}
	return nil
}

// BenchmarkPingPong is the round trip of 8 bytes between two processes, each
// on a processor of its own, by level: a bare line of shared memory, the NIC
// with its translator, the port with the protocol engine. The difference
// between two levels is what the upper one adds.
func BenchmarkPingPong(b *testing.B) {
	if runtime.NumCPU() < 2 {
		b.Skip("one processor")
	}
	for _, level := range []string{"line", "nic", "port"} {
		b.Run(level, func(b *testing.B) {
			file, err := fabric.Create(2, fabric.Default())
			if err != nil {
				b.Skip("no anonymous memory files here")
			}
			register(b, file)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", pingPongVariable, level, b.N))
			cmd.ExtraFiles = []*os.File{file}
			cmd.Stderr = os.Stderr
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			fd, err := unix.Dup(int(file.Fd()))
			if err != nil {
				b.Fatal(err)
			}
			if err := pingPong(level, fd, 0, b.N); err != nil {
				b.Fatal(err)
			}
			file.Close()
			if err := cmd.Wait(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
