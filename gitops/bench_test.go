package gitops_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"

	"atoll/gitops"
	"atoll/store/record"
)

// grown makes a store with a tree of n files in directories of about 40.
func grown(b *testing.B, n int) (*gitops.Repo, record.Hash, record.Hash) {
	b.Helper()
	s, head, base := imported(b, sample(b))
	var changes []record.Change
	for i := range n {
		changes = append(changes, write(fmt.Sprintf("mod%d/pkg%d/file%d.go", i%13, i/40, i), strings.Repeat(fmt.Sprintf("line %d\n", i), 40)))
	}
	tree := must(s.WriteTree(b.Context(), base, changes))(b)
	if err := s.Maintain(b.Context()); err != nil {
		b.Fatal(err)
	}
	return s, head, tree
}

// edited changes k files of the tree, other ones each time.
func edited(b *testing.B, s *gitops.Repo, files []record.File, tree record.Hash, k, n int) record.Hash {
	var changes []record.Change
	for i := range k {
		changes = append(changes, write(files[(n*7919+i*101)%len(files)].Path, fmt.Sprintln("changed", n, i)))
	}
	return must(s.WriteTree(b.Context(), tree, changes))(b)
}

func BenchmarkCommit(b *testing.B) {
	for _, size := range []int{100, 20000} {
		s, head, tree := grown(b, size)
		files := must(s.Tree(b.Context(), tree))(b).Files()
		for _, k := range []int{1, 3} {
			b.Run(fmt.Sprintf("%d of %d files", k, size), func(b *testing.B) {
				n := 0
				for b.Loop() {
					n++
					commitTree(b, s, edited(b, s, files, tree, k, n+k*1e6), n, head)
				}
			})
		}
	}
}

func BenchmarkDiffTrees(b *testing.B) {
	s, _, tree := grown(b, 20000)
	files := must(s.Tree(b.Context(), tree))(b).Files()
	next := edited(b, s, files, tree, 3, 1)
	b.Run("3 of 20000 files, trees in memory", func(b *testing.B) {
		for b.Loop() {
			if got := must(s.DiffTrees(b.Context(), tree, next))(b); len(got) != 3 {
				b.Fatal(got)
			}
		}
	})
	b.Run("and another tree each time", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			b.StopTimer()
			next := edited(b, s, files, tree, 3, n)
			b.StartTimer()
			must(s.DiffTrees(b.Context(), tree, next))(b)
		}
	})
	b.Run("with lines", func(b *testing.B) {
		for b.Loop() {
			must(s.Patch(b.Context(), tree, next, 3))(b)
		}
	})
}

func BenchmarkTree(b *testing.B) {
	s, _, tree := grown(b, 20000)
	b.Run("list 20000 files", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			fresh, err := gitops.Open(b.Context(), gitops.Options{Dir: s.Dir(), Cache: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			must(fresh.Tree(b.Context(), tree))(b)
			b.StopTimer()
			fresh.Close()
			b.StartTimer()
		}
	})
	b.Run("list 20000 files near others", func(b *testing.B) {
		near := must(s.Tree(b.Context(), tree))(b).Files()
		n := 0
		for b.Loop() {
			n++
			b.StopTimer()
			next := edited(b, s, near, tree, 3, n)
			b.StartTimer()
			must(s.Tree(b.Context(), next))(b)
		}
	})
	files := must(s.Tree(b.Context(), tree))(b).Files()
	b.Run("sizes of 20000 files", func(b *testing.B) {
		for b.Loop() {
			must(s.Sizes(b.Context(), files))(b)
		}
	})
}

func BenchmarkCheckout(b *testing.B) {
	for _, size := range []int{1000, 20000} {
		s, _, tree := grown(b, size)
		n := 0
		files := must(s.Tree(b.Context(), tree))(b).Files()
		b.Run(fmt.Sprintf("%d files, first time", size), func(b *testing.B) {
			for b.Loop() {
				n++
				b.StopTimer()
				next := edited(b, s, files, tree, 1, n)
				b.StartTimer()
				_, release, err := s.Checkout(b.Context(), next)
				if err != nil {
					b.Fatal(err)
				}
				release()
			}
		})
		b.Run(fmt.Sprintf("%d files, again", size), func(b *testing.B) {
			_, release, err := s.Checkout(b.Context(), tree)
			if err != nil {
				b.Fatal(err)
			}
			release()
			for b.Loop() {
				_, release, err := s.Checkout(b.Context(), tree)
				if err != nil {
					b.Fatal(err)
				}
				release()
			}
		})
	}
}

// packed adds n small files to a store, in the given number of packs of which
// each is about half as large as the one before, as repacking leaves them.
// Most files are kept as the difference from another one.
func packed(t testing.TB, s *gitops.Repo, n, packs int) []record.Hash {
	t.Helper()
	var names []record.Hash
	for p := range packs {
		until := n - (n-len(names))/2
		if p == packs-1 {
			until = n
		}
		var in bytes.Buffer
		for i := len(names); i < until; i++ {
			text := fmt.Appendf(nil, "package p%d\n\n%s", i, strings.Repeat(fmt.Sprintln("const n =", i/7), 12))
			fmt.Fprintf(&in, "blob\ndata %d\n%s\n", len(text), text)
			names = append(names, record.Hash(plumbing.ComputeHash(plumbing.BlobObject, text)))
		}
		storeGit(t, s).feed(in.Bytes(), "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet")
	}
	return names
}

// BenchmarkPacked measures access to objects in eight packs; the heap is what
// the store keeps per object once all were read.
func BenchmarkPacked(b *testing.B) {
	for _, size := range []int{10_000, 200_000} {
		made, _, _ := imported(b, sample(b))
		names := packed(b, made, size, 8)
		ctx := b.Context()
		before := liveHeap()
		s := must(gitops.Open(ctx, gitops.Options{Dir: made.Dir(), Cache: b.TempDir()}))(b)
		defer s.Close()
		b.Run(fmt.Sprintf("read one of %d", size), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				must(s.Blob(ctx, names[i*7919%size]))(b)
			}
		})
		b.Run(fmt.Sprintf("read the same of %d", size), func(b *testing.B) {
			for b.Loop() {
				must(s.Blob(ctx, names[size/2]))(b)
			}
		})
		b.Run(fmt.Sprintf("has one of %d", size), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if !s.Has(ctx, names[i*7919%size]) {
					b.Fatal("not there")
				}
			}
		})
		b.Run(fmt.Sprintf("has none of %d", size), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				h := names[i*7919%size]
				h[19]++
				if s.Has(ctx, h) {
					b.Fatal("there")
				}
			}
		})
		b.Run(fmt.Sprintf("write beside %d", size), func(b *testing.B) {
			tree, n := record.Hash{}, 0
			for b.Loop() {
				n++
				tree = must(s.WriteTree(ctx, record.Hash{}, []record.Change{write("new", fmt.Sprint(size, n))}))(b)
			}
			if !s.Has(ctx, tree) {
				b.Fatal("not there")
			}
		})
		b.Run(fmt.Sprintf("heap of %d", size), func(b *testing.B) {
			for b.Loop() {
				for _, h := range names {
					must(s.Blob(ctx, h))(b)
				}
			}
			b.ReportMetric(float64(liveHeap()-before)/float64(size), "B/object")
		})
	}
}

// liveHeap returns the bytes that are in use.
func liveHeap() int64 {
	for range 3 { // pools give up what they hold at the second collection
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
