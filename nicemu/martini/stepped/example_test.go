package stepped_test

import (
	"errors"
	"fmt"
	"log"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/stepped"
)

// Two NICs, the first of which pushes; one module is watched.
func Example() {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		log.Fatal(err)
	}
	manager, err := martini.Manage(f)
	if err != nil {
		log.Fatal(err)
	}
	var nics []*martini.NIC
	for rank := range 2 {
		n, err := martini.Open(f, rank, martini.Options{})
		if err != nil {
			log.Fatal(err)
		}
		defer n.Close()
		nics = append(nics, n)
	}
	m, err := stepped.New(manager, nics, stepped.Options{Observe: func(e stepped.Event) {
		if e.Node == 0 && e.Module == stepped.Initiator && e.From != e.To {
			fmt.Println(e.From, "->", e.To)
		}
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()

	source, target := []byte("payload"), make([]byte, 7)
	if _, err := nics[0].Expose(source); err != nil {
		log.Fatal(err)
	}
	segment, err := nics[1].Expose(target)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Push(0, 0, martini.Request{Node: 1, Segment: segment}, source); err != nil {
		log.Fatal(err)
	}
	if err := m.Run(1000); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", target)
	// Output:
	// IDLE -> PGID
	// PGID -> IPA
	// IPA -> IPA2
	// IPA2 -> MISS
	// MISS -> IPA
	// IPA -> IPA2
	// IPA2 -> CHK1
	// CHK1 -> CHK2
	// CHK2 -> CONT
	// CONT -> IDLE
	// payload
}

// The fast path leaves unusual cases to the machine: the first request is an ordinary one, and not
// seen; the second is for memory that is not pinned.
func ExampleMachine_Attach() {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		log.Fatal(err)
	}
	manager, err := martini.Manage(f)
	if err != nil {
		log.Fatal(err)
	}
	var nics []*martini.NIC
	for rank := range 2 {
		n, err := martini.Open(f, rank, martini.Options{})
		if err != nil {
			log.Fatal(err)
		}
		defer n.Close()
		nics = append(nics, n)
	}
	m, err := stepped.New(manager, nics, stepped.Options{Observe: func(e stepped.Event) {
		if e.To == stepped.MISS && e.From != e.To || e.From == stepped.MISS && e.From != e.To {
			fmt.Println(e.Module, e.From, "->", e.To)
		}
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	m.Attach()

	pinned, other, target := []byte("pinned"), []byte("not pinned"), make([]byte, 10)
	segment, err := nics[1].Expose(target)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := nics[0].Pin(pinned); err != nil {
		log.Fatal(err)
	}
	for _, source := range [][]byte{pinned, other} {
		err := nics[0].Next().Push(martini.Request{Node: 1, Segment: segment}, source)
		fmt.Printf("%s: %v\n", source, errors.Is(err, martini.NotPinned))
	}
	// Output:
	// pinned: false
	// Initiator IPA2 -> MISS
	// Initiator MISS -> IDLE
	// not pinned: true
}
