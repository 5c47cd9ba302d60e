package control

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"
)

func listen(t *testing.T, key Key) (*Listener, string) {
	t.Helper()
	l, err := Listen("127.0.0.1:0", key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l, fmt.Sprint("127.0.0.1:", l.Port())
}

func pair(t *testing.T) (a, b *Conn) {
	t.Helper()
	key := NewKey()
	l, address := listen(t, key)
	// No server listens at the first two addresses.
	a, err := Dial([]string{"127.0.0.1:1", "127.0.0.1:2", address}, key)
	if err != nil {
		t.Fatal(err)
	}
	b = <-l.Conns()
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

type value struct {
	Words []string
	Data  []byte
}

func TestValuesArriveInOrder(t *testing.T) {
	a, b := pair(t)
	if a.Local() != "127.0.0.1" || b.Remote() != "127.0.0.1" {
		t.Error(a.Local(), b.Remote())
	}
	go a.Receive(new(value))
	large := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	var senders sync.WaitGroup
	senders.Go(func() {
		for i := range 100 {
			if err := a.Send(&value{Words: []string{fmt.Sprint(i)}, Data: large[:i*i]}); err != nil {
				t.Error(err)
			}
		}
		if err := a.Send(&value{Data: large}); err != nil {
			t.Error(err)
		}
	})
	senders.Go(func() {
		for range 100 {
			if a.mark(0) != nil {
				t.Error("no sign of life")
			}
		}
	})
	for i := range 100 {
		var v value
		if err := b.Receive(&v); err != nil || v.Words[0] != fmt.Sprint(i) || !bytes.Equal(v.Data, large[:i*i]) {
			t.Fatal(i, err, v.Words)
		}
	}
	var v value
	if err := b.Receive(&v); err != nil || !bytes.Equal(v.Data, large) {
		t.Fatal(err)
	}
	senders.Wait()
	a.Close()
	if err := b.Receive(&v); err != io.EOF {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if a.Send(&v) == nil {
		t.Error("sent on what is closed")
	}
}

// A client or server that does not know the key is refused by the other side, and does not keep others from
// connecting.
func TestStrangers(t *testing.T) {
	key := NewKey()
	l, address := listen(t, key)
	mute, err := net.Dial("tcp", address) // never says anything
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	if _, err := Dial([]string{address}, NewKey()); !errors.Is(err, errStranger) {
		t.Errorf("another key: %v", err)
	}
	plain, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err == nil { // a client notices the refusal when it reads
		_, err = plain.Read(make([]byte, 1))
		plain.Close()
	}
	if err == nil {
		t.Error("no certificate at all is taken")
	}
	if _, err := Dial([]string{"127.0.0.1:1"}, key); err == nil {
		t.Error("nobody listens there")
	}
	if _, err := Dial(nil, key); err == nil {
		t.Error("nowhere to go")
	}
	a, err := Dial([]string{address}, key)
	if err != nil {
		t.Fatal(err)
	}
	b := <-l.Conns()
	a.Close()
	b.Close()
	select {
	case <-l.Conns():
		t.Error("a stranger came in")
	default:
	}
}

// piped connects two ends without a network, so that no kernel answers for the other side.
func piped(t *testing.T) (client, server *tls.Conn) {
	t.Helper()
	config, err := NewKey().config()
	if err != nil {
		t.Fatal(err)
	}
	a, b := net.Pipe()
	client, server = tls.Client(a, config), tls.Server(b, config)
	shaken := make(chan error, 1)
	go func() { shaken <- server.Handshake() }()
	if err := errors.Join(client.Handshake(), <-shaken); err != nil {
		t.Fatal(err)
	}
	return client, server
}

// raw connects two ends that send no signs of life.
func raw(t *testing.T) (client, server *tls.Conn) {
	t.Helper()
	config, err := NewKey().config()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	shaken := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			server = tls.Server(c, config)
			err = server.Handshake()
		}
		shaken <- err
	}()
	client, err = dial(context.Background(), l.Addr().String(), config)
	if err := errors.Join(err, <-shaken); err != nil {
		t.Fatal(err)
	}
	return client, server
}

// gone reports whether an error says that the other side is gone; on systems that show what was acknowledged, it
// is known that its host is there.
func gone(err error) bool { return errors.Is(err, ErrSilent) || errors.Is(err, ErrLate) }

// A process whose host answers is given more time than a host that does not.
func TestLateProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("this system does not tell what was acknowledged")
	}
	const every = 20 * time.Millisecond
	client, server := raw(t)
	defer server.NetConn().Close()
	c := newConn(client, every)
	defer c.Close()
	begin := time.Now()
	if err := c.Receive(new(value)); !errors.Is(err, ErrLate) {
		t.Error(err)
	}
	if d := time.Since(begin); d < (lateness-1)*every {
		t.Errorf("it was given %v", d)
	}
	if acknowledged(server.NetConn(), 0) {
		t.Error("something was acknowledged in no time")
	}
	server.NetConn().Close()
	if acknowledged(server.NetConn(), time.Hour) {
		t.Error("a closed connection was acknowledged")
	}
}

func TestSilenceEndsAConnection(t *testing.T) {
	client, server := piped(t)
	defer server.NetConn().Close()
	c := newConn(client, time.Millisecond)
	var v value
	if err := c.Receive(&v); !errors.Is(err, ErrSilent) {
		t.Error(err)
	}
	if err := c.Send(&v); !errors.Is(err, ErrSilent) {
		t.Error(err)
	}
	c.Close()
}

// A side that does not receive for a time, because it does something else, does not take the other for gone.
func TestOnlyReceiverMissesHeartbeats(t *testing.T) {
	client, server := raw(t)
	c, s := newConn(client, 50*time.Millisecond), newConn(server, time.Hour)
	defer s.Close()
	time.Sleep(2 * silence * 50 * time.Millisecond)
	if err := s.Send(&value{Words: []string{"late"}}); err != nil {
		t.Fatal(err)
	}
	var v value
	if err := c.Receive(&v); err != nil || v.Words[0] != "late" {
		t.Errorf("%v, %v", v.Words, err)
	}
	if err := c.Receive(&v); !gone(err) {
		t.Error(err)
	}
	c.Close()
}

// A side that has announced a pause may be silent until it sends something again.
func TestPause(t *testing.T) {
	client, server := raw(t)
	c, s := newConn(client, 50*time.Millisecond), newConn(server, time.Hour)
	defer s.Close()
	if err := s.Pause(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(time.Second, func() { s.Send(&value{Words: []string{"back"}}) })
	var v value
	if err := c.Receive(&v); err != nil || v.Words[0] != "back" {
		t.Errorf("%v, %v", v.Words, err)
	}
	if err := c.Receive(&v); !gone(err) {
		t.Error(err)
	}
	c.Close()
}

// Signs of life keep a connection open that is not used otherwise.
func TestIdle(t *testing.T) {
	client, server := raw(t)
	c, s := newConn(client, 400*time.Millisecond), newConn(server, 400*time.Millisecond)
	defer s.Close()
	defer c.Close()
	time.AfterFunc(2500*time.Millisecond, func() { s.Send(&value{Words: []string{"still here"}}) })
	go s.Receive(new(value))
	var v value
	if err := c.Receive(&v); err != nil {
		t.Error(err)
	}
}

func TestKeysForOtherUses(t *testing.T) {
	k := NewKey()
	if bytes.Equal(k.For("a"), k.For("b")) || !bytes.Equal(k.For("a"), k.For("a")) || bytes.Equal(k.For("a"), NewKey().For("a")) {
		t.Error("keys follow from something else than key and use")
	}
}
