package main

import (
	"errors"
	"os"
	"strings"
)

// errVariable is the error for anything other than NAME or NAME=VALUE.
var errVariable = errors.New("give NAME or NAME=VALUE")

// variable checks an assignment, or completes a bare name with the value in the launcher's environment. ok
// is false if the variable is not set.
func variable(v string) (assignment string, ok bool, err error) {
	name, _, assigned := strings.Cut(v, "=")
	if name == "" || strings.ContainsAny(name, " \t\n\x00") || strings.Contains(v, "\x00") {
		return "", false, errVariable
	}
	if assigned {
		return v, true, nil
	}
	value, ok := os.LookupEnv(name)
	return name + "=" + value, ok, nil
}

// setExport is -x. Ranks inherit the launcher's environment anyway, so a bare name changes nothing; it is
// accepted because existing scripts use it.
func (req *request) setExport(v string) error {
	assignment, ok, err := variable(v)
	if err != nil {
		return err
	}
	if !ok {
		req.notes = append(req.notes, "-x "+v+": the variable is not set here, so the ranks do not get it")
		return nil
	}
	req.part.Env = append(req.part.Env, assignment)
	return nil
}

// setEnv is -env and setGlobalEnv -genv: NAME VALUE, joined by the parser.
func (req *request) setEnv(v string) error {
	assignment, _, err := variable(v)
	req.part.Env = append(req.part.Env, assignment)
	return err
}

func (req *request) setGlobalEnv(v string) error {
	assignment, _, err := variable(v)
	req.job.Env = append(req.job.Env, assignment)
	return err
}
