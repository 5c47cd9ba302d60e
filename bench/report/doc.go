// Package report makes one HTML page of result files: tables that sort, plots
// as SVG, the method, and the data to download. The page needs no network.
package report
