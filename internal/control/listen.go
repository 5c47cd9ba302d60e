package control

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

// A Listener accepts connections of peers that know a key.
type Listener struct {
	inner net.Listener
	conns chan *Conn
	end   context.CancelFunc
	busy  sync.WaitGroup
}

// Listen waits for connections at HOST:PORT; port 0 means any free one.
func Listen(address string, key Key) (*Listener, error) {
	config, err := key.config()
	if err != nil {
		return nil, err
	}
	inner, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(context.Background())
	l := &Listener{inner: inner, conns: make(chan *Conn), end: end}
	l.busy.Go(func() { l.accept(ctx, config) })
	return l, nil
}

// Port returns the port on which it listens.
func (l *Listener) Port() int { return l.inner.Addr().(*net.TCPAddr).Port }

// Conns returns the channel of accepted connections.
func (l *Listener) Conns() <-chan *Conn { return l.conns }

// Close closes the listener, but not the connections that it has accepted.
func (l *Listener) Close() error {
	l.end()
	err := l.inner.Close()
	l.busy.Wait()
	return err
}

func (l *Listener) accept(ctx context.Context, config *tls.Config) {
	for {
		raw, err := l.inner.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(time.Millisecond) // out of descriptors: there may be some soon
			continue
		}
		l.busy.Go(func() { l.admit(ctx, tls.Server(raw, config)) })
	}
}

// admit passes a connection to the owner, or closes it if the peer does not know the key.
func (l *Listener) admit(ctx context.Context, raw *tls.Conn) {
	limited, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	if raw.HandshakeContext(limited) != nil {
		raw.Close()
		return
	}
	c := newConn(raw, beat)
	select {
	case l.conns <- c:
	case <-ctx.Done():
		c.Close()
	}
}
