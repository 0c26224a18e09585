find web/src/components nosuch -name '*.ts'
status 1
