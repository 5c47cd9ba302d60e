package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"rhinet/collectives"
	"rhinet/internal/hugepage"
	"rhinet/internal/launch"
	"rhinet/internal/onesided"
	"rhinet/llc/nics"
	"rhinet/nicemu/fabric"
)

// checkSettings reports a variable that every rank of a part would reject, so that the error is printed
// once and not by each rank.
func checkSettings(job *launch.Job) error {
	for i := range job.Parts {
		if _, err := fabric.ParseAttach(setting(job, &job.Parts[i], nics.AttachVariable)); err != nil {
			return wrongSetting(nics.AttachVariable, err)
		}
		if err := hugepage.Check(setting(job, &job.Parts[i], hugepage.Variable)); err != nil {
			return wrongSetting(hugepage.Variable, err)
		}
		if _, err := nics.ParseDebug(setting(job, &job.Parts[i], nics.DebugVariable)); err != nil {
			return wrongSetting(nics.DebugVariable, err)
		}
		force, first := setting(job, &job.Parts[i], collectives.ForceVariable), setting(job, &job.Parts[0], collectives.ForceVariable)
		if _, err := collectives.ParseForce(force); err != nil {
			return wrongSetting(collectives.ForceVariable, err)
		}
		if force != first {
			return fmt.Errorf("%s: %q in part 1 of the job and %q in part %d; ranks with other algorithms would wait for each other, so give all parts one value",
				collectives.ForceVariable, first, force, i+1)
		}
		if _, err := onesided.ParseJob(setting(job, &job.Parts[i], onesided.Variable)); err != nil {
			return wrongSetting(onesided.Variable, err)
		}
	}
	return nil
}

// addCheck makes the ranks of all parts check what they send and how they use requests, in addition to the
// checks that they do already.
func addCheck(job *launch.Job) {
	for i := range job.Parts {
		p := &job.Parts[i]
		words := "requests,buffers,checksum"
		if also := setting(job, p, nics.DebugVariable); also != "" {
			words = also + "," + words
		}
		p.Env = append(p.Env, nics.DebugVariable+"="+words)
	}
}

// setting returns the value of a variable in the environment of the ranks of a part.
func setting(job *launch.Job, part *launch.Part, name string) string {
	for _, env := range [][]string{part.Env, job.Env} {
		for _, assignment := range slices.Backward(env) {
			if value, ok := strings.CutPrefix(assignment, name+"="); ok {
				return value
			}
		}
	}
	return os.Getenv(name)
}

// wrongSetting is the error of a variable with a wrong value.
func wrongSetting(name string, err error) error {
	return fmt.Errorf("%s: %w", name, err)
}
