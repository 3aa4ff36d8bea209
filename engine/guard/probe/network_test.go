package probe

import (
	"net"
	"net/http"
	"net/textproto"
	"reflect"
	"testing"
)

func TestNetworksAndRequestsAreSuchAsServersGet(t *testing.T) {
	t.Parallel()
	lib := newLibrary(API{}, Literals{Strings: []string{"x-forwarded-for", "10.0.0.1, 192.168.0.1", "/a?b=c", "a b"}})
	masks, lines, methods := map[int]bool{}, 0, map[string]bool{}
	for seed := range uint64(300) {
		g := &maker{d: seeded(seed), lib: lib}
		v, text := g.value(reflect.TypeFor[*net.IPNet](), 0)
		n := v.Interface().(*net.IPNet)
		if len(n.IP) != len(n.Mask) {
			t.Errorf("%s has an address of %d bytes and a mask of %d", text, len(n.IP), len(n.Mask))
		}
		ones, _ := n.Mask.Size()
		masks[ones] = true
		v, text = g.value(reflect.TypeFor[*http.Request](), 0)
		r := v.Interface().(*http.Request)
		if r.URL == nil || r.Context() == nil {
			t.Errorf("%s has no URL or no context", text)
		}
		if _, _, err := net.SplitHostPort(r.RemoteAddr); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		for name := range r.Header {
			lines++
			if name != textproto.CanonicalMIMEHeaderKey(name) {
				t.Errorf("%s has the name %q", text, name)
			}
		}
		methods[r.Method] = true
	}
	if len(masks) < 10 || lines < 100 || len(methods) < 6 {
		t.Errorf("%d lengths of networks, %d lines of headers, %d methods", len(masks), lines, len(methods))
	}
}
