package gitops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// leftPack splits the name of a file of a pack that git repack has not given its name yet,
// .tmp-PID-pack-SUM.EXT, into the process and the name that it was to have.
func leftPack(name string) (pid int, named string, ok bool) {
	rest, ok := strings.CutPrefix(name, ".tmp-")
	if !ok {
		return 0, "", false
	}
	id, named, ok := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(id)
	return pid, named, ok && err == nil && pid > 0 && strings.HasPrefix(named, "pack-")
}

// adoptPacks gives packs their name that a repack left behind which was killed. Git takes
// objects in them for packed, so that the next repack leaves them out and drops them
// elsewhere: the file that nobody owns becomes the only one that has them.
func adoptPacks(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		pid, named, ok := leftPack(e.Name())
		base, index := strings.CutSuffix(named, ".idx")
		if !ok || !index || !errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			continue
		}
		from := filepath.Join(dir, strings.TrimSuffix(e.Name(), ".idx"))
		for _, ext := range []string{".pack", ".rev", ".idx"} { // the index last: with it git reads the pack
			if err := os.Rename(from+ext, filepath.Join(dir, base+ext)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
