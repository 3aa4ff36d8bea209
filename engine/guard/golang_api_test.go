package guard

import (
	"slices"
	"testing"
)

const offering = `package kit

type Table struct{ rows []int }

func (t *Table) Window(n int) *window { return &window{t.rows[:n]} }

type window struct{ rows []int }

func (w *window) Has(n int) bool { return w.next(n) }

func (w *window) next(n int) bool { return n < len(w.rows) }

type inner struct{}

func (t *Table) own() *inner { return nil }

func (i *inner) Do() {}

type plain int

func Plain() plain { return 3 }

func New() store { return nil }

type store interface{ Get(key string) int }

func Last[S ~[]E, E any](list S) S { return list }

func Keys[M ~map[K]V, K comparable, V any](m M) (out []K) { return out }

func Each[E any, P *E](p P) {}

func Sum[T interface{ Weigh() int }](list []T) int { return 0 }
`

func TestAPackageOffersWhatItsCallersCanReach(t *testing.T) {
	p := &goPackage{name: "kit", dir: ".", imports: map[string]bool{}, decls: map[string]*goDecl{}}
	p.parse("kit.go", []byte(offering), false)
	written := func(list []apiName) (out []string) {
		for _, n := range list {
			out = append(out, n.written)
		}
		return out
	}
	api := apiOf(p)
	if got, want := written(api.types), []string{"Table", "store", "window"}; !slices.Equal(got, want) {
		t.Errorf("types %q, want %q", got, want)
	}
	want := []string{"Each[int, *int]", "Each[string, *string]", "Keys[map[int]int, int, int]", "Keys[map[string]string, string, string]", "Last[[]int, int]", "Last[[]string, string]", "New", "Plain"}
	if got := written(api.funcs); !slices.Equal(got, want) {
		t.Errorf("functions %q, want %q", got, want)
	}
}
