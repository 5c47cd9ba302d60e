//go:build !linux

package fabric

func barrierKnown() bool { return false }

func barrierReady() bool { return false }

func barrier() bool { return false }
