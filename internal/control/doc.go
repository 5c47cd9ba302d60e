// Package control is the channel between mpirun and the daemons that start the ranks
// of its job on other hosts (llc, section 2: the process launcher): TCP, encrypted, between
// two sides that know the key of the job. The key itself travels by the way that starts a
// daemon, and only there.
//
// Both sides derive one certificate from the key, and take no other (TLS 1.3). Each shows
// every second that it is there, so that a side that is silent for five is gone: a
// host that is cut off reports nothing.
package control

import "time"

const (
	// beat is the time between two signs of life, and silence how many may be missing.
	beat    = time.Second
	silence = 5
	// Patience is how long a side may take to show that it knows the key.
	Patience = 4 * time.Second
)
