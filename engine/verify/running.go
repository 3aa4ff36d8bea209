package verify

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// tick is the unit of the times of /proc, which Linux gives in hundredths of a second on every machine that it tells them of.
const tick = 10 * time.Millisecond

// running is the processor time that the processes which descend from one have used by themselves
// until now; 0 where proc tells nothing. What those had that ended is not in it.
func running(proc string, of int) time.Duration {
	files, err := filepath.Glob(filepath.Join(proc, "[0-9]*", "stat"))
	if err != nil {
		return 0
	}
	parents, used := map[int]int{}, map[int]time.Duration{}
	for _, file := range files {
		text, err := os.ReadFile(file) // a process that ended meanwhile has none
		if err != nil {
			continue
		}
		if pid, parent, cpu, ok := statOf(text); ok {
			parents[pid], used[pid] = parent, cpu
		}
	}
	sum := time.Duration(0)
	for pid, cpu := range used {
		at := parents[pid]
		for range len(parents) {
			if at == of || at == 0 {
				break
			}
			at = parents[at]
		}
		if at == of {
			sum += cpu
		}
	}
	return sum
}

// statOf reads a line such as "7 (the name) S 1 ...": the process, its parent and its time in user and
// system mode. The name may hold anything.
func statOf(text []byte) (pid, parent int, cpu time.Duration, ok bool) {
	at := bytes.LastIndexByte(text, ')')
	if at < 0 {
		return 0, 0, 0, false
	}
	id, _, _ := bytes.Cut(text, []byte(" "))
	rest := bytes.Fields(text[at+1:])
	const parentAt, userAt, systemAt = 1, 11, 12 // behind the name
	if len(rest) <= systemAt {
		return 0, 0, 0, false
	}
	var n [4]int
	for i, field := range [][]byte{id, rest[parentAt], rest[userAt], rest[systemAt]} {
		v, err := strconv.Atoi(string(field))
		if err != nil {
			return 0, 0, 0, false
		}
		n[i] = v
	}
	return n[0], n[1], time.Duration(n[2]+n[3]) * tick, true
}
