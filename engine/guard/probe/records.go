package probe

import (
	"reflect"
	"strings"
)

// recordsFor are those of the sources for a struct of the package, by field.
func (l *library) recordsFor(t reflect.Type) []map[string]Field {
	out, ok := l.records[t]
	if ok || !l.ours(t) {
		return out
	}
	for _, r := range l.lits.Records {
		if r.Type != t.Name() {
			continue
		}
		fields := map[string]Field{}
		for _, f := range r.Fields {
			fields[f.Name] = f
		}
		out = append(out, fields)
	}
	l.records[t] = out
	return out
}

// valueFor is a constant of the sources, or what an exported name of the package holds, as a type.
func (l *library) valueFor(c *Constant, t reflect.Type) (reflect.Value, bool) {
	if c.Name == nil {
		return c.as(t)
	}
	for _, x := range l.api.Values {
		v := reflect.ValueOf(x.Value)
		switch {
		case x.Name != *c.Name || !v.IsValid():
		case v.Type() == t:
			return v, true
		case v.CanInt() && (t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64) && v.Type().PkgPath() == "":
			return v.Convert(t), true
		}
	}
	return reflect.Value{}, false
}

// shaped fills a struct as the sources do by chance: the fields of one of their own with its values, or with a few others,
// and seldom one more. It reports false where the fields are drawn.
func shaped(g *maker, v reflect.Value, depth int) (string, bool) {
	t := v.Type()
	records := g.lib.recordsFor(t)
	if len(records) == 0 || depth >= deepest {
		return "", false
	}
	if g.d.aim != nil {
		g.d.force(0)
	}
	if !g.d.chance(10) {
		return "", false
	}
	fields := records[g.d.n(len(records))]
	var texts []string
	for i := range t.NumField() {
		f := t.Field(i)
		own, ok := fields[f.Name]
		if !f.IsExported() || !ok && !g.d.chance(1) {
			continue
		}
		if e, text := fieldLike(g, f.Type, own, depth+1); e.IsValid() && !e.IsZero() {
			v.Field(i).Set(e)
			texts = append(texts, f.Name+": "+text)
		}
	}
	return typeName(t) + "{" + strings.Join(texts, ", ") + "}", true
}

// fieldLike makes the value of one field: that of the sources, or by chance another.
func fieldLike(g *maker, t reflect.Type, own Field, depth int) (reflect.Value, string) {
	at := len(g.d.used)
	if own.List && t.Kind() == reflect.Slice && !g.d.chance(3) {
		var list []reflect.Value
		for i := range own.Values {
			if e, ok := g.lib.valueFor(&own.Values[i], t.Elem()); ok {
				list = append(list, e)
			}
		}
		if len(list) == len(own.Values) {
			return g.listed(reflect.New(t).Elem(), list)
		}
	}
	if len(own.Values) == 1 && !own.List && !g.d.other(t) {
		if v, ok := g.lib.valueFor(&own.Values[0], t); ok {
			constantAt(g, at, v)
			g.hear(v)
			return v, constantText(v)
		}
	}
	return g.optional(t, depth)
}
