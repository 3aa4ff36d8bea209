package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// strayMark in the environment of a process holds the process namespace of the
// supervisor and the folder of the run that it belongs to: another container may
// have a folder of the same name.
const strayMark = "ATOLL_SANDBOX_RUN"

// Files of a Box's folder. The owner is the process that made it: its number, when
// it started, and in which boot of the machine. Its number means something in the
// space: its process namespace.
const (
	ownerFile = "owner"
	spaceFile = "space"
)

// ReapStrays ends what a killed atoll left behind: processes of the lower rungs
// whose Box has no living owner, and the folders of such Boxes in scratch (as in
// [Options]) and where New puts them by itself. It returns how many processes it
// killed. Boxes of living processes, and of other users, are left alone.
func ReapStrays(scratch string) (int, error) {
	dirs := []string{"/dev/shm", os.TempDir()}
	if scratch != "" {
		dirs = append(dirs, scratch)
	}
	slices.Sort(dirs)
	killed, err := reapIf(func(run string) bool {
		box := filepath.Dir(filepath.Dir(run)) // BOX/runs/run-123
		return strings.HasPrefix(filepath.Base(box), homePrefix) && !alive(box)
	})
	errs := []error{err}
	for _, dir := range slices.Compact(dirs) {
		boxes, err := filepath.Glob(filepath.Join(dir, homePrefix+"*"))
		errs = append(errs, err)
		for _, box := range boxes {
			if own(box) && !alive(box) {
				errs = append(errs, ignoreOthers(removeAll(box)))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return killed, fmt.Errorf("clean up after an earlier run: %w", err)
	}
	return killed, nil
}

// own reports a folder that this user made: in a folder that all users share anyone
// may lay another of such a name.
func own(box string) bool {
	fi, err := os.Lstat(box)
	if err != nil || !fi.IsDir() {
		return false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// ignoreOthers drops the errors of folders that belong to another user, or that
// somebody else removed meanwhile.
func ignoreOthers(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// claim writes the owner file of a new Box.
func claim(box string) error {
	self, err := identity(os.Getpid())
	if err != nil {
		return fmt.Errorf("identify this process: %w", err)
	}
	err = os.WriteFile(filepath.Join(box, spaceFile), []byte(space()), 0o600)
	if err == nil {
		err = os.WriteFile(filepath.Join(box, ownerFile), []byte(self), 0o600)
	}
	if err != nil {
		return fmt.Errorf("claim a sandbox folder: %w", err)
	}
	return nil
}

// alive reports that the process that made the Box still runs. One of another
// process namespace (a container that shares the folder) is not ours to judge: it
// counts as alive. A folder without an owner file is alive for a minute: it is
// being made, as with one that is empty.
func alive(box string) bool {
	data, err := os.ReadFile(filepath.Join(box, ownerFile))
	if err != nil || len(data) == 0 {
		fi, err := os.Stat(box)
		return err == nil && time.Since(fi.ModTime()) < time.Minute
	}
	theirs, err := os.ReadFile(filepath.Join(box, spaceFile))
	if ours := space(); err == nil && ours != "" && string(theirs) != ours {
		return true
	}
	pid, err := strconv.Atoi(strings.SplitN(string(data), " ", 2)[0])
	if err != nil {
		return false
	}
	now, err := identity(pid)
	return err == nil && now == string(data)
}

// space names the namespace that process numbers mean something in, "" where the
// kernel does not tell.
func space() string {
	name, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return name
}

// mark is the environment variable that a run's processes carry.
func mark(run string) string { return strayMark + "=" + space() + " " + run }

// identity names a process so that a reused number is no mistake: number, start
// time in clock ticks, and the machine's boot.
func identity(pid int) (string, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", err
	}
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(f) < 20 {
		return "", errors.New("the process table is not readable")
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %s %s", pid, f[19], bytes.TrimSpace(boot)), nil
}

// reap kills what is left of one run.
func reap(run string) (int, error) {
	return reapIf(func(value string) bool { return value == run })
}

// reapIf kills the processes of this user whose mark matches, until none is
// found, and returns how many there were.
func reapIf(match func(run string) bool) (int, error) {
	killed, ours := 0, space()
	for round := 0; round < 50; round++ {
		dirs, err := filepath.Glob("/proc/[0-9]*")
		if err != nil {
			return killed, err
		}
		found := 0
		for _, dir := range dirs {
			pid, err := strconv.Atoi(filepath.Base(dir))
			if err != nil || pid == os.Getpid() {
				continue
			}
			env, err := os.ReadFile(dir + "/environ")
			if err != nil || !marked(env, ours, match) {
				continue
			}
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				found++
			}
		}
		if found == 0 {
			return killed, nil
		}
		if round == 0 {
			killed = found
		}
		time.Sleep(2 * time.Millisecond) // for the killed to leave the table
	}
	return killed, errors.New("processes of an earlier run do not die")
}

// marked reports a mark of the given space in an environment that matches.
func marked(env []byte, space string, match func(run string) bool) bool {
	for _, e := range bytes.Split(env, []byte{0}) {
		if run, ok := bytes.CutPrefix(e, []byte(strayMark+"="+space+" ")); ok && match(string(run)) {
			return true
		}
	}
	return false
}
