package cli

import (
	"fmt"

	"atoll/cli/door"
	"atoll/engine/view"
)

// yieldText is a line of status about an agent.
func yieldText(y door.AgentYield) string {
	text := fmt.Sprintf("agent %s: %s", view.CleanLine(y.Name), view.Plural(y.Tries, "job"))
	if y.Yield == nil {
		return text
	}
	text += fmt.Sprintf(", %d took a niche when measured first (%.0f %%)", y.Improved, 100**y.Yield)
	switch {
	case y.Cost == nil:
		text += ", unknown cost"
	case y.PerImprovement != nil && *y.Cost > 0:
		text += fmt.Sprintf(", $%.4f, $%.4f for each of these", *y.Cost, *y.PerImprovement)
	case *y.Cost > 0:
		text += fmt.Sprintf(", $%.4f", *y.Cost)
	}
	return text
}
