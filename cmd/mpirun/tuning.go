package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"rhinet/collectives"
	"rhinet/internal/launch"
	"rhinet/internal/tuning"
	"rhinet/llc/nics"
)

// noTuning is the value of --tuning that requests no table.
const noTuning = "none"

func (req *request) setTuning(file string) error {
	if file == "" {
		return errors.New("the file's name is empty")
	}
	req.tuning = file
	return nil
}

// tune makes the job use the table that the command line names, or the default table if it exists. An error
// is one line for the user.
func (req *request) tune() error {
	if req.tuning == noTuning {
		return nil
	}
	file := req.tuning
	if file == "" {
		if file = req.usualTable(); file == "" {
			return nil
		}
	}
	t, err := tuning.Read(file, checkRules)
	if err != nil {
		return req.withoutTable(err)
	}
	if req.tuning == "" && t.NIC != req.job.NIC {
		return nil // measured for another network interface than the user has chosen
	}
	if err := req.foreign(file, t); err != nil {
		return req.withoutTable(err)
	}
	req.job.Tuning, req.job.TunedBy = t.Word(), file
	return nil
}

// withoutTable adds a hint to an error if the user has not asked for the table.
func (req *request) withoutTable(err error) error {
	if req.tuning != "" {
		return fmt.Errorf("--tuning: %w", err)
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w; make it readable, or run without: --tuning %s", err, noTuning)
	}
	return fmt.Errorf("%w, or run without: --tuning %s", err, noTuning)
}

func checkRules(list string) error {
	_, err := collectives.ParseRules(list)
	return err
}

// usualTable returns the default table of this machine, or of the model of virtual time, "" if there is
// none.
func (req *request) usualTable() string {
	file, err := req.tablePlace()
	if err != nil {
		return ""
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return file
}

// tablePlace returns the default file of the table for such jobs.
func (req *request) tablePlace() (string, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	if req.virtual.on {
		return tuning.ModelFile(config, req.virtual.name()), nil
	}
	return tuning.This(launch.Processors()).File(config), nil
}

// foreign reports a table that was measured elsewhere.
func (req *request) foreign(file string, t *tuning.Table) error {
	here := tuning.This(launch.Processors())
	switch {
	case req.virtual.on && t.Model == "":
		return fmt.Errorf("%s was measured on a machine, and this job runs on the model %s; write a table for it with mpirun tune --time %s", file, req.virtual.name(), req.virtual.name())
	case req.virtual.on && t.Model != req.virtual.name():
		return fmt.Errorf("%s was measured on the model %s, and this job runs on %s; write a table for it with mpirun tune --time %s", file, t.Model, req.virtual.name(), req.virtual.name())
	case req.virtual.on:
		return nil
	case t.Machine == nil:
		return fmt.Errorf("%s was measured on the model %s, and this job runs on a machine; write a table for it with mpirun tune", file, t.Model)
	case *t.Machine != here:
		return fmt.Errorf("%s was measured on another machine (%v; this is %v); write a table here with mpirun tune", file, *t.Machine, here)
	case t.NIC != req.job.NIC:
		return fmt.Errorf("%s was measured with --nic %s, and this job uses %s; write a table for it with mpirun tune --nic %s", file, t.NIC, req.job.NIC, req.job.NIC)
	}
	return nil
}

// where returns on what the tables for such jobs are measured.
func (req *request) where() tuning.Table {
	if req.virtual.on {
		return tuning.Table{Model: req.virtual.name(), NIC: nics.Timed}
	}
	here := tuning.This(launch.Processors())
	return tuning.Table{Machine: &here, NIC: req.job.NIC}
}
