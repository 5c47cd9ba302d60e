package colltest_test

import (
	"testing"

	"rhinet/collectives"
	"rhinet/collectives/colltest"
)

func open(m colltest.Memory) colltest.Open {
	return func(_ testing.TB, n int) []collectives.Transport {
		return colltest.NewWorld(n, m).Transports()
	}
}

func TestSynchronous(t *testing.T) { colltest.Run(t, open(colltest.Memory{})) }

func TestEager(t *testing.T) { colltest.Run(t, open(colltest.Memory{Eager: true})) }

func TestExchange(t *testing.T) { colltest.Run(t, open(colltest.Memory{ExchangeBytes: 200})) }

func TestFewSlots(t *testing.T) {
	colltest.Run(t, open(colltest.Memory{Slots: collectives.MinSlots}))
}
