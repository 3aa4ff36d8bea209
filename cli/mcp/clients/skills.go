package clients

import (
	"embed"
	"errors"
	"os"
	"path/filepath"
)

//go:embed skills/*.md
var skillTexts embed.FS

// skillFile is the name of a skill's file in the folder of the skill.
const skillFile = "SKILL.md"

// Skills are the files of the skills of a client that has them, as they would be
// written, or, with away, taken away. One that a person changed is taken away as
// well: the caller keeps a copy.
func (c Client) Skills(home string, away bool) ([]Edit, error) {
	if c.skills == nil {
		return nil, nil
	}
	list, err := skillTexts.ReadDir("skills")
	if err != nil {
		return nil, err
	}
	var edits []Edit
	for _, f := range list {
		name := "atoll-" + f.Name()[:len(f.Name())-len(".md")]
		e := Edit{Path: filepath.Join(append(append([]string{home}, c.skills...), name, skillFile)...)}
		if e.Old, err = os.ReadFile(e.Path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if !away {
			if e.New, err = skillTexts.ReadFile("skills/" + f.Name()); err != nil {
				return nil, err
			}
		}
		edits = append(edits, e)
	}
	return edits, nil
}
