//go:build !linux

package tcp

import "net/netip"

// Listen fails here.
func Listen(string) (Socket, netip.AddrPort, error) { return None, netip.AddrPort{}, ErrUnavailable }

// Dial fails here.
func Dial(netip.AddrPort) (Socket, error) { return None, ErrUnavailable }

// Connected is of no stream.
func (s Socket) Connected() error { return ErrUnavailable }

// Accept is of no stream.
func (s Socket) Accept() (Socket, error) { return None, ErrUnavailable }

// Send is of no stream.
func (s Socket) Send([]byte) (int, error) { return 0, ErrUnavailable }

// SendBoth is of no stream.
func (s Socket) SendBoth(_, _ []byte) (int, error) { return 0, ErrUnavailable }

// Recv is of no stream.
func (s Socket) Recv([]byte) (int, error) { return 0, ErrUnavailable }

// Unsent is of no stream.
func (s Socket) Unsent() int { return 0 }

// Finish is of no stream.
func (s Socket) Finish() {}

// Close is of no stream.
func (s Socket) Close() {}
