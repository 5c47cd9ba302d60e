module rhinet

go 1.26
