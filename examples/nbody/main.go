// Nbody lets bodies attract each other. Every rank has some of them; to find all forces, copies of the
// bodies travel around a ring of the ranks, while each rank computes with those that it has at the moment.
package main

import (
	"fmt"
	"math"

	"rhinet/mpi"
)

const (
	bodies = 48 // in all
	steps  = 20
	dt     = 0.01
	soft   = 0.1 // keeps forces finite
)

// A body has a mass, a position and a velocity.
type body struct{ M, X, Y, VX, VY float64 }

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	all := begin()
	first := bodies * world.Rank() / world.Size()
	mine := append([]body{}, all[first:bodies*(world.Rank()+1)/world.Size()]...)
	for range steps {
		fx, fy := make([]float64, len(mine)), make([]float64, len(mine))
		if err := around(world, mine, func(others []body) { forces(mine, others, fx, fy) }); err != nil {
			return err
		}
		move(mine, fx, fy)

		fx, fy = make([]float64, bodies), make([]float64, bodies) // the reference: all bodies on one rank
		forces(all, all, fx, fy)
		move(all, fx, fy)
	}
	for i, b := range mine {
		if want := all[first+i]; math.Hypot(b.X-want.X, b.Y-want.Y) > 1e-9 {
			return fmt.Errorf("body %d is at %v, %v, not at %v, %v", first+i, b.X, b.Y, want.X, want.Y)
		}
	}
	if world.Rank() == 0 {
		fmt.Printf("%d bodies are where they belong after %d steps\n", bodies, steps)
	}
	return nil
}

func begin() []body {
	all := make([]body, bodies)
	for i := range all {
		angle, r := 2.4*float64(i), 1+math.Sqrt(float64(i))
		all[i] = body{1 + float64(i%3), r * math.Cos(angle), r * math.Sin(angle), -math.Sin(angle), math.Cos(angle)}
	}
	return all
}

// around calls use with the bodies of each rank, its own first. The next ones arrive while use computes.
func around(world *mpi.Comm, mine []body, use func([]body)) error {
	size := world.Size()
	left, right := (world.Rank()+size-1)%size, (world.Rank()+1)%size
	here, next := append([]body{}, mine...), make([]body, bodies/size+1)
	for turn := range size {
		if turn == size-1 {
			use(here)
			return nil
		}
		came := mpi.Irecv(world, next, left, turn)
		went := mpi.Isend(world, here, right, turn)
		use(here)
		st, err := came.Wait()
		if err != nil {
			return err
		}
		if _, err := went.Wait(); err != nil {
			return err
		}
		here, next = next[:st.Count], here[:cap(here)]
		if len(next) < bodies/size+1 {
			next = make([]body, bodies/size+1)
		}
	}
	return nil
}

// forces adds to fx, fy the forces of others on mine.
func forces(mine, others []body, fx, fy []float64) {
	for i, a := range mine {
		for _, b := range others {
			dx, dy := b.X-a.X, b.Y-a.Y
			d := dx*dx + dy*dy + soft*soft
			f := a.M * b.M / (d * math.Sqrt(d))
			fx[i] += f * dx
			fy[i] += f * dy
		}
	}
}

func move(bodies []body, fx, fy []float64) {
	for i := range bodies {
		b := &bodies[i]
		b.VX += fx[i] / b.M * dt
		b.VY += fy[i] / b.M * dt
		b.X += b.VX * dt
		b.Y += b.VY * dt
	}
}
