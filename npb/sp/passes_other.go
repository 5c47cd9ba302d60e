//go:build !amd64 || purego

package sp

import "rhinet/npb/cfd"

func passes(_ cfd.Level) (forward, backward [3]func(*cfd.LineArgs)) { return passesGo() }
