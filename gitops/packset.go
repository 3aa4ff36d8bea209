package gitops

import (
	"cmp"
	"crypto/sha1"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"atoll/store/record"
)

// object is one object in memory. Its data may be shared and must not be
// changed.
type object struct {
	kind plumbing.ObjectType
	data []byte
}

// name computes what the object is called.
func (o object) name() record.Hash {
	sum := sha1.New()
	fmt.Fprintf(sum, "%s %d\x00", o.kind, len(o.data))
	sum.Write(o.data)
	return record.Hash(sum.Sum(nil))
}

// place is where a packed object is.
type place struct {
	pack *pack
	at   int64
}

func (p place) String() string { return p.pack.where(p.at) }

// cacheKey is how an object in memory is found: by its name when it was asked
// for, by its place when others are the difference from it.
type cacheKey struct {
	name record.Hash
	place
}

// packs is the packs of a directory. Nobody else may use it during a call.
type packs struct {
	dir    string
	listed bool     // whether the directory was looked at
	names  []string // the index files that were there
	open   []*pack  // the last one that had something in front
	broken error    // why some could not be opened

	cache    *lru[cacheKey, object]
	inflater inflater
	// loose reads the base of a delta that is in no pack.
	loose func(record.Hash) (object, error)
}

// listTries bounds how often packs are listed because they come and go.
const listTries = 20

// close forgets all packs; they are listed again when one is needed.
func (s *packs) close() {
	for _, p := range s.open {
		p.close()
	}
	s.cache.drop(func(k cacheKey) bool { return k.pack != nil })
	s.open, s.names, s.broken, s.listed = nil, nil, nil, false
}

// refresh looks for packs that git wrote or removed, and reports whether there
// are any.
func (s *packs) refresh() (changed bool, err error) {
	for range listTries {
		names, err := packIndexes(s.dir)
		if err != nil || s.listed && slices.Equal(names, s.names) {
			return changed, err
		}
		changed = true
		s.listed = s.reopen(names) // again when one went away meanwhile
	}
	s.listed = true
	return changed, nil
}

// packIndexes lists the index files in a directory of packs, those that a repack left behind
// among them, as git does: what is in them git takes for packed, and drops elsewhere.
func packIndexes(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if _, _, left := leftPack(e.Name()); (left || strings.HasPrefix(e.Name(), "pack-")) && strings.HasSuffix(e.Name(), ".idx") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// reopen keeps the packs with the given names open, and no other ones. It
// reports whether all of them are there.
func (s *packs) reopen(names []string) (complete bool) {
	have := make(map[string]*pack, len(s.open))
	for _, p := range s.open {
		have[filepath.Base(p.index.file.Name())] = p
	}
	complete = true
	s.names, s.open, s.broken = names, nil, nil
	for _, name := range names {
		p := have[name]
		delete(have, name)
		var err error
		if p == nil {
			p, err = openPack(filepath.Join(s.dir, name))
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			complete = false
		case err != nil:
			s.broken = cmp.Or(s.broken, err)
		default:
			s.open = append(s.open, p)
		}
	}
	for _, gone := range have {
		gone.close()
		s.cache.drop(func(k cacheKey) bool { return k.pack == gone })
	}
	return complete
}

// find returns where an object is packed, or ErrNotFound.
func (s *packs) find(h record.Hash) (place, error) {
	return s.front(s.search(h, func(place) error { return nil }))
}

// read returns a packed object, or ErrNotFound.
func (s *packs) read(h record.Hash) (obj object, err error) {
	_, err = s.front(s.search(h, func(at place) (err error) {
		if obj, err = s.resolve(at); err == nil && obj.name() != h {
			err = damaged(at.String(), fmt.Errorf("it is %s in place of %s", obj.name(), h))
		}
		return err
	}))
	return obj, err
}

// search returns the first place of an object that use has no objection to, or
// ErrNotFound. What cannot be read matters only when there is no such place.
// It leaves the order of the packs as it is, so that use may search too.
func (s *packs) search(h record.Hash, use func(place) error) (place, error) {
	if !s.listed {
		if _, err := s.refresh(); err != nil {
			return place{}, err
		}
	}
	broken := s.broken
	for _, p := range s.open {
		at, ok, err := p.index.find(h)
		if err == nil && ok {
			err = use(place{p, at})
		}
		if err != nil {
			broken = cmp.Or(broken, err)
		} else if ok {
			return place{p, at}, nil
		}
	}
	return place{}, cmp.Or(broken, ErrNotFound)
}

// front makes the pack of a place the first one to be searched.
func (s *packs) front(at place, err error) (place, error) {
	if i := slices.Index(s.open, at.pack); err == nil && i > 0 {
		copy(s.open[1:i+1], s.open[:i])
		s.open[0] = at.pack
	}
	return at, err
}

// maxDeltas bounds a chain of deltas. Git makes none longer than 4,095.
const maxDeltas = 4096

// step is one delta of a chain, the first of which makes the object wanted.
type step struct {
	at    place
	entry packEntry
}

// resolve reads the object at a place with all that it is the difference from.
// It keeps the bases, which tend to be those of other objects too.
func (s *packs) resolve(at place) (object, error) {
	var chain []step
	base, ok := s.base(at)
	for !ok {
		e, err := at.pack.entry(at.at)
		if err != nil {
			return object{}, err
		}
		if !e.kind.IsDelta() {
			data, err := at.pack.inflate(&s.inflater, e)
			if err != nil {
				return object{}, err
			}
			base = object{e.kind, data}
			if len(chain) > 0 {
				s.keep(at, base)
			}
			break
		}
		if len(chain) == maxDeltas {
			return object{}, damaged(at.String(), errors.New("its bases go on and on"))
		}
		chain = append(chain, step{at, e})
		if at, base, ok, err = s.baseOf(at, e); err != nil {
			return object{}, err
		}
	}
	for i := len(chain) - 1; i >= 0; i-- {
		data, err := chain[i].at.pack.patch(&s.inflater, chain[i].entry, base.data)
		if err != nil {
			return object{}, err
		}
		base.data = data
		if i > 0 {
			s.keep(chain[i].at, base)
		}
	}
	return base, nil
}

// baseOf finds what the delta at a place is the difference from: where it is
// packed, or the object when it is in memory or loose.
func (s *packs) baseOf(at place, e packEntry) (place, object, bool, error) {
	if e.kind == plumbing.OFSDeltaObject {
		at.at = e.base
		obj, ok := s.base(at)
		return at, obj, ok, nil
	}
	where, err := s.baseByName(at.pack, e.baseName)
	if err == nil {
		obj, ok := s.base(where)
		return where, obj, ok, nil
	}
	var obj object
	if errors.Is(err, ErrNotFound) {
		obj, err = s.loose(e.baseName)
	}
	if errors.Is(err, ErrNotFound) {
		err = damaged(at.String(), fmt.Errorf("its base %s is not there", e.baseName))
	}
	return place{}, obj, err == nil, err
}

// baseByName finds a base, which git keeps in the same pack.
func (s *packs) baseByName(p *pack, h record.Hash) (place, error) {
	at, ok, err := p.index.find(h)
	if err != nil || ok {
		return place{p, at}, err
	}
	return s.search(h, func(place) error { return nil })
}

// base returns an object that others are the difference from, when it is in
// memory.
func (s *packs) base(at place) (object, bool) { return s.cache.get(cacheKey{place: at}) }

// keep remembers such an object.
func (s *packs) keep(at place, obj object) {
	s.cache.put(cacheKey{place: at}, obj, objectBytes(obj))
}

// objectBytes is what it takes to keep an object, its place in an lru included.
func objectBytes(obj object) int64 { return int64(cap(obj.data)) + 320 }
