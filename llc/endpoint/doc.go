// Package endpoint is what translators have in common whatever NIC they drive: the answers that wait for
// Poll, the ends of peers, the doorbell, the rank's status line, and packets that arrive in rings.
//
// A translator embeds an [Endpoint] and, if its packets travel in rings, [Rings], and adds what is special to
// its NIC: its [Hardware]. (llc, section 2: what a translator needs beyond translation does not depend on the
// NIC.)
package endpoint
