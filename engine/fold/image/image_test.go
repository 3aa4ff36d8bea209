package image_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"testing"

	"atoll/engine/fold/image"
)

type leaf struct {
	a int32
	b float64
	c bool
}

type tree struct {
	name   string
	whole  *rules // from outside
	leaves []leaf
	block  *[4]leaf
	same   *[4]leaf // as block
	none   []leaf
	empty  []string
	gone   []leaf // empty, with no pointers
	after  string
	texts  [2]string
	table  map[string]*leaf
	nested map[int][]leaf
	up     *tree // to itself
	how    func()
	bytes  []byte
	value  *float64
}

type rules struct{ text string }

func grown(outside *rules) *tree {
	t := &tree{
		name: "oak", whole: outside, leaves: []leaf{{1, math.NaN(), true}, {2, math.Inf(-1), false}}, block: &[4]leaf{3: {a: 7}},
		empty: []string{}, gone: []leaf{}, after: "behind", texts: [2]string{"x", ""}, table: map[string]*leaf{"": {a: 1}, "nil": nil}, nested: map[int][]leaf{3: {{a: 3}}, 4: nil}, bytes: []byte("abc"),
	}
	t.same, t.up, t.value, t.how = t.block, t, &t.leaves[0].b, func() {}
	return t
}

func write(t *testing.T, root any, outside ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := image.Write(&b, root, outside...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWhatIsReadIsWhatWasWritten(t *testing.T) {
	was, there := &rules{"here"}, &rules{"there"}
	from := grown(was)
	var to tree
	if err := image.Read(write(t, from, was), &to, there); err != nil {
		t.Fatal(err)
	}
	if to.how != nil {
		t.Error("a function was read")
	}
	if to.whole != there || to.same != to.block || to.up == from || to.up.up != to.up {
		t.Error("pointers lead elsewhere")
	}
	if !math.IsNaN(to.leaves[0].b) || !math.IsInf(to.leaves[1].b, -1) || !math.IsNaN(*to.value) {
		t.Errorf("numbers that are not finite became %v %v", to.leaves, *to.value)
	}
	if to.name != "oak" || to.none != nil || to.empty == nil || to.texts != from.texts || to.block[3].a != 7 || string(to.bytes) != "abc" {
		t.Errorf("%+v", to)
	}
	if !reflect.DeepEqual(to.table, from.table) || !reflect.DeepEqual(to.nested, from.nested) {
		t.Errorf("tables became %v %v", to.table, to.nested)
	}
	to.leaves = append(to.leaves, leaf{a: 9})
	to.bytes = append(to.bytes, "defghijkl"...)
	if to.block[0].a != 0 || to.texts[0] != "x" {
		t.Error("what is appended to one list changed another value")
	}
}

func TestADamagedImageIsNeverRead(t *testing.T) {
	outside := &rules{}
	whole := write(t, grown(outside), outside)
	read := func(b []byte) error { var to tree; return image.Read(b, &to, outside) }
	for at := range whole {
		b := bytes.Clone(whole)
		b[at] ^= 0x10
		if err := read(b); !errors.Is(err, image.ErrDamaged) {
			t.Fatalf("byte %d changed: %v", at, err)
		}
	}
	for n := range whole {
		if err := read(bytes.Clone(whole[:n])); !errors.Is(err, image.ErrDamaged) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
}

func TestAnImageOfOtherTypesIsOfAnotherVersion(t *testing.T) {
	type before struct{ A, B int }
	type after struct{ a, c int }
	to := after{a: 1, c: 2}
	if err := image.Read(write(t, &before{1, 2}), &to); !errors.Is(err, image.ErrOther) || to.a+to.c != 3 {
		t.Error(err)
	}
}

func TestWhatCannotBeWrittenIsRefused(t *testing.T) {
	for _, root := range []any{&struct{ C chan int }{}, &struct{ List []map[int]any }{}, 7, (*int)(nil)} {
		if err := image.Write(io.Discard, root); err == nil {
			t.Errorf("%T was written", root)
		}
	}
}

func FuzzRead(f *testing.F) {
	outside := &rules{}
	var b bytes.Buffer
	if err := image.Write(&b, grown(outside), outside); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes()[:b.Len()-4])
	f.Fuzz(func(_ *testing.T, data []byte) {
		var to tree
		_ = image.Read(image.Summed(data), &to, outside)
	})
}
