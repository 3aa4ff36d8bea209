package probe

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Texts are often lists: fields of a line, parameters of an address, rules of a sheet. Which of two items of one name
// counts, or that there may be no two, shows where one stands there twice.

// separators stand between the items of a text, or end them.
var separators = regexp.MustCompile(`[,;|&/ \n})>\]]`)

// wordsAndNumbers are the words and the numbers of a text.
var wordsAndNumbers = regexp.MustCompile(`\pL+|[0-9]+`)

// doubled has an item of a list once more, behind itself or at the end, most often with another word in it.
func doubled(s string, pick func(int) int) string {
	var found []string
	for _, c := range separators.FindAllString(s, -1) {
		if !slices.Contains(found, c) {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return s
	}
	if marks := slices.DeleteFunc(slices.Clone(found), func(c string) bool { return strings.TrimSpace(c) == "" }); len(marks) > 0 && pick(4) > 0 {
		found = marks // lists of words are many
	}
	c := found[pick(len(found))]
	list := strings.Split(s, c)
	i := pick(len(list))
	for k := 0; strings.TrimSpace(list[i]) == ""; k++ {
		if i = (i + 1) % len(list); k == len(list) {
			return s
		}
	}
	head, item, tail := unbraced(list[i], strings.ContainsAny(c, "})>]"))
	second := reworded(item, s, pick)
	if to := len(list) - 1; pick(3) == 0 && to > i {
		from, last, behind := unbraced(list[to], false)
		list[to] = from + last + c + second + behind
		return strings.Join(list, c)
	}
	list[i] = head + item + c + second + tail
	return strings.Join(list, c)
}

// unbraced is an item with what stands before and behind it: brackets that it opens or closes are its list's, but where such a one
// ends each item.
func unbraced(item string, whole bool) (head, core, tail string) {
	if whole {
		return "", item, ""
	}
	from := strings.LastIndexAny(item, "([{<") + 1
	to := len(item)
	if i := strings.IndexAny(item[from:], ")]}>"); i >= 0 {
		to = from + i
	}
	return item[:from], item[from:to], item[to:]
}

// reworded has another word of the text, or another number, in the place of one of an item, the last one in half of all
// cases; of four one stays as it is, and of four it stands in other letters.
func reworded(item, s string, pick func(int) int) string {
	at := wordsAndNumbers.FindAllStringIndex(item, -1)
	if len(at) == 0 {
		return item
	}
	run := at[min(pick(2*len(at)), len(at)-1)]
	word := item[run[0]:run[1]]
	switch pick(4) {
	case 0:
	case 1:
		if word = strings.ToUpper(word); word == item[run[0]:run[1]] {
			word = strings.ToLower(word)
		}
	default:
		if n, err := strconv.Atoi(word); err == nil {
			word = strconv.Itoa(n + 1)
			break
		}
		all := wordsAndNumbers.FindAllString(s, -1)
		word = all[pick(len(all))]
	}
	return item[:run[0]] + word + item[run[1]:]
}
