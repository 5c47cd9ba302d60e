// Package pictures draws one picture of each network interface from its model: the states of its modules
// while a message leaves and arrives, or the table of states that controls them. They are the pictures of
// docs/nics.md; a test checks that those match the models.
package pictures
