package clients

import (
	"bytes"
	"embed"
	"path/filepath"
	"strings"
)

//go:embed skills/*.md
var skillTexts embed.FS

// skillFile is the name of a skill's file in the folder of the skill.
const skillFile = "SKILL.md"

// Skills are the files of the skills of a client that has them, as they would be
// written, or, with away, taken away. One that a person wrote or changed stays then;
// where it is replaced, its copy goes beside the folder of all skills, where no client
// looks for any.
func (c Client) Skills(home string, away bool) ([]Edit, error) {
	if c.skills == nil {
		return nil, nil
	}
	list, err := skillTexts.ReadDir("skills")
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(append([]string{home}, c.skills...)...)
	var edits []Edit
	for _, f := range list {
		name := "atoll-" + strings.TrimSuffix(f.Name(), ".md")
		e := Edit{Path: filepath.Join(folder, name, skillFile)}
		if e.Old, err = readSettings(e.Path); err != nil {
			return nil, &Refusal{Path: e.Path, Why: err}
		}
		ours, err := skillTexts.ReadFile("skills/" + f.Name())
		if err != nil {
			return nil, err
		}
		if !away {
			e.New = ours
		} else if e.Old != nil && !bytes.Equal(e.Old, ours) {
			e.New = e.Old
		}
		if e.Old != nil && !bytes.Equal(e.Old, ours) {
			e.Copy = filepath.Join(filepath.Dir(folder), name+"-"+skillFile)
		}
		edits = append(edits, e)
	}
	return edits, nil
}
