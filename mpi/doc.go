// Package mpi is the Message Passing Interface, version 4.1, for Go programs.
//
//	func main() { mpi.Main(run) }
//
//	func run(world *mpi.Comm) error {
//		sum := []int{0}
//		if err := mpi.Allreduce(world, []int{world.Rank()}, sum, mpi.Sum); err != nil {
//			return err
//		}
//		fmt.Println(world.Rank(), "of", world.Size(), "has", sum[0])
//		return nil
//	}
//
// mpirun starts such a program as several processes, the ranks; started alone it is a
// world of one rank. Package mpitest runs the ranks of a test as goroutines.
//
// Data travels in slices whose elements hold no pointers: numbers, bool, arrays and
// flat structs of them; or in layouts over slices: see [View]. Every call returns its
// errors, of type [*Error] and with a [Class] that [errors.Is] finds. Any number of
// goroutines may make calls at once (MPI_THREAD_MULTIPLE).
//
// Not implemented of MPI 4.1: dynamic processes (chapter 11), files (chapter 14) and
// the tool interfaces (chapter 15). The page docs/mpi.md maps every function to its Go
// name, and lists those without one.
package mpi
