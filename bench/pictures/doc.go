// Package pictures draws one picture of each network interface from what its model does: which module is in which state
// while a message leaves and arrives, or the table of states that decides it. They are the
// pictures of docs/nics.md; a test holds them to the models.
package pictures
