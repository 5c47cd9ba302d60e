// Package page is what the pages that commands write have in common: how they look, and
// how their tables sort. A page needs nothing but itself.
package page

import _ "embed"

// Style is the style sheet, for light and dark.
//
//go:embed style.css
var Style string

// Script sorts tables of the class sortable by a click on a head, and filters them.
//
//go:embed script.js
var Script string
