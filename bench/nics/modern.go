package nics

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"rhinet/nicemu/models"
)

// A Variant says which links, clocks and processors the NICs have.
type Variant struct {
	Name  string
	About string
	Host  string // whose computing rates are used, as mpirun --compute counted:HOST takes it
}

// Own, Modern and Equal name the variants.
const (
	Own    = "own"
	Modern = "modern"
	Equal  = "equal"
)

// Variants returns the variants.
func Variants() []Variant {
	return []Variant{
		{Own, "each NIC with its own network, clocks and processors", "pentium3"},
		{Modern, "all with the same link, clock and processor", "xeon"},
		{Equal, "as modern, and all with the same topology", "xeon"},
	}
}

// Rule explains how numbers are modernised, one line for each kind.
func Rule() []string {
	return []string{
		fmt.Sprintf("Clocks of NICs are %d MHz, and what a NIC does takes as many of them as before. Times of a NIC that are stated in ns shrink as its clock does.", clock),
		fmt.Sprintf("Links, buses and memory ports carry 8 bytes a clock; a switch passes a header in %d ns. Topologies stay; see the variant equal.", hop),
		fmt.Sprintf("A NIC reaches memory, and a processor the memory of a NIC, in %d ns; a processor sees a changed word after %d ns, and stores 8 bytes into a NIC in %d ns.", memory, detect, store),
		fmt.Sprintf("A call of a library takes %d ns, MPI %d ns for a message on each side; memory is copied at %d Mbyte/s. A process that sleeps goes on %d ns after an interrupt.", call, software, copies, wake),
		fmt.Sprintf("Messages of up to %d bytes travel before they are asked for, where a NIC could fetch them.", eager),
		"In the variant equal all nodes are on one switch, each by one link: no node is nearer than another, and each output of the switch carries one packet at a time. How a switch buffers packets stays that of the NIC.",
	}
}

// The modern link and processor.
const (
	clock    = 1000  // MHz
	hop      = 100   // ns
	memory   = 80    // ns
	detect   = 60    // ns
	store    = 5     // ns, of a double word
	call     = 20    // ns
	software = 100   // ns
	copies   = 10000 // Mbyte/s
	wake     = 1000  // ns
	eager    = 4096  // bytes
)

// A NIC is a modelled network interface with the library on top of it.
type NIC struct {
	Name      string
	About     string
	modern    []string
	equal     func(nodes int) []string // in addition to modern
	placed    bool                     // its topology has a name
	model     string                   // as mpirun --time takes it; "": the name
	by        string                   // algorithms of collective operations, as in RHINET_COLL, instead of the default choice
	between   string                   // the same for the untimed barriers between repetitions, in tests other than Barrier
	operation []string                 // tests to which by applies; the NIC is only in these
}

// cenju4 returns n with modern parameters. A flit of 9 bytes including check bits carries 8 bytes.
func cenju4(n NIC) NIC {
	n.modern = []string{
		set("clock", clock), set("link.flit", 9),
		set("switch.single", hop), set("switch.multicast", hop), set("switch.sync", hop),
		set("memory.inquiry", memory), set("memory.dirty", memory), set("memory.read", memory), set("receiver.partial", memory),
		set("paralib.send", call), set("paralib.receive", call+detect), set("paralib.again", call), set("mpi.call", software),
		set("host.copy", copies), set("mpi.eager", eager),
	}
	n.equal = func(nodes int) []string {
		return []string{set("switch.ports", float64(int(1)<<bits.Len(uint(nodes-1)))), set("switch.level", 1)}
	}
	return n
}

// NICs returns all NICs.
func NICs() []NIC {
	martini := []string{
		set("core.clock", clock), set("swi.clock", clock), set("link.rate", clock*80/1000), // a flit of 64 bits has 80 on the link
		set("switch.route", hop-40), set("switch.cross", 40),
		set("host.store", store), set("host.hold", 20), set("host.memory", memory), set("host.detect", detect), set("host.probe", 1), set("host.probe-second", 4),
		set("host.call", call), set("host.mpi", software), set("host.copy", copies), set("host.copy-memory", copies),
	}
	ports := func(nodes int) []string { return []string{set("switch.ports", float64(nodes))} }
	return []NIC{
		{Name: "martini", About: "Martini as the low-level communication library uses it: PUSH to rings, PULL of long messages",
			modern: append([]string{set("pm.eager", eager)}, martini...), equal: ports, placed: true},
		{Name: "martini:pm", About: "PM/RHiNET: PUSH to rings that are looked at in turn, an ack for each",
			modern: append([]string{set("pm.eager", eager)}, martini...), equal: ports, placed: true},
		{Name: "martini:vp", About: "PM/RHiNET-VP: VPUSH to one ring, by firmware", modern: martini, equal: ports, placed: true},
		cenju4(NIC{Name: "cenju4", About: "Cenju-4: parcels, coherent reads, multistage network"}),
		cenju4(NIC{Name: "cenju4:switch", About: "Cenju-4, whose switches multicast, and meet the packets of a barrier", model: "cenju4",
			by: "barrier=synchronization,bcast=multicast", operation: []string{"Barrier", "Bcast"}}),
		{Name: "dimmnet2", About: "DIMMnet-2: windows that the host fills, IPUSH to a ring on the board; one switch", modern: []string{
			set("controller.clock", 1000.0/clock), set("controller.reach", 1000.0/clock), set("swif.send", 164*100.0/clock), set("swif.receive", 288*100.0/clock),
			set("swif.byte", 1000.0/clock/8), set("network.switch", hop),
			set("host.least", 24/8*store), set("host.most", 464/8*store), set("host.issue", store), set("host.poll", memory), set("host.read", copies),
			set("mpi.call", software),
		}},
		// Ranks leave a barrier by codes one after the other, the last to arrive last: what they time after
		// it would begin late.
		{Name: "sync", About: "the synchronization controller: data packets of 64 bytes over a torus, barriers by codes of its barrier controllers", between: "barrier=dissemination", modern: []string{
			set("data.rate", 8*8*clock), set("event.rate", 8*8*clock), set("data.hop", hop), set("event.hop", hop+16/8), // with its 16 bytes on the link
			set("pci.write", memory), set("pci.interrupt", memory), set("pe.wake", wake), // the clock of the barrier controllers is bc.central
			set("bc.central", 1000.0/clock), set("bc.decode", 100.0/30*1000/clock), set("bc.interrupt", 100.0/30*1000/clock),
			set("pe.byte", store/8.0), set("pe.command", call), set("mpi.call", software),
		}, equal: func(int) []string { return []string{set("network.one-switch", 1)} }},
	}
}

func set(name string, v float64) string { return fmt.Sprintf("%s=%g", name, v) }

// choice returns the model of a NIC in a variant, for a number of nodes.
func (n NIC) choice(variant string, nodes int) (models.Choice, error) {
	c, err := models.Parse(cmp.Or(n.model, n.Name))
	if err == nil && variant != Own {
		err = c.Set(n.modern...)
	}
	if err == nil && variant == Equal && n.equal != nil {
		err = c.Set(n.equal(nodes)...)
	}
	if err == nil && variant == Equal && n.placed {
		err = c.SetTopology(fmt.Sprintf("one:%d", nodes), nil)
	}
	return c, err
}

// serves reports whether a NIC is in a test or a kernel.
func (n NIC) serves(program string) bool {
	return n.operation == nil || slices.Contains(n.operation, program)
}
