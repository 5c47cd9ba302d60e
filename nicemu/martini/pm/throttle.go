package pm

import (
	"fmt"
	"slices"
	"strings"
)

// A Throttle makes a sender wait for acks, which lowers congestion in a switch
// whose flow control may fail (pm-messaging, section 1.4.9).
type Throttle uint8

// The scopes of a Throttle. Off sends a message as one PUSH of any size; the others send pieces of
// at most 2 KB, each after the ack of the previous one, to the same destination or to any.
const (
	Off Throttle = iota
	PerDestination
	Global
)

// Throttles names the scopes, in the order of their values.
func Throttles() []string { return []string{"off", "destination", "global"} }

// String returns the name of the scope.
func (t Throttle) String() string {
	if int(t) < len(Throttles()) {
		return Throttles()[t]
	}
	return "?"
}

// ParseThrottle reads a name of Throttles.
func ParseThrottle(s string) (Throttle, error) {
	i := slices.Index(Throttles(), s)
	if i < 0 {
		return Off, fmt.Errorf("no throttle %q; it is %s", s, strings.Join(Throttles(), ", "))
	}
	return Throttle(i), nil
}
