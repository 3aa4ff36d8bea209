package probe

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// notice is what callbacks are handed, and may write to.
type notice struct {
	Name string
	Err  error
}

func TestSomeFunctionsOfACallerWriteToWhatTheyAreHanded(t *testing.T) {
	lib := newLibrary(API{Types: []Type{{"notice", reflect.TypeFor[notice]()}}}, Literals{})
	refused, named := false, false
	for seed := range uint64(200) {
		f, _ := (&maker{d: seeded(seed), lib: lib}).function(reflect.TypeFor[func(*notice)]())
		n := notice{Name: "open" + strconv.FormatUint(seed, 10)}
		f.Call([]reflect.Value{reflect.ValueOf(&n)})
		refused, named = refused || n.Err != nil, named || !strings.HasPrefix(n.Name, "open")
	}
	if !refused || !named {
		t.Errorf("an error is set: %v, another name: %v", refused, named)
	}
}
