package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"rhinet/bench/watch"
	"rhinet/llc/nics"
)

// pieceCommand executes a piece, and prints nothing.
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
