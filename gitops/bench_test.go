package gitops_test

import (
	"fmt"
	"strings"
	"testing"

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
