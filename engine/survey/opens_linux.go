package survey

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxWatched bounds the folders that are watched.
const maxWatched = 4000

// WatchOpens is the life of the process that runs a command inside a sandbox and
// notes which files below the working directory are opened meanwhile. args are
// the file of the tree to write the list to, and the command. It returns the
// command's exit code; one that was ended by signal n gives 128+n.
func WatchOpens(args []string) int {
	if len(args) < 2 {
		return 2
	}
	w, watchErr := newWatch(".")
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if watchErr == nil {
		if data, jsonErr := json.Marshal(w.end()); jsonErr == nil {
			_ = os.WriteFile(args[0], data, 0o600) // without the list nothing is known, which is what its reader then says
		}
	}
	var ended *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &ended):
		if ws, ok := ended.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			return 128 + int(ws.Signal())
		}
		return ended.ExitCode()
	}
	_, _ = io.WriteString(os.Stderr, err.Error()+"\n")
	return 127
}

// opened is what a watch saw.
type opened struct {
	Files []string `json:"files"` // relative, sorted
	Lost  bool     `json:"lost"`  // events were dropped, so files may be missing
}

// watch notes opened files until it is ended.
type watch struct {
	file *os.File
	dirs map[int32]string
	seen map[string]bool
	lost bool
	done chan struct{}
}

func newWatch(root string) (*watch, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	w := &watch{file: os.NewFile(uintptr(fd), "inotify"), dirs: map[int32]string{}, seen: map[string]bool{}, done: make(chan struct{})}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // what cannot be read is not opened either
		}
		if d.Name() == ".git" && path != root {
			return filepath.SkipDir
		}
		if len(w.dirs) >= maxWatched {
			w.lost = true
			return filepath.SkipAll
		}
		wd, err := unix.InotifyAddWatch(fd, path, unix.IN_OPEN|unix.IN_ONLYDIR)
		if err != nil {
			return err
		}
		w.dirs[int32(wd)] = path
		return nil
	})
	if err != nil {
		_ = w.file.Close()
		return nil, err
	}
	go w.read()
	return w, nil
}

// read takes events until the deadline that end sets.
func (w *watch) read() {
	defer close(w.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := w.file.Read(buf)
		for at := 0; at+unix.SizeofInotifyEvent <= n; {
			e := (*unix.InotifyEvent)(unsafe.Pointer(&buf[at]))
			at += unix.SizeofInotifyEvent
			end := at + int(e.Len)
			if end > n {
				break
			}
			w.event(e, strings.TrimRight(string(buf[at:end]), "\x00"))
			at = end
		}
		if err != nil {
			return
		}
	}
}

func (w *watch) event(e *unix.InotifyEvent, name string) {
	switch {
	case e.Mask&unix.IN_Q_OVERFLOW != 0:
		w.lost = true
	case e.Mask&unix.IN_ISDIR != 0 || name == "":
	default:
		w.seen[filepath.Join(w.dirs[e.Wd], name)] = true
	}
}

// end stops the watch. Every event of a command that ended lies in the queue
// already, so a short while is enough to take them.
func (w *watch) end() opened {
	_ = w.file.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	<-w.done
	_ = w.file.Close()
	o := opened{Lost: w.lost, Files: make([]string, 0, len(w.seen))}
	for f := range w.seen {
		o.Files = append(o.Files, filepath.ToSlash(f))
	}
	slices.Sort(o.Files)
	return o
}
