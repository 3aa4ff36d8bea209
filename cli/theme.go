package cli

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"atoll/config"
	"atoll/tui"
)

// themeFile is what a file of console.theme_file holds: the theme that it begins with
// and colours of a person.
type themeFile struct {
	Theme   string            `yaml:"theme"`
	Colours map[string]string `yaml:"colours"`
}

var hexColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// themed lays the theme of a file under what the configuration says itself. The file
// is named from dir. Its errors are those of a usage.
func themed(look config.Console, dir string) (config.Console, error) {
	if look.ThemeFile == "" {
		return look, nil
	}
	path := look.ThemeFile
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return look, usage("console.theme_file: %v", err)
	}
	var f themeFile
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return look, usage("console.theme_file %s: %v; it has theme: and colours:", path, err)
	}
	if f.Theme != "" && !slices.Contains(tui.Themes(), f.Theme) {
		return look, usage("console.theme_file %s: there is no theme %q; it is one of %s", path, f.Theme, strings.Join(tui.Themes(), ", "))
	}
	for name, colour := range f.Colours {
		if !slices.Contains(tui.ColourNames(), name) {
			return look, usage("console.theme_file %s: there is no colour %q; it is one of %s", path, name, strings.Join(tui.ColourNames(), ", "))
		}
		if !hexColour.MatchString(colour) {
			return look, usage("console.theme_file %s: %s is %q; write it as \"#rrggbb\", in quotes", path, name, colour)
		}
	}
	if f.Theme != "" && (look.Theme == "" || look.Theme == "auto") {
		look.Theme = f.Theme
	}
	own := maps.Clone(f.Colours)
	if own == nil {
		own = map[string]string{}
	}
	maps.Copy(own, look.Colours)
	look.Colours = own
	return look, nil
}
