//go:build !linux

package tcp

import "net/netip"

// Listen fails here.
func Listen(string) (Socket, netip.AddrPort, error) { return None, netip.AddrPort{}, ErrUnavailable }

// Dial fails here.
func Dial(netip.AddrPort) (Socket, error) { return None, ErrUnavailable }

// Connected fails: there are no streams.
func (s Socket) Connected() error { return ErrUnavailable }

// Accept fails: there are no streams.
func (s Socket) Accept() (Socket, error) { return None, ErrUnavailable }

// Send fails: there are no streams.
func (s Socket) Send([]byte) (int, error) { return 0, ErrUnavailable }

// SendBoth fails: there are no streams.
func (s Socket) SendBoth(_, _ []byte) (int, error) { return 0, ErrUnavailable }

// Recv fails: there are no streams.
func (s Socket) Recv([]byte) (int, error) { return 0, ErrUnavailable }

// Unsent returns 0: there are no streams.
func (s Socket) Unsent() int { return 0 }

// Finish does nothing: there are no streams.
func (s Socket) Finish() {}

// Close does nothing: there are no streams.
func (s Socket) Close() {}
