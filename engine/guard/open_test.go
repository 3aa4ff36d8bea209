package guard

import "testing"

func TestASignatureWithAParameterOfAnyTypeIsOpen(t *testing.T) {
	for signature, want := range map[string]bool{
		"func(interface {}, kit.Format) (uint64, error)": true,
		"func(string, ...interface {}) string":           true,
		"func(*kit.Walker, map[string]interface {})":     true,
		"func(string) interface {}":                      false,
		"func(func(interface {}) bool, int)":             false,
		"func(func(int) (string, bool), interface {})":   true,
		"func(interface { String() string }) int":        false,
		"func()": false,
		"":       false,
	} {
		if got := openSignature(signature); got != want {
			t.Errorf("%q: %v", signature, got)
		}
	}
}

func TestInputsAreFewWhereWhatReachesTheChangeTakesAnyType(t *testing.T) {
	for _, tt := range []struct {
		name string
		p    pair
		want bool
	}{
		{"it does", pair{asked: []string{"Hash", "Name"}, open: []string{"Hash"}, reaching: map[string]bool{"Hash": true}}, true},
		{"another does", pair{asked: []string{"Hash", "Name"}, open: []string{"Hash"}, reaching: map[string]bool{"Name": true}}, false},
		{"all do, and nobody looked", pair{asked: []string{"Hash"}, open: []string{"Hash", "Other"}}, true},
		{"one does, and nobody looked", pair{asked: []string{"Hash", "Name"}, open: []string{"Hash"}}, false},
		{"nothing was compared", pair{open: []string{"Hash"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.p.takesAny(); got != tt.want {
				t.Error(got)
			}
		})
	}
}
