package gitops_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"atoll/gitops"
	"atoll/store/record"
)

// part is one entry of a pack that git would not write.
type part struct {
	name record.Hash
	head []byte // kind, size and base
	data []byte // is deflated
}

// Kinds of entries, as packs number them.
const (
	blobKind     = 3
	offsetKind   = 6
	baseNameKind = 7
)

// head makes the header of an entry up to its size.
func head(kind, size int) []byte {
	b := []byte{byte(kind<<4 | size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		b[len(b)-1] |= 0x80
		b = append(b, byte(size&0x7f))
	}
	return b
}

// blob is an entry with the content itself.
func blob(text string) part {
	return part{record.Hash(plumbing.ComputeHash(plumbing.BlobObject, []byte(text))), head(blobKind, len(text)), []byte(text)}
}

// after is an entry with the difference of a text from one whose name is base.
func after(base record.Hash, from, to string) part {
	delta := packfile.DiffDelta([]byte(from), []byte(to))
	return part{blob(to).name, append(head(baseNameKind, len(delta)), base[:]...), delta}
}

// craft writes a pack and its index and returns the path without the suffix.
// Offsets are of 64 bits where wide is set.
func craft(t testing.TB, dir string, wide bool, parts ...part) string {
	t.Helper()
	pack := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(parts)))
	type indexed struct {
		part
		at  int
		crc uint32
	}
	var entries []indexed
	for _, p := range parts {
		at := len(pack)
		pack = append(pack, p.head...)
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		must(w.Write(p.data))(t)
		w.Close()
		pack = append(pack, z.Bytes()...)
		entries = append(entries, indexed{p, at, crc32.ChecksumIEEE(pack[at:])})
	}
	sum := sha1.Sum(pack)
	slices.SortFunc(entries, func(a, b indexed) int { return bytes.Compare(a.name[:], b.name[:]) })
	index, n := []byte("\xfftOc\x00\x00\x00\x02"), 0
	for first := range 256 {
		for n < len(entries) && int(entries[n].name[0]) <= first {
			n++
		}
		index = binary.BigEndian.AppendUint32(index, uint32(n))
	}
	for _, e := range entries {
		index = append(index, e.name[:]...)
	}
	for _, e := range entries {
		index = binary.BigEndian.AppendUint32(index, e.crc)
	}
	var large []byte
	for i, e := range entries {
		if wide {
			index = binary.BigEndian.AppendUint32(index, 1<<31|uint32(i))
			large = binary.BigEndian.AppendUint64(large, uint64(e.at))
			continue
		}
		index = binary.BigEndian.AppendUint32(index, uint32(e.at))
	}
	index = append(append(index, large...), sum[:]...)
	own := sha1.Sum(index)
	path := filepath.Join(dir, "objects/pack", fmt.Sprintf("pack-%x", sum))
	overwrite(t, path+".pack", append(pack, sum[:]...))
	overwrite(t, path+".idx", append(index, own[:]...))
	return path
}

// bare makes the directory of an empty store.
func bare(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store.git")
	repository{t: t, dir: t.TempDir()}.run("init", "-q", "--bare", "--template=", dir)
	return dir
}

func TestBasesAreFoundWhereverTheyAre(t *testing.T) {
	t.Parallel()
	dir := bare(t)
	long := strings.Repeat("many lines\n", 100)
	texts := []string{long + "0", long + "1", long + "2", long + "3", long + "4"}
	names := make([]record.Hash, len(texts))
	for i, text := range texts {
		names[i] = blob(text).name
	}
	storeGit(t, opened(t, dir)).feed([]byte(texts[0]), "hash-object", "-w", "--stdin")
	// The base of 1 is loose, those of 2 and 3 are in other packs, and that of 4
	// comes later in its own.
	craft(t, dir, false, after(names[0], texts[0], texts[1]))
	craft(t, dir, true, after(names[1], texts[1], texts[2]), blob("beside it"))
	craft(t, dir, false, after(names[3], texts[3], texts[4]), after(names[2], texts[2], texts[3]))
	craft(t, dir, false, blob("elsewhere"))
	names = append(names, blob("beside it").name, blob("elsewhere").name)
	texts = append(texts, "beside it", "elsewhere")
	for first := range texts {
		s := opened(t, dir)
		for i := range 2 * len(texts) {
			n := (first + i*5) % len(texts)
			if got := must(s.Blob(t.Context(), names[n]))(t); string(got) != texts[n] {
				t.Errorf("text %d is %q", n, got)
			}
			for _, h := range names {
				if !s.Has(t.Context(), h) {
					t.Errorf("%s is gone after text %d", h, n)
				}
			}
		}
	}
}

// TestDamagedPacksSayWhatAndWhere damages one number at a time.
func TestDamagedPacksSayWhatAndWhere(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("some text that is packed\n", 20)
	change := func(at int, to ...byte) func([]byte) []byte {
		return func(b []byte) []byte {
			if at < 0 {
				at += len(b)
			}
			copy(b[at:], to)
			return b
		}
	}
	cut := func(n int) func([]byte) []byte { return func(b []byte) []byte { return b[:len(b)-n] } }
	one, two := record.Hash{1}, record.Hash{2}
	const offsets = 8 + 1024 + 24
	for _, c := range []struct {
		name   string
		parts  []part
		wide   bool
		file   string
		damage func([]byte) []byte
		want   record.Hash
		says   string
		kind   error
	}{
		{name: "an index without its beginning", file: ".idx", damage: change(0, 0, 0), says: "no index of version 2"},
		{name: "an index of another version", file: ".idx", damage: change(7, 3), says: "no index of version 2"},
		{name: "an empty index", file: ".idx", damage: func([]byte) []byte { return nil }, says: "ends before byte 1032"},
		{name: "an index that is cut off", file: ".idx", damage: cut(1), says: "do not fit its 1 objects"},
		{name: "counts that go down", file: ".idx", damage: change(8, 1), says: "counts go down from 16777216 to"},
		{name: "counts of four thousand million", file: ".idx", damage: change(8+255*4, 255, 255, 255, 255), says: "do not fit its 4294967295 objects"},
		{name: "an index of another pack", file: ".idx", damage: change(-40, 1, 2, 3), says: "ends with the checksum"},
		{name: "an offset beyond the pack", file: ".idx", damage: change(offsets, 0, 255), says: "an object at byte 167"},
		{name: "an offset in the header", file: ".idx", damage: change(offsets, 0, 0, 0, 3), says: "an object at byte 3 "},
		{name: "an offset in the middle of the data", file: ".idx", damage: change(offsets, 0, 0, 0, 20), says: "object at byte 20"},
		{name: "a large offset that is not there", file: ".idx", damage: change(offsets, 128, 0, 0, 1), says: "large offset 1 of 0"},
		{name: "a large offset beyond all numbers", wide: true, file: ".idx", damage: change(offsets+4, 255), says: "has the offset 18374686479671623692"},
		{name: "a large offset beyond the pack", wide: true, file: ".idx", damage: change(offsets+4, 1), says: "an object at byte 72057594037927948 "},
		{name: "a pack without its beginning", file: ".pack", damage: change(0, 'p'), says: "no pack of version 2 or 3"},
		{name: "a pack with other objects", file: ".pack", damage: change(11, 2), says: "it has 2 objects, its index 1"},
		{name: "an empty pack", file: ".pack", damage: func([]byte) []byte { return nil }, says: "ends before byte 12"},
		{name: "a pack that is cut off", file: ".pack", damage: cut(25), says: "ends with the checksum"},
		{name: "a pack that is a header", file: ".pack", damage: func(b []byte) []byte { return b[:12] }, says: "ends at byte 12"},
		{name: "a kind that does not exist", file: ".pack", damage: change(12, 0x50), says: "no kind of object 5"},
		{name: "no kind", file: ".pack", damage: change(12, 0), says: "no kind of object 0"},
		{name: "another kind", file: ".pack", damage: change(12, 0x94), says: "in place of " + blob(text).name.String()},
		{name: "data that are not deflated", file: ".pack", damage: change(14, 0, 0), says: "invalid header"},
		{name: "data that are other ones", file: ".pack", damage: change(-22, 1, 2), says: "invalid checksum"},
		{name: "a size that is too small", file: ".pack", damage: change(12, 0xb3), says: "it goes on after 499 bytes"},
		{name: "a size that is too large", file: ".pack", damage: change(12, 0xb5), says: "it ends after 500 of 501 bytes"},
		{name: "a size that cannot be", parts: []part{{name: one, head: head(blobKind, 1<<40), data: []byte("x")}}, want: one, says: "cannot become 1099511627776"},
		{name: "a size without end", parts: []part{{name: one, head: append(bytes.Repeat([]byte{0xbf}, 20), 1)}}, want: one, says: "too many digits"},
		{name: "an object without data", parts: []part{{name: one, head: bytes.Repeat([]byte{0xb0}, 9)}}, want: one, says: "object at byte 12"},
		{name: "a base before the pack", parts: []part{{name: one, head: append(head(offsetKind, 9), 13)}}, want: one, says: "its base would be 13 bytes before it"},
		{name: "a base of its own", parts: []part{{name: one, head: append(head(offsetKind, 9), 0)}}, want: one, says: "its base would be 0 bytes before it"},
		{name: "a base without end", parts: []part{{name: one, head: append(head(offsetKind, 9), bytes.Repeat([]byte{255}, 20)...)}}, want: one, says: "its base would be -1 bytes before it"},
		{name: "a base that is not there", parts: []part{after(two, "from here", "to there")}, want: blob("to there").name, says: "its base " + two.String() + " is not there"},
		{name: "a base of another size", parts: []part{blob("x"), after(blob("x").name, "from", "to")}, want: blob("to").name, says: "invalid delta"},
		{name: "a delta that is none", parts: []part{blob("x"), {two, after(blob("x").name, "", "").head, nil}}, want: two, says: "object at byte"},
		{name: "a delta of everything", parts: []part{blob("x"), {two, append(head(baseNameKind, 11), nameOf("x")...), []byte("\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x90")}}, want: two, says: "can be read", kind: gitops.ErrObject},
		{name: "bases in a circle", parts: []part{after(two, "b", "a"), {two, append(head(baseNameKind, 1), nameOf("a")...), []byte("x")}}, want: two, says: "its bases go on and on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.parts == nil {
				c.parts, c.want = []part{blob(text)}, blob(text).name
			}
			dir := bare(t)
			path := craft(t, dir, c.wide, c.parts...)
			if c.damage != nil {
				overwrite(t, path+c.file, c.damage(must(os.ReadFile(path+c.file))(t)))
			}
			craft(t, dir, false, blob("whole"))
			if c.kind == nil {
				c.kind = gitops.ErrDamaged
			}
			s := opened(t, dir)
			if _, data, err := s.ReadObject(t.Context(), c.want); !errors.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.says) || !strings.Contains(fmt.Sprint(err), path) {
				t.Errorf("%q, %v; it should say %q", data, err, c.says)
			}
			if got := must(s.Blob(t.Context(), blob("whole").name))(t); string(got) != "whole" {
				t.Errorf("the whole pack has %q", got)
			}
		})
	}
}

func nameOf(text string) []byte {
	h := blob(text).name
	return h[:]
}

func TestAPackThatBecomesShorterWhileItIsOpen(t *testing.T) {
	t.Parallel()
	dir := bare(t)
	s := opened(t, dir)
	path := craft(t, dir, false, blob("one"), blob(strings.Repeat("two", 100)))
	must(s.Blob(t.Context(), blob("one").name))(t)
	if err := os.Truncate(path+".pack", 30); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Blob(t.Context(), blob(strings.Repeat("two", 100)).name); !errors.Is(err, gitops.ErrDamaged) || !strings.Contains(err.Error(), "it ends") {
		t.Errorf("the pack: %v", err)
	}
	if err := os.Truncate(path+".idx", 1060); err != nil {
		t.Fatal(err)
	}
	if ok, err := s.HasObject(t.Context(), blob(strings.Repeat("two", 100)).name); ok || !errors.Is(err, gitops.ErrDamaged) {
		t.Errorf("the index: %v, %v", ok, err)
	}
}

// TestNoDamageYieldsAnotherObject changes every byte of a pack and of its index.
func TestNoDamageYieldsAnotherObject(t *testing.T) {
	t.Parallel()
	dir := bare(t)
	long := strings.Repeat("a few lines\n", 9)
	parts := []part{blob(long), after(blob(long).name, long, long+"!"), blob("short")}
	texts := map[record.Hash]string{parts[0].name: long, parts[1].name: long + "!", parts[2].name: "short"}
	path := craft(t, dir, true, parts...)
	s := opened(t, dir)
	for _, file := range []string{path + ".pack", path + ".idx"} {
		whole := must(os.ReadFile(file))(t)
		for i := range whole {
			for _, flip := range []byte{1, 0x80, 0xff} {
				if file == path+".idx" && i > 16 && i < 1000 && flip > 1 {
					continue // the counts are all alike
				}
				damaged := bytes.Clone(whole)
				damaged[i] ^= flip
				overwrite(t, file, damaged)
				notAnother(t, fmt.Sprintf("byte %d of %s xor %#x", i, filepath.Ext(file), flip), s, texts)
			}
			overwrite(t, file, whole[:i])
			notAnother(t, fmt.Sprintf("%d bytes of %s", i, filepath.Ext(file)), s, texts)
		}
		overwrite(t, file, whole)
	}
}

// notAnother reads objects that may be damaged.
func notAnother(t *testing.T, what string, s *gitops.Repo, texts map[record.Hash]string) {
	t.Helper()
	s.Forget()
	for name, text := range texts {
		_, data, err := s.ReadObject(t.Context(), name)
		if err == nil && string(data) != text || err != nil && !errors.Is(err, gitops.ErrDamaged) && !errors.Is(err, gitops.ErrNotFound) {
			t.Errorf("%s: %s is %q, %v", what, name, data, err)
		}
	}
}

func TestDamagedLooseObjects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, says string
		data       func(whole []byte) []byte
	}{
		{"an empty file", "EOF", func([]byte) []byte { return nil }},
		{"a file that is cut off", "", func(b []byte) []byte { return b[:len(b)-6] }},
		{"another object", "it holds ", func([]byte) []byte { return deflated("blob 1\x00x") }},
		{"no header", "header", func([]byte) []byte { return deflated("blob") }},
		{"more than its header says", "it goes on after 3 bytes", func([]byte) []byte { return deflated("blob 3\x00some text") }},
		{"less than its header says", "it ends after 9 of 1000000000 bytes", func([]byte) []byte { return deflated("blob 1000000000\x00some text") }},
		{"a negative size", "negative", func([]byte) []byte { return deflated("blob -1\x00some text") }},
	} {
		t.Run("of "+c.name, func(t *testing.T) {
			dir := bare(t)
			s := opened(t, dir)
			name := blob("some text").name
			storeGit(t, s).feed([]byte("some text"), "hash-object", "-w", "--stdin")
			file := filepath.Join(dir, "objects", name.String()[:2], name.String()[2:])
			overwrite(t, file, c.data(must(os.ReadFile(file))(t)))
			if _, err := s.Blob(t.Context(), name); !errors.Is(err, gitops.ErrDamaged) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), file) {
				t.Errorf("%v; it should say %q", err, c.says)
			}
		})
	}
}

func deflated(text string) []byte {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return z.Bytes()
}

func FuzzPackEntry(f *testing.F) {
	for _, b := range [][]byte{
		head(blobKind, 0), head(blobKind, 500), head(1, 15), head(5, 1), head(offsetKind, 1<<20), nil,
		{0x80},
		append(head(offsetKind, 9), 0x80, 0x10), append(head(offsetKind, 9), bytes.Repeat([]byte{255}, 20)...),
		append(head(baseNameKind, 9), nameOf("x")...), bytes.Repeat([]byte{0xff}, 32), append(head(baseNameKind, 9), 1, 2),
	} {
		f.Add(append(b, "and the data"...), int64(100))
	}
	f.Fuzz(func(t *testing.T, b []byte, at int64) {
		if at < 12 || at > 1<<62 {
			return
		}
		end := at + int64(len(b))
		e, err := gitops.ParseEntry(b, at, end)
		if err != nil {
			return
		}
		if e.Data <= at || e.Data >= end || e.Data > at+32 {
			t.Errorf("%+v: data of an entry from %d to %d", e, at, end)
		}
		if e.Size < 0 || e.Size > 1032*(int64(len(b))+1) {
			t.Errorf("%+v: size of %d bytes", e, len(b))
		}
		if e.Base != 0 && (!e.Delta || e.Base < 12 || e.Base >= at) {
			t.Errorf("%+v: base of an entry at %d", e, at)
		}
	})
}

func FuzzDelta(f *testing.F) {
	long := strings.Repeat("0123456789", 30)
	for _, to := range []string{long, long[7:100] + "x" + long[:50], "x", ""} {
		f.Add([]byte(long), packfile.DiffDelta([]byte(long), []byte(to)))
	}
	f.Add([]byte("x"), []byte("\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x90"))
	f.Add([]byte("x"), []byte("\x01\x80"))
	f.Add([]byte("xy"), []byte("\x02\x02\x90\x02"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		data, err := gitops.ApplyDelta(base, delta)
		if err != nil {
			return
		}
		_, n := binary.Uvarint(delta)
		if size, _ := binary.Uvarint(delta[n:]); size != uint64(len(data)) {
			t.Errorf("%d bytes in place of %d", len(data), size)
		}
	})
}
