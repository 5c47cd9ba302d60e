//go:build !amd64 || purego

package sp

import (
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

func passes(_ nas.Level) (forward, backward [3]func(*cfd.LineArgs)) { return passesGo() }
