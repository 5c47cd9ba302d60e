//go:build !amd64 || purego

package cg

import "rhinet/npb/nas"

// newProduct returns the product for a level.
func newProduct(nas.Level) product { return productGo }
