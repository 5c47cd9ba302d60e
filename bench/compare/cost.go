package compare

import (
	"path/filepath"
	"time"
)

// Plain is the name of jobs without flags that cost anything.
const Plain = "plain"

// Watched returns settings for plain jobs, and for jobs with each flag of mpirun that makes ranks check or
// record what they do; records go to files in dir.
func Watched(dir string) []Setting {
	return []Setting{
		{Name: Plain},
		{Name: "--stats", Flags: []string{"--stats=" + filepath.Join(dir, "stats.json")}},
		{Name: "--trace", Flags: []string{"--trace", filepath.Join(dir, "trace.json")}},
		{Name: "--check", Flags: []string{"--check"}},
	}
}

// TimedNPB is this runtime with a setting, running the kernels of the program npb and taking the time of
// the timed section from their output: it does not include what is written when a job ends.
func TimedNPB(mpirun, npb string, s Setting) Runtime {
	return Runtime{
		Name: s.Name, env: s.Env, read: readSeconds,
		command: func(job []Cell, _ time.Duration) []string {
			return s.launch(mpirun, job[0].Ranks, kernelWith(npb, job[0], "-format", "json")...)
		},
	}
}

// readSeconds takes the run time from the output of our kernels.
func readSeconds(job []Cell, text string, _ time.Duration) ([]Sample, error) {
	k, err := readRun(job[0], text)
	if err != nil {
		return nil, err
	}
	return timedSamples(job[0], k.Seconds, 0), nil
}
