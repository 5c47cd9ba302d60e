//go:build !linux

package hugepage

func usable() error { return errNone }

func collapse(uintptr) error { return errNone }
