package nics

import (
	"fmt"

	"rhinet/nicemu/models"
)

// A Variant says whose links, clocks and processors NICs have.
type Variant struct {
	Name  string
	About string
	Host  string // whose rates of computing, as mpirun --compute counted:HOST takes it
}

// Own and Modern name the variants.
const (
	Own    = "own"
	Modern = "modern"
)

// Variants returns them.
func Variants() []Variant {
	return []Variant{
		{Own, "each NIC with its own network, clocks and processors", "pentium3"},
		{Modern, "all with the same link, clock and processor", "xeon"},
	}
}

// Rule says how numbers become modern, a line for each kind.
func Rule() []string {
	return []string{
		fmt.Sprintf("Clocks of NICs are %d MHz, and what a NIC does takes as many of them as before. Times of a NIC that are stated in ns shrink as its clock does.", clock),
		fmt.Sprintf("Links, buses and memory ports carry 8 bytes a clock; a switch passes a header in %d ns. Topologies stay.", hop),
		fmt.Sprintf("A NIC reaches memory, and a processor the memory of a NIC, in %d ns; a processor sees a changed word after %d ns, and stores 8 bytes into a NIC in %d ns.", memory, detect, store),
		fmt.Sprintf("A call of a library takes %d ns, MPI %d ns for a message on each side; memory is copied at %d Mbyte/s.", call, software, copies),
		fmt.Sprintf("Messages of up to %d bytes travel before they are asked for, where a NIC could fetch them.", eager),
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
	eager    = 4096  // bytes
)

// A NIC is a modelled network interface with the library over it.
type NIC struct {
	Name   string // as mpirun --time takes it
	About  string
	modern []string
}

// NICs returns all.
func NICs() []NIC {
	martini := []string{
		set("core.clock", clock), set("swi.clock", clock), set("link.rate", clock*80/1000), // a flit of 64 bits has 80 on the link
		set("switch.route", hop-40), set("switch.cross", 40),
		set("host.store", store), set("host.hold", 20), set("host.memory", memory), set("host.detect", detect), set("host.probe", 1), set("host.probe-second", 4),
		set("host.call", call), set("host.mpi", software), set("host.copy", copies), set("host.copy-memory", copies),
	}
	return []NIC{
		{"martini", "Martini as the low-level communication library uses it: PUSH to rings, PULL of long messages", append([]string{set("pm.eager", eager)}, martini...)},
		{"martini:pm", "PM/RHiNET: PUSH to rings that are looked at in turn, an ack for each", append([]string{set("pm.eager", eager)}, martini...)},
		{"martini:vp", "PM/RHiNET-VP: VPUSH to one ring, by firmware", martini},
		{"cenju4", "Cenju-4: parcels, coherent reads, multistage network", []string{
			set("clock", clock), set("link.flit", 9), // with its check bits one carries 8 bytes
			set("switch.single", hop), set("switch.multicast", hop), set("switch.sync", hop),
			set("memory.inquiry", memory), set("memory.dirty", memory), set("memory.read", memory), set("receiver.partial", memory),
			set("paralib.send", call), set("paralib.receive", call+detect), set("paralib.again", call), set("mpi.call", software),
			set("host.copy", copies), set("mpi.eager", eager),
		}},
		{"dimmnet2", "DIMMnet-2: windows that the host fills, IPUSH to a ring on the board", []string{
			set("controller.clock", 1000.0/clock), set("controller.reach", 1000.0/clock), set("swif.send", 164*100.0/clock), set("swif.receive", 288*100.0/clock),
			set("swif.byte", 1000.0/clock/8), set("network.switch", hop),
			set("host.least", 24/8*store), set("host.most", 464/8*store), set("host.issue", store), set("host.poll", memory), set("host.read", copies),
			set("mpi.call", software),
		}},
	}
}

func set(name string, v float64) string { return fmt.Sprintf("%s=%g", name, v) }

// choice returns the model of a NIC in a variant.
func (n NIC) choice(variant string) (models.Choice, error) {
	c, err := models.Parse(n.Name)
	if err == nil && variant == Modern {
		err = c.Set(n.modern...)
	}
	return c, err
}
