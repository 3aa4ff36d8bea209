package probe

import (
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// Values of packages net and net/http are made without these packages, which most code under test does not have and which
// take long to link: their types are known by name.

// networked makes a value of such a type.
func networked(g *maker, t reflect.Type) (reflect.Value, string, bool) {
	of := t
	if t.Kind() == reflect.Pointer {
		of = t.Elem()
	}
	var v reflect.Value
	var text string
	switch of.PkgPath() + "." + of.Name() {
	case "net.IP":
		b := octets(g)
		v, text = reflect.ValueOf(b).Convert(of), fmt.Sprintf("IP(%v)", b)
	case "net.IPMask":
		b := mask(g, 4+12*g.d.n(2))
		v, text = reflect.ValueOf(b).Convert(of), fmt.Sprintf("IPMask(%v)", b)
	case "net.IPNet":
		v, text = network(g, of)
	case "net/http.Header":
		v, text = headers(g, of)
	case "net/http.Request":
		v, text = request(g, of)
	default:
		return v, "", false
	}
	if t.Kind() != reflect.Pointer {
		return v, text, true
	}
	p := reflect.New(of)
	p.Elem().Set(v)
	return p, "&" + text, true
}

// address is one of the internet, or with a length.
func address(g *maker, t reflect.Type) (any, string) {
	a, ok := netip.AddrFromSlice(octets(g))
	if !ok {
		a = netip.IPv4Unspecified()
	}
	if t == reflect.TypeFor[netip.Addr]() {
		return a, a.String()
	}
	p, err := a.Prefix(g.d.n(a.BitLen() + 1))
	if err != nil {
		p = netip.PrefixFrom(a, 0)
	}
	return p, p.String()
}

// octets are the bytes of an address.
func octets(g *maker) []byte {
	b := make([]byte, []int{4, 4, 16}[g.d.n(3)])
	for i := range b {
		b[i] = [...]byte{0, 1, 10, 127, 128, 192, 254, 255}[g.d.n(8)]
	}
	return b
}

// mask is as many bytes that begin with ones and end with noughts; of few they alternate.
func mask(g *maker, size int) []byte {
	b := make([]byte, size)
	if g.d.chance(1) {
		for i := range b {
			b[i] = 255 * byte(g.d.n(2))
		}
		return b
	}
	ones := g.d.n(8*size + 1)
	if g.d.chance(6) {
		ones = 8 * g.d.n(size+1)
	}
	for i := range ones {
		b[i/8] |= 0x80 >> (i % 8)
	}
	return b
}

// network is an address with a mask of its length. Of most the address is the first of the network.
func network(g *maker, t reflect.Type) (reflect.Value, string) {
	v := reflect.New(t).Elem()
	b := octets(g)
	m := mask(g, len(b))
	if g.d.chance(12) {
		for i := range b {
			b[i] &= m[i]
		}
	}
	v.FieldByName("IP").Set(reflect.ValueOf(b).Convert(v.FieldByName("IP").Type()))
	v.FieldByName("Mask").Set(reflect.ValueOf(m).Convert(v.FieldByName("Mask").Type()))
	return v, fmt.Sprintf("IPNet{IP: %v, Mask: %v}", b, m)
}

// mostHeaders bounds the lines of a header, and those of one name.
const mostHeaders = 4

// headers are lines by their names, written as the server writes them. Names and values are texts of the sources.
func headers(g *maker, t reflect.Type) (reflect.Value, string) {
	v := reflect.MakeMap(t)
	var texts []string
	for range g.d.n(mostHeaders) {
		name := reflect.ValueOf(canonical(headerName(g)))
		if v.MapIndex(name).IsValid() {
			continue
		}
		list := make([]string, 1+g.d.n(2)*g.d.n(mostHeaders))
		for i := range list {
			list[i] = strings.NewReplacer("\r", " ", "\n", " ").Replace(g.text())
		}
		v.SetMapIndex(name, reflect.ValueOf(list))
		texts = append(texts, fmt.Sprintf("%q: %q", name.String(), list))
	}
	return v, "Header{" + strings.Join(texts, ", ") + "}"
}

// headerName is most often a text of the sources that a header can have for a name.
func headerName(g *maker) string {
	for range mostHeaders {
		if s := g.text(); s != "" && strings.Trim(canonical(s), "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" {
			return s
		}
	}
	return [...]string{"Accept", "Content-Type", "X-Forwarded-For", "Forwarded", "Cookie", "Authorization"}[g.d.n(6)]
}

// canonical writes the name of a header with a capital at the beginning of each part (net/textproto.CanonicalMIMEHeaderKey).
func canonical(name string) string {
	b := []byte(name)
	upper := true
	for i, c := range b {
		switch {
		case upper && 'a' <= c && c <= 'z':
			b[i] = c - 'a' + 'A'
		case !upper && 'A' <= c && c <= 'Z':
			b[i] = c - 'A' + 'a'
		}
		upper = c == '-'
	}
	return string(b)
}

// request is one that a server was sent.
func request(g *maker, t reflect.Type) (reflect.Value, string) {
	v := reflect.New(t).Elem()
	set := func(name string, x any) { v.FieldByName(name).Set(reflect.ValueOf(x)) }
	method := [...]string{"GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"}[g.d.n(6)]
	path := g.text()
	u, err := url.Parse("/" + strings.TrimLeft(path, "/"))
	if err != nil {
		u = &url.URL{Path: "/"}
	}
	header, lines := headers(g, v.FieldByName("Header").Type())
	body := ""
	if method == "POST" || method == "PUT" {
		body = g.text()
	}
	a, _ := netip.AddrFromSlice(octets(g))
	from := netip.AddrPortFrom(a, uint16(1024+g.d.n(60_000))).String()
	host := [...]string{"example.com", "localhost:8080", "127.0.0.1", ""}[g.d.n(4)]
	set("Method", method)
	set("URL", u)
	set("Proto", "HTTP/1.1")
	set("ProtoMajor", 1)
	set("ProtoMinor", 1)
	v.FieldByName("Header").Set(header)
	set("Body", io.NopCloser(strings.NewReader(body)))
	set("ContentLength", int64(len(body)))
	set("Host", host)
	set("RemoteAddr", from)
	set("RequestURI", u.RequestURI())
	return v, "Request{" + method + " " + u.String() + ", Host: " + strconv.Quote(host) + ", RemoteAddr: " + strconv.Quote(from) + ", " + lines + ", Body: " + strconv.Quote(body) + "}"
}
