package control

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

// A Listener takes the connections of those who know a key.
type Listener struct {
	inner net.Listener
	conns chan *Conn
	end   context.CancelFunc
	busy  sync.WaitGroup
}

// Listen waits for connections at HOST:PORT, where port 0 is any free one.
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

// Port returns where it listens.
func (l *Listener) Port() int { return l.inner.Addr().(*net.TCPAddr).Port }

// Conns gives the connections.
func (l *Listener) Conns() <-chan *Conn { return l.conns }

// Close ends the listener, not the connections that it has given.
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
			time.Sleep(time.Millisecond) // no descriptors: there may be some soon
			continue
		}
		l.busy.Go(func() { l.admit(ctx, tls.Server(raw, config)) })
	}
}

// admit gives a connection to the owner, or ends it if the other side is a stranger.
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
