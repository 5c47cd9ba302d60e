//go:build !linux

package wait

// LendSlack does nothing: this system has no timer slack.
func LendSlack() (restore func()) { return func() {} }

// ReturnSlack does nothing.
func ReturnSlack() {}

// ReturnSlackButSysmon does nothing.
func ReturnSlackButSysmon() {}
