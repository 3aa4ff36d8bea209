package repair

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"atoll/engine/backup"
	"atoll/engine/doctor"
)

// source is where something may be taken from: a backup, laid out in a folder of its
// own; another state directory; a git repository.
type source struct {
	name    string // for people
	named   bool   // by the person who called
	state   string // the state directory, "" = none
	objects string // the git directory
	made    string // the folder that a backup was laid out in, "" = none
}

func (s *source) close() error {
	if s.made == "" {
		return nil
	}
	return os.RemoveAll(s.made)
}

// openSources makes those ready that were named, and the user's repository.
func (b *bench) openSources(ctx context.Context) error {
	for _, from := range b.From {
		s, err := openSource(ctx, from, b.Dir)
		if err != nil {
			return err
		}
		b.sources = append(b.sources, s)
	}
	if b.Target.CommonDir != "" {
		b.sources = append(b.sources, &source{name: b.Target.Path, objects: b.Target.CommonDir})
	}
	return nil
}

func openSource(ctx context.Context, from, dir string) (*source, error) {
	info, err := os.Stat(from)
	if err != nil {
		return nil, err
	}
	s := &source{name: from, named: true}
	if info.Mode().IsRegular() {
		s.made, err = os.MkdirTemp(filepath.Dir(dir), ".repair-*")
		if err != nil {
			return nil, err
		}
		s.state = filepath.Join(s.made, "state")
		s.objects = filepath.Join(s.state, doctor.ObjectsName)
		if _, err := backup.Restore(ctx, from, s.state); err != nil {
			_ = s.close() // the error before says more
			return nil, err
		}
		return s, nil
	}
	for _, at := range []struct{ state, objects string }{
		{from, filepath.Join(from, doctor.ObjectsName)},
		{filepath.Join(from, ".git", "atoll"), filepath.Join(from, ".git", "atoll", doctor.ObjectsName)},
		{"", filepath.Join(from, ".git")},
		{"", from},
	} {
		if at.state != "" {
			if _, err := os.Stat(filepath.Join(at.state, doctor.DatabaseName)); err != nil {
				continue
			}
		}
		if _, err := os.Stat(filepath.Join(at.objects, "objects")); err == nil {
			s.state, s.objects = at.state, at.objects
			return s, nil
		}
	}
	return nil, fmt.Errorf("%s is no backup, no state directory and no git repository", from)
}
