package plugin

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"atoll/store/whole"

	"aead.dev/minisign"
	"go.yaml.in/yaml/v3"
)

// Fill writes the hashes of all files into the manifest of a folder, and takes away
// a signature, which no longer holds. The rest of the manifest is checked: a key that
// there is not is refused, not left out.
func Fill(dir string) (*Plugin, error) {
	name := filepath.Join(dir, ManifestName)
	raw, err := whole.Read(name, maxManifest)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; `atoll plugin new` makes a plug-in", ErrManifest, err)
	}
	m, err := decodeManifest(raw)
	if err != nil {
		return nil, err
	}
	if m.Files, err = sums(dir); err != nil {
		return nil, err
	}
	if why := m.wrong(); why != "" {
		return nil, fmt.Errorf("%w: %s: %s", ErrManifest, ManifestName, why)
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(m); err != nil {
		return nil, fmt.Errorf("write %s: %w", ManifestName, err)
	}
	if !bytes.Equal(b.Bytes(), raw) {
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
			return nil, fmt.Errorf("write the manifest: %w", err)
		}
	}
	if err := os.Remove(filepath.Join(dir, SignatureName)); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("take the old signature away: %w", err)
	}
	return Read(dir)
}

// Sign signs the manifest of a plug-in with a private key in minisign's format.
// The file of the signature can be checked by minisign itself; the public key stands in
// the comment of it that is not signed.
func (p *Plugin) Sign(key minisign.PrivateKey) error {
	public, ok := key.Public().(minisign.PublicKey)
	if !ok {
		return fmt.Errorf("%w: the private key has no public one", ErrSignature)
	}
	p.sig = minisign.SignWithComments(key, p.raw, fmt.Sprintf("atoll plug-in %s %s", p.Name, p.Version), fmt.Sprintf("signature of %s, %s%s", ManifestName, besideKey, public))
	return os.WriteFile(filepath.Join(p.Dir, SignatureName), p.sig, 0o644)
}

// NewKey writes a new pair of keys: the private one, locked with a password, to
// path, the public one to path.pub. Files that are there are not overwritten.
func NewKey(path, password string) (minisign.PublicKey, error) {
	public, private, err := minisign.GenerateKey(nil)
	if err != nil {
		return public, fmt.Errorf("make a key: %w", err)
	}
	locked, err := minisign.EncryptKey(password, private)
	if err != nil {
		return public, fmt.Errorf("lock the key: %w", err)
	}
	text, _ := public.MarshalText() // never fails
	for _, f := range []struct {
		path string
		data []byte
		mode os.FileMode
	}{{path, locked, 0o600}, {path + ".pub", append(text, '\n'), 0o644}} {
		out, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode)
		if err != nil {
			return public, fmt.Errorf("write the key: %w", err)
		}
		_, err = out.Write(f.data)
		if cerr := out.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return public, fmt.Errorf("write the key: %w", err)
		}
	}
	return public, nil
}
