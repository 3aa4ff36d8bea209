package probe

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

type plan interface{ Next(time.Time) time.Time }

type hourly struct{ hours int }

func (h hourly) Next(t time.Time) time.Time { return t.Add(time.Duration(h.hours) * time.Hour) }

func TestAValueBehindAnInterfaceIsAsked(t *testing.T) {
	api := API{Types: []Type{{"plan", reflect.TypeFor[plan]()}}, Funcs: []Func{{"every", reflect.ValueOf(func(n int) (plan, error) { return hourly{n}, nil })}}}
	r := &runner{lib: newLibrary(api, Literals{})}
	one, two := r.show(api.Funcs[0].Value.Call([]reflect.Value{reflect.ValueOf(1)})), r.show(api.Funcs[0].Value.Call([]reflect.Value{reflect.ValueOf(2)}))
	if one == two || strings.Count(one, "Next(") != askedEach {
		t.Errorf("one hour reads %s, two %s", one, two)
	}
}
