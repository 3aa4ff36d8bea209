package probe

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"io"
	"log"
	"net/netip"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// furnishing makes values of further types of the standard library, whose zero values are of no use.
type furnishing struct{ *maker }

func (g furnishing) value(t reflect.Type) (reflect.Value, string, bool) {
	of := t
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.PkgPath() == "" || g.lib.ours(of) {
		return reflect.Value{}, "", false
	}
	var x any
	text := ""
	switch t {
	case reflect.TypeFor[*regexp.Regexp]():
		re := g.expression()
		x, text = re, "regexp.MustCompile("+strconv.Quote(re.String())+")"
	case reflect.TypeFor[*time.Location]():
		zone := []*time.Location{time.UTC, time.FixedZone("EST", -5*3600), time.FixedZone("", 5*3600+1800)}[g.d.n(3)]
		x, text = zone, "zone "+strconv.Quote(zone.String())
	case reflect.TypeFor[time.Weekday]():
		day := time.Weekday(g.d.n(7))
		x, text = day, day.String()
	case reflect.TypeFor[*strings.Replacer]():
		from, to := g.text(), g.text()
		x, text = strings.NewReplacer(from, to), fmt.Sprintf("strings.NewReplacer(%q, %q)", from, to)
	case reflect.TypeFor[*unicode.RangeTable]():
		i := g.d.n(4)
		x, text = []*unicode.RangeTable{unicode.Letter, unicode.Digit, unicode.Upper, unicode.Space}[i], "unicode."+[]string{"Letter", "Digit", "Upper", "Space"}[i]
	case reflect.TypeFor[netip.Addr](), reflect.TypeFor[netip.Prefix]():
		x, text = address(g.maker, t)
	case reflect.TypeFor[reflect.Type]():
		e, written := typeOf(g.maker)
		return box(t, e), written, true
	case reflect.TypeFor[reflect.Value]():
		v, written := g.anything(reflect.New(reflect.TypeFor[any]()).Elem(), simpleAny)
		x, text = v.Elem(), "reflect.ValueOf("+written+")"
	default:
		if v, text, ok := networked(g.maker, t); ok {
			return v, text, true
		}
		x, text = g.piped(t)
	}
	if x == nil {
		return reflect.Value{}, "", false
	}
	return reflect.ValueOf(x), text, true
}

// piped makes what stands before a reader or a writer, and pictures.
func (g furnishing) piped(t reflect.Type) (any, string) {
	switch t {
	case reflect.TypeFor[*bufio.Reader]():
		r, text := stream(g.maker)
		return bufio.NewReader(r.(io.Reader)), "bufio.NewReader(" + text + ")"
	case reflect.TypeFor[*bufio.Scanner]():
		r, text := stream(g.maker)
		return bufio.NewScanner(r.(io.Reader)), "bufio.NewScanner(" + text + ")"
	case reflect.TypeFor[*json.Decoder]():
		r, text := stream(g.maker)
		return json.NewDecoder(r.(io.Reader)), "json.NewDecoder(" + text + ")"
	case reflect.TypeFor[*strings.Reader]():
		return stream(g.maker)
	case reflect.TypeFor[*bytes.Reader]():
		s := g.text()
		return bytes.NewReader([]byte(s)), "bytes.NewReader(" + strconv.Quote(s) + ")"
	case reflect.TypeFor[*bufio.Writer]():
		b := &bytes.Buffer{}
		w := bufio.NewWriter(b)
		g.seen = append(g.seen, func() string { _ = w.Flush(); return "wrote " + strconv.Quote(b.String()) })
		return w, "bufio.NewWriter(new(bytes.Buffer))"
	case reflect.TypeFor[*json.Encoder]():
		b, _ := writer(g.maker)
		return json.NewEncoder(b.(io.Writer)), "json.NewEncoder(new(bytes.Buffer))"
	case reflect.TypeFor[*log.Logger]():
		b, _ := writer(g.maker)
		return log.New(b.(io.Writer), "", 0), "a logger"
	case reflect.TypeFor[*image.RGBA]():
		return picture(g.maker)
	case reflect.TypeFor[*image.NRGBA]():
		p := image.NewNRGBA(image.Rect(0, 0, 1+g.d.n(5), 1+g.d.n(5)))
		return p, g.painted(p.Pix, p.Rect)
	case reflect.TypeFor[*image.Gray]():
		p := image.NewGray(image.Rect(0, 0, 1+g.d.n(5), 1+g.d.n(5)))
		return p, g.painted(p.Pix, p.Rect)
	}
	return nil, ""
}

// expression is a regular expression: one of the sources, or one that a word of a text matches.
func (g furnishing) expression() *regexp.Regexp {
	lits := g.lib.lits.Strings
	for range 3 {
		if len(lits) == 0 || !g.d.chance(6) {
			break
		}
		if s := lits[g.d.n(len(lits))]; regexp.QuoteMeta(s) != s {
			if re, err := regexp.Compile(s); err == nil {
				return re
			}
		}
	}
	forms := []string{".", "[a-z]+", "(\\w)(\\d*)", "^", "\\s*", "[^a-m]", "x*$"}
	i := g.d.n(2 * len(forms))
	if i < len(forms) {
		return regexp.MustCompile(forms[i])
	}
	if re, err := regexp.Compile(regexp.QuoteMeta(g.text())); err == nil {
		return re
	}
	return regexp.MustCompile(".")
}

func typeOf(g *maker) (any, string) {
	types := []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[[]int](), reflect.TypeFor[map[string]any](), reflect.TypeFor[float64](), reflect.TypeFor[time.Time](), reflect.TypeFor[*bool]()}
	for _, e := range g.lib.api.Types {
		types = append(types, e.Type)
	}
	t := types[g.d.n(len(types))]
	return t, "the type " + t.String()
}

func shade(g *maker) (any, string) {
	var c color.RGBA
	for _, part := range []*uint8{&c.R, &c.G, &c.B} {
		*part = [...]uint8{0, 1, 127, 128, 200, 255}[g.d.n(6)]
	}
	c.A = 255
	return c, fmt.Sprintf("color%v", c)
}

func picture(g *maker) (any, string) {
	p := image.NewRGBA(image.Rect(0, 0, 1+g.d.n(5), 1+g.d.n(5)))
	return p, furnishing{g}.painted(p.Pix, p.Rect)
}

// painted fills the points of a picture.
func (g furnishing) painted(points []uint8, size image.Rectangle) string {
	seed := g.d.n(64)
	d := seeded(uint64(seed))
	for i := range points {
		points[i] = uint8(d.next())
		if i%4 == 3 {
			points[i] = 255
		}
	}
	return fmt.Sprintf("picture %d of %v", seed, size.Max)
}

func sum32(*maker) (any, string) { return fnv.New32a(), "fnv.New32a()" }
func sum64(*maker) (any, string) { return fnv.New64a(), "fnv.New64a()" }

func byteOrder(g *maker) (any, string) {
	if g.d.n(2) == 0 {
		return binary.LittleEndian, "binary.LittleEndian"
	}
	return binary.BigEndian, "binary.BigEndian"
}

// opened is a file in the memory: what reads, writes, seeks or is closed.
type opened struct {
	*bytes.Reader
	data   []byte
	closed int
}

func (f *opened) Write(p []byte) (int, error) {
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	return f.put(p, at, at+int64(len(p)))
}

func (f *opened) WriteAt(p []byte, at int64) (int, error) {
	now, err := f.Seek(0, io.SeekCurrent)
	if err != nil || at < 0 || at > longestShown {
		return 0, errBroken
	}
	return f.put(p, at, now)
}

// put writes at a place and goes on at another.
func (f *opened) put(p []byte, at, next int64) (int, error) {
	if more := at + int64(len(p)) - int64(len(f.data)); more > 0 {
		f.data = append(f.data, make([]byte, more)...)
	}
	n := copy(f.data[at:], p)
	f.Reader.Reset(f.data)
	_, err := f.Seek(next, io.SeekStart)
	return n, err
}

func (f *opened) Close() error { f.closed++; return nil }

func file(g *maker) (any, string) {
	s := g.text()
	f := &opened{data: []byte(s)}
	f.Reader = bytes.NewReader(f.data)
	g.seen = append(g.seen, func() string { return fmt.Sprintf("the file holds %q, closed %d times", f.data, f.closed) })
	return f, "a file that holds " + strconv.Quote(s)
}
