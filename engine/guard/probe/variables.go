package probe

import (
	"reflect"
	"slices"
)

// Callers set exported variables, and what a function answers then is its behaviour, too. A part of the cases of a
// survey does so: behind all others, for a function of the package may keep what it made of a variable. Such a case
// calls the function first as it is, so that what is made at the first call is made of what the variable began
// with, in every tree; and then with a variable set. All is put back after it.

// variable is an exported variable that cases set.
type variable struct {
	name string
	at   reflect.Value
}

// setMark begins the choices of a case that sets a variable; two more say which, and to what. Choices
// that no variable is set by are below it.
const setMark = 1<<63 + 0x5e77

// The bounds of what is set.
const (
	lengthOfSet = 3
	setShare    = 8  // one of so many cases more sets a variable
	setTwice    = 5  // of which one of so many sets two
	mostValues  = 24 // of a variable; behind them the same once more, with texts of the case near to them
	textsOfSet  = 4  // of those texts
)

// variablesOf are the variables of the API of which other values can be made.
func (l *library) variablesOf() []variable {
	var out []variable
	for _, x := range l.api.Variables {
		p := reflect.ValueOf(x.Value)
		if p.Kind() != reflect.Pointer || p.IsNil() {
			continue
		}
		if v := (variable{x.Name, p.Elem()}); v.settable(l) {
			out = append(out, v)
		}
	}
	return out
}

// readBy are the variables by the groups that read them. It hangs on the request alone which stand in a list: two trees
// choose from it alike.
func (l *library) readBy(reads map[string]Reads) map[string][]variable {
	at := map[string]variable{}
	if len(reads) > 0 {
		for _, v := range l.variablesOf() {
			at[v.name] = v
		}
	}
	out := map[string][]variable{}
	for group, r := range reads {
		for _, name := range slices.Concat(r.Changed, r.Others) {
			out[group] = append(out[group], at[name])
		}
	}
	return out
}

// settable reports whether some other value of a variable can be made.
func (v variable) settable(l *library) bool {
	ok := false
	quiet(func() string {
		_, ok = v.another(changer{&maker{d: seeded(0), lib: l, tame: true, small: true}}, 0)
		return ""
	})
	return ok
}

// setting is another value for a variable, or for a part of it.
type setting struct {
	at, value  reflect.Value
	path, text string
}

// apply sets it until restore.
func (s setting) apply() (restore func()) {
	was := reflect.New(s.at.Type()).Elem()
	was.Set(s.at)
	s.at.Set(s.value)
	return func() { s.at.Set(was) }
}

// another is the setting number n of a variable. Structs are set by their fields, also behind a pointer, which is
// set itself every other time.
func (v variable) another(g changer, n int) (setting, bool) {
	at, path := v.at, v.name
	for depth := 0; depth < deepestSet; depth++ {
		if t := at.Type(); t.Kind() == reflect.Pointer && !at.IsNil() && g.lib.fielded(t.Elem()) && n%2 == 0 {
			at, n = at.Elem(), n/2
		} else if t.Kind() != reflect.Struct || !g.lib.fielded(t) {
			break
		}
		fields := g.differing(at, depth)
		if len(fields) == 0 {
			return setting{}, false
		}
		f := fields[n%len(fields)]
		at, path, n = at.Field(f), path+"."+at.Type().Field(f).Name, n/len(fields)
	}
	other, ok := g.unlike(at, n, 0)
	return setting{at, other.value, path, other.text}, ok
}

// set sets the variables that the choices of a case name, and tells them as a reader would write it. What
// cannot be made is left as it is. Texts of the case may be near to those that were set.
func (r *runner) set(group string, m *maker) (text string, restore func()) {
	var undo []func()
	list := r.variables[group]
	for c := m.d.sets; len(c) >= lengthOfSet && len(list) > 0; c = c[lengthOfSet:] {
		v, n := list[c[1]%uint64(len(list))], int(c[2]%mostValues)
		quiet(func() string {
			own := &maker{d: seeded(hash(v.name, string(rune(n)))), lib: r.lib, tame: true, small: true}
			s, ok := v.another(changer{own}, n)
			if ok && c[2] >= mostValues {
				m.texts = append(m.texts, textsIn(s.value)...)
			}
			if ok && !m.d.dry {
				undo = append(undo, s.apply())
				text += s.path + " = " + s.text + "; "
				m.seen = append(m.seen, own.seen...)
			}
			return ""
		})
	}
	return text, func() {
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
	}
}

// setsOf takes the settings that choices begin with.
func setsOf(choices []uint64) []uint64 {
	n := 0
	for n < len(choices) && choices[n] == setMark {
		n += lengthOfSet
	}
	return choices[:min(n, len(choices))]
}

// setting makes a case of some choices set what others say before it does what it does.
func (d *draws) setting(sets []uint64) *draws {
	d.sets, d.used = sets, slices.Clone(sets)
	if d.from {
		d.given = slices.Concat(sets, d.given)
	}
	return d
}

// unset is the same case with the variables as they are, before any of it was drawn.
func (d *draws) unset() *draws {
	out := *d
	out.dry, out.used = true, slices.Clone(d.used)
	return &out
}

// textsIn are a few texts of a value that a variable is set to.
func textsIn(v reflect.Value) (out []string) {
	switch {
	case v.Kind() == reflect.String && v.Len() > 0:
		out = []string{v.String()}
	case v.Kind() == reflect.Int32 && v.Int() > 0:
		out = []string{string(rune(v.Int()))}
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		for i := range min(v.Len(), textsOfSet) {
			out = append(out, textsIn(v.Index(i))...)
		}
	case v.Kind() == reflect.Map:
		for _, k := range v.MapKeys() {
			out = append(out, textsIn(k)...)
		}
		slices.Sort(out)
	}
	return out[:min(len(out), textsOfSet)]
}

// settings is how many cases of a survey set variables for a group.
func (s *session) settings(group string) int {
	if s.q.Around || len(s.r.variables[group]) == 0 {
		return 0
	}
	return s.count(group) / setShare
}

// settingCase is the case number n of those: what another case of the group does, and of four settings three
// that are likely to show a change.
func (s *session) settingCase(group string, n int) *draws {
	early, late := s.edgeCases(group)
	ordinary := max(len(early), s.count(group)-len(late))
	sets := s.choiceOf(group, n)
	if all := uint64(len(s.r.variables[group])); n%setTwice == setTwice-1 && all > 1 {
		sets = append(sets, setMark, (sets[1]+1)%all, uint64(n)%mostValues)
	}
	d := s.draws(group, int(s.seed("set "+group, n)%uint64(max(1, ordinary))))
	if !d.from && s.seed("near "+group, n)%2 == 0 { // the choices of a kept case are for texts that stand alone
		sets[2] += mostValues
	}
	return d.setting(sets)
}

// choiceOf are the choices that set a variable, each value of each in turn.
func (s *session) choiceOf(group string, n int) []uint64 {
	all := uint64(len(s.r.variables[group]))
	first := uint64(len(s.q.Variables[group].Changed))
	from, of := uint64(0), first
	if n%4 == 3 && first < all || first == 0 {
		from, of = first, all-first
	}
	return []uint64{setMark, from + uint64(n)%of, uint64(n) / of % mostValues}
}
