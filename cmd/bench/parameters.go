package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rhinet/bench/network"
	"rhinet/bench/timed"
	"rhinet/nicemu/models"
	"rhinet/nicemu/param"
)

// parametersCommand prints the numbers of a timed model.
func parametersCommand(out io.Writer) *cobra.Command {
	var o timedFlags
	c := &cobra.Command{
		Use:   "parameters [MODEL]",
		Short: "Print every number of a timed model, with its unit and its source: of Martini, or of a model of mpirun --time",
		Long: "Print every number of a timed model, with its unit and its source: of Martini with its hosts, buses and switches, as the other commands\n" +
			"measure it, or of MODEL, as mpirun --time takes it: " + strings.Join(models.Names(), ", ") + ".\n" +
			"Martini in virtual time has the numbers of its message layer in addition.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(errors.New("model parameters takes one model, or none"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) (err error) {
			var t *param.Table
			switch {
			case len(args) == 0:
				t, err = timed.Load(o.design, o.settings)
			case c.Flags().Changed("switch"):
				err = usage(fmt.Errorf("--switch: %s has switches of its own; leave one of them out", args[0]))
			default:
				t, err = modelParameters(args[0], o.settings)
			}
			if err != nil {
				return err
			}
			return network.WriteParameters(out, o.format, t)
		},
	}
	modelTable(c, &o.design, &o.format, &o.settings)
	return c
}

// modelParameters returns the table of a model of MPI programs in virtual time, with settings.
func modelParameters(name string, settings []string) (*param.Table, error) {
	m, err := models.Parse(name)
	if err != nil {
		return nil, usage(err)
	}
	if err := m.Set(settings...); err != nil {
		return nil, usage(err)
	}
	return m.Params, nil
}
