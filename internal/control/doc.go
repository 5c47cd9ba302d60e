// Package control is the channel between mpirun and the daemons that start the ranks of its job on other
// hosts (llc, section 2: the process launcher): TCP, encrypted, between two sides that know the key of the
// job. The key itself is sent only over the connection that starts a daemon.
//
// Both sides derive one certificate from the key and accept no other (TLS 1.3). Each sends a heartbeat
// every second; a side that is silent for five seconds counts as gone, because a host that is cut off
// reports nothing.
package control

import "time"

const (
	// beat is the time between two heartbeats, and silence how many may be missing.
	beat    = time.Second
	silence = 5
	// Patience is how long a peer may take to show that it knows the key.
	Patience = 4 * time.Second
)
