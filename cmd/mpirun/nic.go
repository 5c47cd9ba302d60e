package main

import (
	"fmt"
	"os"
	"strings"

	"rhinet/llc/nics"
)

// A nicChoice says where the user has chosen the network interface of the job.
type nicChoice uint8

const (
	nicDefault  nicChoice = iota // nowhere
	nicVariable                  // in the environment
	nicFlag                      // with --nic
)

// named returns the choice in the way the user has made it.
func (by nicChoice) named(nic string) string {
	if by == nicVariable {
		return nics.Variable + "=" + nic
	}
	return "--nic " + nic
}

// setNIC is --nic.
func (req *request) setNIC(v string) error { return req.chooseNIC(v, nicFlag) }

func (req *request) chooseNIC(v string, by nicChoice) error {
	check := nics.Check
	if strings.Contains(v, "+") { // for a job on several hosts
		check = func(v string) error { _, err := nics.Spread(v); return err }
	}
	if err := check(v); err != nil {
		return err
	}
	req.job.NIC, req.job.BuildTag, req.nicBy = v, nics.Tag(v), by
	return nil
}

// usualNIC takes the network interface from the environment of mpirun, if the command line chooses neither one nor
// virtual time, in which the model is the network.
func (req *request) usualNIC() error {
	v := os.Getenv(nics.Variable)
	if v == "" || req.nicBy == nicFlag || req.virtual.on {
		return nil
	}
	if err := req.chooseNIC(v, nicVariable); err != nil {
		return fmt.Errorf("%s: %w", nicVariable.named(v), err)
	}
	return nil
}

// noteNIC says that the ranks of a job do not choose their network interface, if -x or the like gives them another one.
func (req *request) noteNIC() {
	if req.virtual.on {
		return
	}
	for i := range req.job.Parts {
		for _, env := range [][]string{req.job.Env, req.job.Parts[i].Env} {
			for _, assignment := range env {
				v, ok := strings.CutPrefix(assignment, nics.Variable+"=")
				if !ok || v == req.job.NIC {
					continue
				}
				req.notes = append(req.notes, fmt.Sprintf("%s: mpirun chooses the network interface of all ranks, and uses %s; give --nic, or set the variable for mpirun",
					nicVariable.named(v), req.job.NIC))
				return
			}
		}
	}
}
