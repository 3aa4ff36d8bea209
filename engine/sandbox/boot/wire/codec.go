package wire

// codec writes or reads fields in one order, so that one method describes both.
type codec struct {
	buf   []byte
	pos   int
	write bool
	bad   bool
}

func (c *codec) i64(v *int64) {
	if c.write {
		n := uint64(*v)
		c.buf = append(c.buf, byte(n), byte(n>>8), byte(n>>16), byte(n>>24),
			byte(n>>32), byte(n>>40), byte(n>>48), byte(n>>56))
		return
	}
	if len(c.buf)-c.pos < 8 {
		c.bad = true
		return
	}
	var n uint64
	for i, b := range c.buf[c.pos : c.pos+8] {
		n |= uint64(b) << (8 * i)
	}
	*v = int64(n)
	c.pos += 8
}

// Values are assigned only when they are read: a job that is written may share
// its files with the jobs of other goroutines.

func (c *codec) num(v *int) {
	n := int64(*v)
	c.i64(&n)
	if !c.write {
		*v = int(n)
	}
}

func (c *codec) mode(v *uint32) {
	n := int64(*v)
	c.i64(&n)
	if !c.write {
		*v = uint32(n)
	}
}

func (c *codec) flag(v *bool) {
	var n int64
	if *v {
		n = 1
	}
	c.i64(&n)
	if !c.write {
		*v = n != 0
	}
}

func (c *codec) bytes(v *[]byte) {
	n := int64(len(*v))
	c.i64(&n)
	if c.write {
		c.buf = append(c.buf, *v...)
		return
	}
	if c.bad || n < 0 || n > int64(len(c.buf)-c.pos) {
		c.bad = true
		return
	}
	*v = c.buf[c.pos : c.pos+int(n) : c.pos+int(n)]
	c.pos += int(n)
}

func (c *codec) str(v *string) {
	if c.write {
		n := int64(len(*v))
		c.i64(&n)
		c.buf = append(c.buf, *v...)
		return
	}
	var b []byte
	c.bytes(&b)
	*v = string(b)
}

// list codes the length of a slice and then each element by fn.
func list[T any](c *codec, v *[]T, fn func(*T)) {
	n := int64(len(*v))
	c.i64(&n)
	if c.bad || n < 0 || (!c.write && n > int64(len(c.buf)-c.pos)/8) {
		c.bad = true
		return
	}
	if !c.write {
		*v = make([]T, n)
	}
	for i := range *v {
		if c.bad {
			return
		}
		fn(&(*v)[i])
	}
}

func (c *codec) strs(v *[]string) { list(c, v, c.str) }

func (c *codec) changes(v *[]Change) {
	list(c, v, func(x *Change) { c.str(&x.Path); c.mode(&x.Mode); c.bytes(&x.Data) })
}

func (c *codec) files(v *[]File) {
	list(c, v, func(x *File) { c.str(&x.Path); c.mode(&x.Mode); c.bytes(&x.Data) })
}

func (c *codec) pairs(v *[]Pair) {
	list(c, v, func(x *Pair) { c.str(&x.A); c.str(&x.B) })
}

// Message is one of the messages of this package.
type Message interface{ code(*codec) }

// Encode writes the version and then all fields of v.
func Encode(v Message) []byte {
	c := &codec{write: true, buf: make([]byte, 0, 4096)}
	version := int64(WireVersion)
	c.i64(&version)
	v.code(c)
	return c.buf
}

// Decode is the inverse of Encode. Byte slices in v alias buf. A message that is cut
// short, or of another version, is [ErrMessage].
func Decode(buf []byte, v Message) error {
	c := &codec{buf: buf}
	var version int64
	c.i64(&version)
	if version != WireVersion {
		return ErrMessage
	}
	v.code(c)
	if c.bad || c.pos != len(buf) {
		return ErrMessage
	}
	return nil
}
