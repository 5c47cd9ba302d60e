package lowlevel_test

import (
	"fmt"
	"log"
	"sync"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/lowlevel"
)

// Two processes, here goroutines: one sends a message, both wait for each
// other, and the other reads what the first has published.
func Example() {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		log.Fatal(err)
	}
	var wg sync.WaitGroup
	for rank := range 2 {
		wg.Go(func() {
			nic, err := martini.Open(f, rank, martini.Options{})
			if err != nil {
				log.Fatal(err)
			}
			defer nic.Close()
			lib, err := lowlevel.Open(nic, lowlevel.Options{})
			if err != nil {
				log.Fatal(err)
			}
			defer lib.Close()
			if err := run(lib, rank); err != nil {
				log.Fatal(err)
			}
		})
	}
	wg.Wait()
	// Output:
	// process 1 received "a message"
	// process 1 read "published"
}

func run(lib *lowlevel.Library, rank int) error {
	barrier, err := lib.NewBarrier(0, []int{0, 1}, 2)
	if err != nil {
		return err
	}
	if rank == 0 {
		if err := lib.Send(1, []byte("a message")); err != nil {
			return err
		}
		if err := lib.Publish(5, []byte("published")); err != nil {
			return err
		}
	} else {
		b := make([]byte, 100)
		n, err := lib.Recv(0, b)
		if err != nil {
			return err
		}
		fmt.Printf("process 1 received %q\n", b[:n])
	}
	if err := barrier.Wait(); err != nil {
		return err
	}
	if rank == 1 {
		b := make([]byte, 9)
		if err := lib.Get(0, 5, 0, b); err != nil {
			return err
		}
		fmt.Printf("process 1 read %q\n", b)
	}
	return barrier.Wait()
}
