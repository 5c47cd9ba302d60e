//go:build !amd64 || purego

package lu

import "rhinet/npb/nas"

func kernelsOf(_ nas.Level) kernels { return kernelsGo() }
