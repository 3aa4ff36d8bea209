// Package whole reads and writes files whole. One that is written is there whole or not at all: a reader sees what
// stood there before, or all of the new content.
//
// [Write] writes, [Read] reads what somebody names within bounds. Until the content is complete the file has a name of its own in
// the same folder ([Options.Pattern]); a program that is killed meanwhile leaves that
// behind. Only with [Options.Sync] does it outlast a loss of power: without, the name may
// then lead to an empty file. So what a person decided, keys and what costs much to make
// again are synced; what can be made again, or is read with a checksum, is not.
package whole

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Options of a file. The zero value is private and lost with the power.
type Options struct {
	Mode fs.FileMode // 0: 0600
	// Pattern names the file until it is whole, as in [os.CreateTemp]: others may then
	// write the same file at once. Without a star it is the name itself, and what one
	// that was killed left behind is overwritten: for files that one process writes.
	// "": ".NAME.*".
	Pattern string
	Sync    bool // it outlasts a loss of power
	New     bool // a file of that name is kept: then the error is fs.ErrExist
}

// Write writes a file, and its folder where that is missing. What write fails with is
// returned, and nothing is left behind.
func Write(path string, o Options, write func(io.Writer) error) error {
	dir := filepath.Dir(path)
	f, made, err := createIn(dir, o.pattern(path))
	if err != nil {
		return o.named(err, path)
	}
	w := bufio.NewWriter(f)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil && o.Mode != 0 {
		err = f.Chmod(o.Mode)
	}
	if err == nil && o.Sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = o.name(f.Name(), path)
	}
	if err != nil {
		return errors.Join(o.named(err, path), os.Remove(f.Name()))
	}
	if !o.Sync {
		return nil
	}
	if err := syncDir(dir); err != nil || !made {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

// named has an error of the system about the file that is not whole yet name the one that was
// asked for.
func (o *Options) named(err error, path string) error {
	var about *fs.PathError
	part, _, _ := strings.Cut(o.pattern(path), "*")
	if errors.As(err, &about) && filepath.Dir(about.Path) == filepath.Dir(path) && strings.HasPrefix(filepath.Base(about.Path), part) {
		return &fs.PathError{Op: about.Op, Path: path, Err: about.Err}
	}
	var link *os.LinkError
	if errors.As(err, &link) && link.New == path {
		return &fs.PathError{Op: link.Op, Path: path, Err: link.Err}
	}
	return err
}

func (o *Options) pattern(path string) string {
	if o.Pattern == "" {
		return "." + filepath.Base(path) + ".*"
	}
	return o.Pattern
}

// name gives a file that is whole its name.
func (o *Options) name(part, path string) error {
	if !o.New {
		return os.Rename(part, path)
	}
	err := os.Link(part, path)
	switch {
	case err == nil:
		return os.Remove(part)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	if _, taken := os.Lstat(path); !errors.Is(taken, fs.ErrNotExist) {
		return errors.Join(err, taken)
	}
	return os.Rename(part, path) // no hard links here
}

// Bytes is content that is there already.
func Bytes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// JSON is a value as indented JSON.
func JSON(value any) func(io.Writer) error {
	return func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(value)
	}
}

// createTries bounds how often a new file may meet somebody who removes the empty
// folder that it is made in, as git does.
const createTries = 20

// createIn makes a file in dir, and dir if it is not there.
func createIn(dir, pattern string) (f *os.File, made bool, err error) {
	for range createTries {
		if strings.Contains(pattern, "*") {
			f, err = os.CreateTemp(dir, pattern)
		} else {
			f, err = os.OpenFile(filepath.Join(dir, pattern), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return f, made, err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, made, err
		}
		made = true
	}
	return nil, made, err
}

// syncDir writes the names in a folder to the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
