package pm

import (
	"bytes"
	"errors"
	"testing"

	"rhinet/nicemu/martini"
)

func TestRMA(t *testing.T) {
	a, b := pair(t, Options{})
	far, near := text(1, 5000), make([]byte, 5000)
	remote, err := b.Pin(far)
	if err != nil {
		t.Fatal(err)
	}
	local, err := a.Pin(near)
	if err != nil {
		t.Fatal(err)
	}
	token, err := a.Read(1, remote, local, 4000)
	if err != nil || !a.Done(token) || !bytes.Equal(near[:4000], far[:4000]) || near[4000] != 0 {
		t.Fatalf("read: %v, done %v", err, a.Done(token))
	}
	copy(near, text(2, 5000))
	if token, err = a.Write(1, remote, local, 5000); err != nil || !a.Done(token) || !bytes.Equal(near, far) {
		t.Fatalf("write: %v", err)
	}
	if _, err := a.Write(2, remote, local, 1); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	if _, err := a.Read(1, remote, local, 5001); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	if err := b.Unpin(remote); err != nil {
		t.Fatal(err)
	}
	token, err = a.Write(1, remote, local, 8)
	if !errors.Is(err, martini.Stale) || a.Done(token) {
		t.Errorf("unpinned memory: %v", err)
	}
	var vp Messages = new(VP)
	if _, ok := vp.(RMA); ok { // A10
		t.Error("VP has RMA")
	}
}
