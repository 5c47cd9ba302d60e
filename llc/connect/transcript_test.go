package connect

import (
	"testing"

	"rhinet/internal/script"
)

// TestTranscripts runs testdata/*.txt. The commands:
//
//	world peers=2 slots=2   new machines
//	connect P Q             P wants a connection with Q
//	look P                  P looks at its slots once
//	run                     all look until nothing happens
//	write P WORD VALUE      what no peer writes appears in a slot of P
//	no-ends P               P can make no ends
//	dies P after=N          P dies after N more commands
//	lose P                  the others are told that P is dead
func TestTranscripts(t *testing.T) {
	script.RunAll(t, "testdata/*.txt", func(*testing.T) func(*script.Command) string {
		var n *net
		return func(c *script.Command) string {
			if c.Name == "world" {
				n = newNet(c.Int("peers", 2), c.Int("slots", 2), nil)
				return ""
			}
			n.out.Reset()
			n.play(c)
			if len(n.broken) > 0 {
				c.Fatalf("%s", n.broken[0])
			}
			return n.out.String()
		}
	})
}

func (n *net) play(c *script.Command) {
	switch c.Name {
	case "connect":
		i := c.ArgInt(0)
		n.machines[i].Connect(c.ArgInt(1))
		n.carryOut(i)
	case "look":
		n.look(c.ArgInt(0))
	case "run":
		for range 100 { // more than a lock is tried again after
			for i := range n.machines {
				n.look(i)
			}
		}
	case "write":
		n.words[c.ArgInt(0)][c.ArgInt(1)] = uint64(c.Int("value", 0))
	case "no-ends":
		n.noEnds[c.ArgInt(0)] = true
	case "dies":
		n.lives[c.ArgInt(0)] = c.Int("after", 0)
	case "lose":
		for i, m := range n.machines {
			if dead := c.ArgInt(0); i != dead {
				m.Lose(dead)
				n.carryOut(i)
			}
		}
	default:
		c.Fatalf("no command %q", c.Name)
	}
}
