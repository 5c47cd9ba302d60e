package control

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"
)

// head is how long an address has before the next one is tried in parallel.
const head = 200 * time.Millisecond

// Dial connects to the first of several addresses HOST:PORT of one listener where a peer answers that knows
// the key; earlier addresses are preferred. If none does, one of the errors is returned.
func Dial(addresses []string, key Key) (*Conn, error) {
	config, err := key.config()
	if err != nil {
		return nil, err
	}
	if len(addresses) == 0 {
		return nil, errors.New("no address")
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	type result struct {
		conn *tls.Conn
		err  error
	}
	results := make(chan result, len(addresses))
	for i, a := range addresses {
		go func() {
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(i) * head):
			}
			conn, err := dial(ctx, a, config)
			results <- result{conn, err}
		}()
	}
	for n := range addresses {
		r := <-results
		if r.err == nil {
			go func() {
				for range len(addresses) - n - 1 {
					if late := <-results; late.err == nil {
						late.conn.Close()
					}
				}
			}()
			return newConn(r.conn, beat), nil
		}
		if err == nil || errors.Is(r.err, errStranger) {
			err = r.err
		}
	}
	return nil, err
}

func dial(ctx context.Context, address string, config *tls.Config) (*tls.Conn, error) {
	var d net.Dialer
	raw, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(raw, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, err
	}
	return conn, nil
}
