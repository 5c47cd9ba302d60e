// Package control is the channel between mpirun and the daemons that start the ranks of its job on other
// hosts (llc, section 2: the process launcher): TCP, encrypted, between two sides that know the key of the
// job. The key itself is sent only over the connection that starts a daemon.
//
// Both sides derive one certificate from the key and accept no other (TLS 1.3). Each sends a heartbeat
// every second, because a host that is cut off reports nothing. A side that is silent for five seconds counts
// as gone, unless its kernel still acknowledges what is sent to it: then its process is only late, as on a busy
// machine, and has half a minute.
package control

import "time"

const (
	// beat is the time between two heartbeats. silence is how many may be missing if nothing is acknowledged
	// either, and lateness how many if the host answers.
	beat     = time.Second
	silence  = 5
	lateness = 30
	// Patience is how long a peer may take to show that it knows the key.
	Patience = 20 * time.Second
)
