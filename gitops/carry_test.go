package gitops_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"atoll/gitops"
	"atoll/store/record"
)

func TestATreeIsCarriedToAnotherStoreAndLaidOutThere(t *testing.T) {
	here, root, tree := imported(t, sample(t))
	var pack bytes.Buffer
	if err := here.PackTree(t.Context(), tree, &pack); err != nil {
		t.Fatal(err)
	}
	there := openStore(t)
	if err := there.TakeTree(t.Context(), tree, bytes.NewReader(pack.Bytes()), 1<<20); err != nil {
		t.Fatal(err)
	}
	dir, release, err := there.Checkout(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	want, giveBack, err := here.Checkout(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	defer giveBack()
	a, errA := os.ReadFile(filepath.Join(dir, "README"))
	b, errB := os.ReadFile(filepath.Join(want, "README"))
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("README there %q (%v), here %q (%v)", a, errA, b, errB)
	}
	if there.Has(t.Context(), root) {
		t.Error("the commit travelled, too")
	}
}

func TestAPackIsTakenWholeOrNotAtAll(t *testing.T) {
	here, _, tree := imported(t, sample(t))
	var good bytes.Buffer
	if err := here.PackTree(t.Context(), tree, &good); err != nil {
		t.Fatal(err)
	}
	bent := bytes.Clone(good.Bytes())
	bent[len(bent)/2] ^= 0x40
	for name, tt := range map[string]struct {
		pack []byte
		tree record.Hash
		most int64
	}{
		"a byte is another":        {bent, tree, 1 << 20},
		"its end is missing":       {good.Bytes()[:good.Len()-30], tree, 1 << 20},
		"it is larger than it may": {good.Bytes(), tree, 16},
		"it is of another tree":    {good.Bytes(), record.Hash{1}, 1 << 20},
		"it is nothing":            {nil, tree, 1 << 20},
	} {
		if err := openStore(t).TakeTree(t.Context(), tt.tree, bytes.NewReader(tt.pack), tt.most); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
}

func TestTheNameOfATreeIsWorkedOutWithoutWritingIt(t *testing.T) {
	here, _, tree := imported(t, sample(t))
	change := []record.Change{{Path: "new/file", Mode: record.Regular, Data: []byte("not there before")}}
	name, err := here.TreeAfter(t.Context(), tree, change)
	if err != nil {
		t.Fatal(err)
	}
	if here.Has(t.Context(), name) {
		t.Error("it was written")
	}
	if _, err := here.Tree(t.Context(), name); err == nil {
		t.Error("it can be read")
	}
	written, err := here.WriteTree(t.Context(), tree, change)
	if err != nil || written != name {
		t.Errorf("%s when written (%v), %s before", written, err, name)
	}
	if _, err := here.TreeAfter(t.Context(), tree, []record.Change{{Path: "../x", Mode: record.Regular}}); !errors.Is(err, gitops.ErrChange) {
		t.Errorf("a path that leads out: %v", err)
	}
}
