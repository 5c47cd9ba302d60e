//go:build !amd64 || purego

package mg

import "rhinet/npb/nas"

func assembly(nas.Level) *kernels { return nil }
