package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"rhinet/bench/watch"
	"rhinet/llc/nics"
)

// works are what bench watch counts the instructions of: pieces, done by this
// program, and small kernels on one rank, twice less once.
func works(self string, p place) (list []watch.Work, err error) {
	for _, piece := range watch.Pieces() {
		list = append(list, pieceWork(self, piece))
	}
	npb, err := p.program("", "npb")
	if err != nil {
		return nil, err
	}
	for _, kernel := range []string{"is", "mg"} {
		list = append(list, watch.Work{Name: "npb " + kernel + " S", Base: []string{npb, "-class", "S", kernel}, Full: []string{npb, "-class", "S", kernel, kernel}, Per: 1})
	}
	return list, nil
}

// pieceWork is a piece done by this program.
func pieceWork(self string, piece watch.Piece) watch.Work {
	args := func(reps int) []string { return []string{self, "watch", "piece", piece.Name, strconv.Itoa(reps)} }
	return watch.Work{Name: piece.Name, Base: args(piece.Few), Full: args(piece.Many), Per: piece.Many - piece.Few}
}

// pieceCommand does a piece, and prints nothing.
func pieceCommand() *cobra.Command {
	nic := nics.Default
	c := &cobra.Command{
		Use:    "piece NAME REPETITIONS",
		Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage(errors.New("piece takes a name and a number of repetitions"))
			}
			piece, err := watch.FindPiece(args[0])
			if err != nil {
				return usage(err)
			}
			reps, err := repetitions(args[1])
			if err != nil {
				return usage(err)
			}
			if err := nics.Check(nic); err != nil {
				return usage(fmt.Errorf("--nic %s: %w", nic, err))
			}
			return piece.Do(nic, reps)
		},
	}
	c.Flags().StringVar(&nic, "nic", nic, "the NIC that messages take")
	return c
}
