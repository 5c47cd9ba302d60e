//go:build !amd64 || purego

package lu

import "rhinet/npb/cfd"

func kernelsOf(_ cfd.Level) kernels { return kernelsGo() }
