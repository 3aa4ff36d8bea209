package plugin

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"aead.dev/minisign"
)

// besideKey begins the public key in the comment of a signature that is not signed
// itself. It lets everybody see whether signature and manifest belong together; who
// believes the key is another question, which [Trust] answers.
const besideKey = "public key "

// Sealed checks the signature of a plug-in, whoever trusts it: with the keys of t that
// have its id (t may be nil), else with the public key that stands in the
// signature's own comment. trusted says that it is a key of t. A plug-in
// without a signature is sealed by nobody, without an error. Errors wrap ErrSignature, or ErrTrust
// where a trusted key cannot be read.
func (p *Plugin) Sealed(t *Trust) (key string, trusted bool, err error) {
	if p.sig == nil {
		return "", false, nil
	}
	var s minisign.Signature
	if err := s.UnmarshalText(p.sig); err != nil {
		return "", false, fmt.Errorf("%w: %s: %w", ErrSignature, SignatureName, err)
	}
	id := keyID(s.KeyID)
	if !exact(p.sig) {
		return id, false, fmt.Errorf("%w: %s is not as minisign writes it: somebody changed it", ErrSignature, SignatureName)
	}
	known, err := t.keys(id)
	if err != nil {
		return id, false, err
	}
	trusted = len(known) > 0
	if !trusted {
		var beside minisign.PublicKey
		_, text, ok := strings.Cut(s.UntrustedComment, besideKey)
		if !ok || beside.UnmarshalText([]byte(text)) != nil {
			return id, false, fmt.Errorf("%w: it cannot be checked: the key %s is not among those that you trust, and no public key stands beside the signature; `atoll plugin trust --key FILE.pub`, then check again", ErrSignature, id)
		}
		known = append(known, beside)
	}
	if !slices.ContainsFunc(known, func(k minisign.PublicKey) bool { return minisign.Verify(k, p.raw, p.sig) }) {
		return id, false, fmt.Errorf("%w: it is not that of the key %s over this manifest: somebody changed one of the two", ErrSignature, id)
	}
	return id, trusted, nil
}

// keys are the trusted keys of an id: ids are no secret, two keys may have one.
func (t *Trust) keys(id string) ([]minisign.PublicKey, error) {
	if t == nil {
		return nil, nil
	}
	var out []minisign.PublicKey
	for _, k := range t.Keys {
		if k.ID != id {
			continue
		}
		var key minisign.PublicKey
		if err := key.UnmarshalText([]byte(k.Key)); err != nil {
			return nil, fmt.Errorf("%w: the key %s in %s: %w", ErrTrust, k.ID, t.path, err)
		}
		out = append(out, key)
	}
	return out, nil
}

// exact reports whether the two signatures of a file are written as encoders write them:
// the last characters of base64 have bits that count for nothing.
func exact(sig []byte) bool {
	lines := bytes.Split(bytes.TrimRight(sig, "\r\n"), []byte("\n"))
	for _, i := range []int{1, 3} {
		if i >= len(lines) {
			return false
		}
		if _, err := base64.StdEncoding.Strict().DecodeString(string(bytes.TrimRight(lines[i], "\r"))); err != nil {
			return false
		}
	}
	return len(lines) == 4
}
