package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"atoll/store/whole"
)

// State is what a person decided about a machine.
type State string

// The states of a member.
const (
	Active   State = "active"
	Draining State = "draining" // finishes what runs and gets nothing more
	Dropped  State = "dropped"  // may not connect; its tasks go to others
)

// Member is a machine that was invited, or one that a person decided about.
type Member struct {
	Name  string    `json:"name"`
	Key   string    `json:"key,omitempty"`  // public half of its nkey; "" = it joined by a URL
	Pool  string    `json:"pool,omitempty"` // "" = wire.DefaultPool
	State State     `json:"state"`
	Since time.Time `json:"since"`
}

// Told is how a member is told to be while no worker of it is here.
func (m *Member) Told() string {
	switch m.State {
	case Active:
		return "invited"
	case Draining:
		return "drained"
	}
	return string(m.State)
}

// ErrMember reports a machine that nobody invited.
var ErrMember = errors.New("no such machine")

// ErrDropped reports a machine whose key was taken away for good.
var ErrDropped = errors.New("dropped")

// Members is the file of the machines of a state directory. Its methods may be
// called from several processes at once.
type Members struct{ path string }

// MembersOf are those of a state directory.
func MembersOf(state string) Members { return Members{filepath.Join(Dir(state), "members.json")} }

// Dir is where a state directory keeps what belongs to its fleet.
func Dir(state string) string { return filepath.Join(state, "fleet") }

// List returns the members by name.
func (m Members) List() ([]Member, error) {
	data, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the machines of the fleet: %w", err)
	}
	var list []Member
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("read the machines of the fleet in %s: %w", m.path, err)
	}
	return list, nil
}

// Changed is a number that differs when the file was changed.
func (m Members) Changed() int64 {
	info, err := os.Stat(m.path)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// Put adds a member or replaces the one of its name.
func (m Members) Put(one Member) error {
	return m.change(func(list []Member) ([]Member, error) {
		if i := slices.IndexFunc(list, func(o Member) bool { return o.Name == one.Name }); i >= 0 {
			list[i] = one
			return list, nil
		}
		return append(list, one), nil
	})
}

// Set decides about a member. One that is not listed is added when it is known
// to be there, else it is [ErrMember]. A key that was dropped opens nothing ever again:
// any other decision about its machine is [ErrDropped].
func (m Members) Set(name string, state State, known bool, now time.Time) error {
	return m.change(func(list []Member) ([]Member, error) {
		i := slices.IndexFunc(list, func(o Member) bool { return o.Name == name })
		switch {
		case i >= 0 && list[i].State == Dropped && state != Dropped && list[i].Key != "":
			return nil, fmt.Errorf("%s was %w: `atoll fleet invite %[1]s` makes a new key", name, ErrDropped)
		case i >= 0:
			list[i].State, list[i].Since = state, now
		case known:
			list = append(list, Member{Name: name, State: state, Since: now})
		default:
			return nil, fmt.Errorf("%w: %q; `atoll fleet` lists them", ErrMember, name)
		}
		return list, nil
	})
}

// change edits the file under a lock.
func (m Members) change(do func([]Member) ([]Member, error)) error {
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return fmt.Errorf("make the folder of the fleet: %w", err)
	}
	lock, err := os.OpenFile(m.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("lock the machines of the fleet: %w", err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("lock the machines of the fleet: %w", err)
	}
	// A process that is being started just now has the file, too, until its exec, so
	// closing alone would not end the lock.
	defer syscall.Flock(int(lock.Fd()), syscall.LOCK_UN)
	list, err := m.List()
	if err != nil {
		return err
	}
	if list, err = do(list); err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b Member) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	if err := whole.Write(m.path, whole.Options{Sync: true}, whole.JSON(list)); err != nil {
		return fmt.Errorf("write %s: %w", m.path, err)
	}
	return nil
}

// of returns the member with a key.
func of(list []Member, key string) (Member, bool) {
	i := slices.IndexFunc(list, func(m Member) bool { return m.Key != "" && m.Key == key })
	if i < 0 {
		return Member{}, false
	}
	return list[i], true
}
