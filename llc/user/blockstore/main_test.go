package main

import (
	"testing"

	"rhinet/llc/user/usertest"
)

func TestRun(t *testing.T) {
	for n := 1; n <= 4; n++ {
		usertest.RunRemote(t, n, run)
	}
}
