//go:build !purego

package bt

import "rhinet/npb/cfd"

func passes(_ cfd.Level) (forward, backward [3]func(*cfd.LineArgs)) { return passesGo() }
