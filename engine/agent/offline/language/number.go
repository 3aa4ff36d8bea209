package language

func isNameStart(c byte) bool { return isWordByte(c) && !IsDigit(c) }

// codeSuffix reports the suffixes that numbers have in code.
func codeSuffix(s string) bool {
	switch s {
	case "f", "F", "l", "L", "u", "U", "ul", "UL", "ull", "ULL", "ll", "LL", "d", "D", "n", "m",
		"f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
		"_f32", "_f64", "_i32", "_i64", "_u32", "_u64", "_usize":
		return true
	}
	return false
}

// unitSuffix reports the units that numbers have in style sheets and settings.
func unitSuffix(s string) bool {
	switch s {
	case "px", "em", "rem", "vh", "vw", "fr", "pt", "deg", "rad", "s", "ms", "us", "ns", "m", "h", "d",
		"k", "K", "M", "G", "T", "Ki", "Mi", "Gi", "kb", "mb", "gb", "kB", "KB", "MB", "GB", "B":
		return true
	}
	return false
}

// number emits the number (or the thing with digits) that starts at i; x.i is
// there or at its sign.
func (x *lexer) number(i int) {
	end, ok := x.numberEnd(i)
	if i == x.i && x.i > 0 {
		switch p := x.src[x.i-1]; {
		case p == '.' && x.at(x.i-2) != '.', p == '$', p == '&', p == '@', p == '#', p == '~', p == '^' && x.l.Layout == LayoutData:
			ok = false // a field, a parameter, a reference
		case x.l.Name == "shell" && (p == '>' || p == '<' || x.at(end) == '>' || x.at(end) == '<'): // a file descriptor
			ok = false
		case (p == '-' || p == '/' || p == ':') && x.l.Layout != LayoutBrace && x.l.Layout != LayoutIndent:
			ok = ok && !isWordByte(x.at(x.i-2)) && x.at(x.i-2) != '-'
		}
	}
	if ok {
		x.emit(Number, end)
	} else {
		x.emit(Other, max(end, x.i+1))
	}
}

// numberEnd returns the end of the number at i, and whether it is one.
func (x *lexer) numberEnd(i int) (int, bool) {
	j := i
	if x.src[j] == '0' && (x.at(j+1)|0x20 == 'x' || x.at(j+1)|0x20 == 'b' || x.at(j+1)|0x20 == 'o') && isWordByte(x.at(j+2)) {
		for j < len(x.src) && isWordByte(x.src[j]) {
			j++
		}
		return j, x.at(j) != '.'
	}
	j = x.digits(j)
	if x.at(j) == '.' && x.at(j+1) != '.' && !isNameStart(x.at(j+1)) {
		j = x.digits(j + 1)
		if x.at(j) == '.' && x.digitAt(j+1) {
			return x.clump(j), false // 1.2.3
		}
	}
	if x.at(j)|0x20 == 'e' {
		k := j + 1
		if x.at(k) == '+' || x.at(k) == '-' {
			k++
		}
		if x.digitAt(k) {
			j = x.digits(k)
		}
	}
	k := j
	for k < len(x.src) && isWordByte(x.src[k]) {
		k++
	}
	if k > j && !x.suffix(string(x.src[j:k])) {
		return x.clump(k), false
	}
	if x.dated(i, k) {
		return x.clump(k), false
	}
	return k, true
}

func (x *lexer) digits(j int) int {
	for j < len(x.src) && (IsDigit(x.src[j]) || x.src[j] == '_' && x.digitAt(j+1)) {
		j++
	}
	return j
}

// clump returns the end of a run of word characters, points, colons and
// dashes that hang together.
func (x *lexer) clump(j int) int {
	for j < len(x.src) && (isWordByte(x.src[j]) || (x.src[j] == '.' || x.src[j] == ':' || x.src[j] == '-') && isWordByte(x.at(j+1))) {
		j++
	}
	return j
}

// dated reports dates and times: 2024-01-02, 12:30.
func (x *lexer) dated(i, j int) bool {
	if j-i == 4 && x.at(j) == '-' && x.digitAt(j+1) && x.digitAt(j+2) && x.at(j+3) == '-' && x.digitAt(j+4) {
		return true
	}
	return x.at(j) == ':' && x.digitAt(j+1) && x.digitAt(j+2) && !x.digitAt(j+3) && (x.l.Layout == LayoutData || x.l.Layout == LayoutText)
}

func (x *lexer) suffix(s string) bool {
	if x.l.unitWord {
		return unitSuffix(s)
	}
	return (x.l.Layout == LayoutBrace || x.l.Layout == LayoutText) && codeSuffix(s)
}
