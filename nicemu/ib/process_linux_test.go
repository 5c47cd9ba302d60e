package ib

import (
	"bytes"
	"errors"
	"io/fs"
	"testing"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
)

// mapped returns the adapters of a job of processes.
func mapped(t *testing.T, ranks int, a fabric.Attach) []*HCA {
	t.Helper()
	manage := func(f *fabric.Fabric) error {
		if _, err := Open(f, 0, Options{}); err == nil {
			t.Error("opened without a manager")
		}
		_, err := Manage(f)
		return err
	}
	return fabrictest.Mapped(t, ranks, Geometry(fabric.Default(), ranks), manage, func(f *fabric.Fabric, rank int) (*HCA, error) {
		return Open(f, rank, Options{Attach: a})
	})
}

// TestBetweenProcesses moves memory that only the kernel can access, as far as it allows that.
func TestBetweenProcesses(t *testing.T) {
	for _, attach := range []fabric.Attach{fabric.AttachAuto, fabric.AttachOff} {
		h := mapped(t, 2, attach)
		a, b := newSide(t, h[0], RC), newSide(t, h[1], RC)
		a.ready(t, b.LID(), b.qp.Number())
		b.ready(t, a.LID(), a.qp.Number())
		copy(b.mem, "over there")
		a.post(t, WorkRequest{Op: Read, Local: a.mem[:10], Key: a.key, Address: b.at(0), Remote: b.key})
		c := a.done(t)
		if !h[0].Remote() {
			if err := c.Err(1); c.Status != RemoteOperation || !errors.Is(err, NoAttach) || !errors.Is(err, fs.ErrPermission) || a.mem[0] != 0 {
				t.Errorf("%+v", c)
			}
			continue
		}
		if c.Status != Success || string(a.mem[:10]) != "over there" {
			t.Errorf("%+v, %q", c, a.mem[:10])
		}
		if err := b.rq.Post(1, b.mem[100:200], b.key); err != nil {
			t.Fatal(err)
		}
		a.post(t, WorkRequest{Op: Send, Local: []byte("hello"), Inline: true})
		if a.done(t); b.done(t).Bytes != 5 || !bytes.Equal(b.mem[100:105], []byte("hello")) {
			t.Errorf("%q", b.mem[100:105])
		}
		a.post(t, WorkRequest{Op: FetchAndAdd, Local: a.mem[:8], Key: a.key, Address: b.at(0), Remote: b.key})
		if c := a.done(t); c.Status != RemoteOperation || c.Reason != Fault {
			t.Errorf("an atomic operation on the memory of another process: %+v", c)
		}
		l, err := h[0].Link(1)
		if err != nil {
			t.Fatal(err)
		}
		if old, err := l.Swap(3, 0, 9); old != 0 || err != nil || h[1].f.Words(1, fabric.Control)[3] != 9 {
			t.Errorf("swap: %d, %v", old, err)
		}
		h[1].f.Leave(1)
		if err := l.Transfer(Read, 0, 0, a.mem[:8]); !errors.Is(err, NoRegion) {
			t.Error(err)
		}
		k, err := b.Register(JobDomain, b.mem, all|ZeroBased)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Transfer(Write, k, 0, a.mem[:8]); !errors.Is(err, RetryExceeded) || !errors.Is(err, Gone) {
			t.Errorf("to a process that is gone: %v", err)
		}
	}
}
