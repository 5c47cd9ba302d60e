// Command finalized does not forget.
package main

import (
	"log"

	"rhinet/mpi"
)

func main() {
	world, err := mpi.Init()
	if err != nil {
		log.Fatal(err)
	}
	defer func() {
		if err := mpi.Finalize(world); err != nil {
			log.Fatal(err)
		}
	}()
	if err := mpi.Barrier(world); err != nil {
		log.Fatal(err)
	}
}
