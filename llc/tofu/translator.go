package tofu

import (
	"errors"

	"rhinet/llc/endpoint"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/tofu"
)

const name = "tofu"

// A Translator drives the NIC of one rank.
type Translator struct {
	endpoint.Mailed
	hardware hardware
}

// Options are those of a translator. The zero value is the default.
type Options struct {
	Attach fabric.Attach
	Ports  int // injection ports that a long message uses at the same time; 0 is one
}

var _ ir.Injector = (*Translator)(nil)

// Open connects rank to its NIC in the memory of a job.
func Open(f *fabric.Fabric, rank int, o Options) (*Translator, error) {
	nic, err := tofu.Open(f, rank, tofu.Options{Attach: o.Attach})
	if err != nil {
		return nil, err
	}
	e := endpoint.New(f, rank, tofu.Gone)
	t := &Translator{hardware: hardware{NIC: nic, f: f, self: rank, rings: f.RingPool(), ports: min(max(o.Ports, 1), tofu.InjectionPorts)}}
	t.ConnectMail(&e, name, &t.hardware, nic.Bootstrap(), t.open, errForged)
	return t, nil
}

// Ports returns how many injection ports long messages may use.
func (t *Translator) Ports() int { return t.hardware.ports }

// Post carries out cmd; a transfer uses the injection port that it names.
func (t *Translator) Post(cmd *ir.Command) {
	t.hardware.port = int(cmd.Port)
	t.Mailed.Post(cmd)
}

// errForged reports a notice that no NIC of a correct rank can have written.
var errForged = errors.New("llc/tofu: a notice of what is no packet in a mailbox")

// open turns a notice into the packet that it announces.
func (t *Translator) open(ev *ir.Event) bool {
	n, ok := tofu.ReadNotice(ev.Data)
	if !ok || n.Tag != tofu.TagBootstrap {
		return false
	}
	ev.Data, ok = t.Mail.Open(int(ev.Peer), n.Offset, n.Bytes)
	ev.Header.Length = uint32(n.Bytes)
	return ok
}
