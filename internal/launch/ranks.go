package launch

import (
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A rank is one process of the job. Its fields are guarded by ranks.mu.
type rank struct {
	pid   int  // 0 before the start
	alive bool // started and not yet reaped
}

// ranks are the processes of a job. A process is signalled only under the lock that is also held for
// reaping, so that no signal goes to a process number that the kernel may have reused.
type ranks struct {
	mu    sync.Mutex
	list  []rank
	begun atomic.Bool  // the build is over, and ranks are being started
	stop  atomic.Bool  // start no more ranks
	away  *coordinator // of ranks on other hosts; nil: they run here
}

// An exit says that one rank has ended or was stopped.
type exit struct {
	rank int
	ws   syscall.WaitStatus
}

// started records a rank's process. If the job was told to end while the process started, the process has
// missed that and is killed.
func (rs *ranks) started(r, pid int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.list[r] = rank{pid: pid, alive: true}
	if rs.stop.Load() {
		killpg(pid, syscall.SIGKILL)
	}
}

// signal sends sig to the process group of every living rank.
func (rs *ranks) signal(sig syscall.Signal) {
	if rs.away != nil {
		rs.away.signal(sig)
		return
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.list {
		if r.alive {
			killpg(r.pid, sig)
		}
	}
}

// alive lists the living ranks.
func (rs *ranks) alive() []int {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	var list []int
	for i, r := range rs.list {
		if r.alive {
			list = append(list, i)
		}
	}
	return list
}

// pid returns the process number of a rank.
func (rs *ranks) pid(r int) int {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.list[r].pid
}

// dying reports whether the process of a rank is known to have begun to exit.
func (rs *ranks) dying(r int) bool { return rs.away == nil && dying(rs.pid(r)) }

// runnable reports whether a thread of a rank is known to be running or runnable.
func (rs *ranks) runnable(r int) bool { return rs.away == nil && runnable(rs.pid(r)) }

// used returns how much processor time a rank has used.
func (rs *ranks) used(r int) time.Duration {
	if rs.away != nil {
		return rs.away.used(r)
	}
	return cpuTime(rs.pid(r))
}

// reap reaps every child that has ended or stopped, and kills the process groups of those that have ended.
// It is called by the thread that forked them.
func (rs *ranks) reap() []exit {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	var ended []exit
	for {
		pid, ws, ok := reapChild()
		if !ok {
			return ended
		}
		for i := range rs.list {
			if r := &rs.list[i]; r.alive && r.pid == pid {
				if !ws.Stopped() {
					r.alive = false
					killpg(pid, syscall.SIGKILL)
				}
				ended = append(ended, exit{i, ws})
				break
			}
		}
	}
}

// killpg signals a process group; it may be gone already.
func killpg(pid int, sig syscall.Signal) { _ = syscall.Kill(-pid, sig) }

// killGroup kills the process group that a child leads.
func killGroup(pid int) error { return syscall.Kill(-pid, syscall.SIGKILL) }
