package world

import (
	"atoll/engine/sandbox/boot/landlock"
	"atoll/engine/sandbox/boot/wire"
)

// devices that a command may read and write on rung 2.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// facts of /proc that tell of the machine and of no process.
var facts = []string{
	"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/version", "/proc/filesystems",
	"/proc/sys/kernel", "/proc/sys/vm", "/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage",
}

// leaderRules are what the command itself may do on rung 2.
func (w *World) leaderRules() *landlock.Ruleset {
	j := w.job
	r := &landlock.Ruleset{Abi: j.ABI, Port: landlockPort(j)}
	r.Read = append(r.Read, facts...)
	for _, m := range j.Mounts {
		if m.Write || m.Device {
			r.Write = append(r.Write, m.Host)
		} else {
			r.Read = append(r.Read, m.Host)
		}
	}
	r.Read = append(r.Read, j.Stage+"/bin", j.Stage+"/hidden", w.tree)
	if j.Launcher != "" {
		r.Read = append(r.Read, j.Launcher)
	}
	r.Write = append(r.Write, w.scratch, w.control)
	r.Write = append(r.Write, devices...)
	if !j.ReadOnly {
		r.Write = append(r.Write, w.tree)
	}
	return r
}

// landlockPort is the TCP port rule that the network mode asks for.
func landlockPort(j *wire.Job) int64 {
	if j.Net.Port > 0 {
		return j.Net.Port
	}
	if !j.Net.Own {
		return -1
	}
	return 0
}

// candidateRules are what code run through the launcher may do on rung 2.
func (w *World) candidateRules() ([]string, []string) {
	j := w.job
	hidden := map[string]bool{}
	for _, h := range j.Hidden {
		hidden[h] = true
	}
	read := append([]string{w.tree, j.Stage + "/bin"}, facts...)
	for _, m := range j.Mounts {
		if !m.Private && !hidden[m.At] && !hidden[m.Host] && !m.Overlay && !m.Device {
			read = append(read, m.Host)
		}
	}
	if j.Launcher != "" {
		read = append(read, j.Launcher)
	}
	return read, append([]string{w.scratch + "/" + wire.CandidateName}, devices...)
}
