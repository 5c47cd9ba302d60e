// Package report makes an HTML page from result files: sortable tables, plots as SVG, the method, and the
// data to download. The page needs no network.
package report
