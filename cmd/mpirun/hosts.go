package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"rhinet/internal/kvs/open"
	"rhinet/internal/launch"
	"rhinet/llc/nics"
)

// daemonWord is the first argument of an mpirun that runs ranks of a job led by another mpirun.
const daemonWord = "--daemon"

// daemon runs the ranks of a job on this host, one of several.
func daemon(std streams) int {
	return launch.Daemon(std.in, std.err, func(nic string, ranks int) (launch.Fabric, error) {
		m, err := openFabric(nic, ranks)
		if err != nil {
			return nil, err // a nil interface, not a nil *View
		}
		return m, nil
	})
}

// sshLauncher starts programs on other hosts unless the user names another command. It must not prompt.
const sshLauncher = "ssh -x -o BatchMode=yes"

// A hostList is the part of a command line about several hosts.
type hostList struct {
	list     launch.HostList
	launcher string // of --launcher
	needs    string // a flag that requires hosts
}

// addHosts declares the flags of jobs on several hosts.
func (req *request) addHosts(fs *pflag.FlagSet) {
	h := &req.hosts
	fs.Func("hosts", "run the ranks on the hosts `HOST[:RANKS],...`", h.list.Add)
	fs.Func("hostfile", "run the ranks on the hosts listed in `FILE`, one per line, optionally with slots=RANKS", h.list.Read)
	fs.Func("launcher", "start programs on other hosts with `COMMAND`, followed by host and program (default "+sshLauncher+")", func(v string) error {
		if len(strings.Fields(v)) == 0 {
			return errors.New("the command is empty")
		}
		h.launcher, h.needs = v, "--launcher"
		return nil
	})
	fs.Func("iface", "let the hosts reach this one by its network interface `NAME`, or by that address", func(v string) error {
		req.job.Interface, h.needs = v, "--iface"
		return nil
	})
	fs.Func("kvs", "let ranks on several hosts exchange addresses through `memcached://HOST:PORT` (default: mpirun's own store)", func(v string) error {
		req.job.Store, h.needs = v, "--kvs"
		return open.Check(v)
	})
	fs.BoolFunc("preload", "send executables to the hosts (those that mpirun builds are sent anyway)", func(v string) (err error) {
		req.job.Preload, err = strconv.ParseBool(v)
		h.needs = "--preload"
		return err
	})
}

// here reports whether all hosts are this machine, which needs no daemon.
func (h *hostList) here() bool {
	own, _ := os.Hostname()
	this := []string{"localhost", "127.0.0.1", "::1", own}
	return h.launcher == "" && !slices.ContainsFunc(h.list, func(k launch.Host) bool { return !slices.Contains(this, k.Name) })
}

// check prepares the job for its hosts, if there are several, and returns flags that are not possible with
// them.
func (h *hostList) check(req *request) error {
	job := &req.job
	if len(h.list) == 0 && h.needs != "" {
		return fmt.Errorf("%s is for jobs on several hosts; --hosts or --hostfile names them", h.needs)
	}
	if h.here() {
		if strings.Contains(job.NIC, "+") {
			return fmt.Errorf("%s: for jobs on several hosts only; name one network interface", req.nicBy.named(job.NIC))
		}
		return nil
	}
	for _, c := range []struct {
		given bool
		flag  string
	}{
		{req.virtual.on, "--time"},
		{req.observe.metrics != "", "--metrics"},
		{job.Debug != nil, "--debug"},
	} {
		if c.given {
			return fmt.Errorf("%s: for jobs on one host only; leave --hosts out", c.flag)
		}
	}
	chosen := ""
	if req.nicBy != nicDefault {
		chosen = job.NIC
	}
	nic, err := nics.Spread(chosen)
	if err != nil {
		return fmt.Errorf("%s: %w", req.nicBy.named(chosen), err)
	}
	job.NIC, job.BuildTag = nic, nics.Tag(nic)
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot find the file of mpirun, which starts on each host: %w", err)
	}
	launcher := h.launcher
	if launcher == "" {
		launcher = sshLauncher
	}
	job.Hosts, job.Launcher, job.Daemon = h.list, strings.Fields(launcher), []string{self, daemonWord}
	return nil
}
