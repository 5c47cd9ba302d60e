// Command finalize forgets to.
package main

import (
	"log"

	"rhinet/mpi"
)

func main() {
	world, err := mpi.Init() // want `nothing calls mpi.Finalize for this mpi.Init, so the job ends as if the rank had failed; defer it, or use mpi.Main`
	if err != nil {
		log.Fatal(err)
	}
	if err := mpi.Barrier(world); err != nil {
		log.Fatal(err)
	}
}
