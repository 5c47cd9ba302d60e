//go:build !amd64 || purego

package ft

import "rhinet/npb/nas"

func assembly(nas.Level) *kernels { return nil }
