// Package page is what pages written by commands have in common: their style, and the sorting of their
// tables. A page refers to no other file.
package page

import _ "embed"

// Style is the style sheet, for light and dark mode.
//
//go:embed style.css
var Style string

// Script sorts tables of the class sortable by a click on a column head, and filters them.
//
//go:embed script.js
var Script string
