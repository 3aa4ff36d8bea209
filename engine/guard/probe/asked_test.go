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

type store interface {
	Get(key string) (string, bool)
}

type table map[string]string

func (t table) Get(key string) (string, bool) { v, ok := t[key]; return v, ok }

func TestAnswersAreAskedWithWordsOfTheCase(t *testing.T) {
	made := func(words ...string) (store, error) {
		t := table{}
		for _, w := range words {
			if k, v, ok := strings.Cut(w, "="); ok {
				t[k] = v
			}
		}
		return t, nil
	}
	api := API{Types: []Type{{"store", reflect.TypeFor[store]()}}, Funcs: []Func{{"made", reflect.ValueOf(made)}}}
	r := &runner{lib: newLibrary(api, Literals{}), heard: heard([]string{"size=a=b"})}
	if told := r.show(reflect.ValueOf(made).Call([]reflect.Value{reflect.ValueOf("size=a=b")})); !strings.Contains(told, `Get("size")="a=b", true`) {
		t.Errorf("the key of the case is not asked for: %s", told)
	}
}
