# Fills the current directory, and $HOME and ../outside, with files that programs may damage.
# What a machine has no program for is left out.
umask 022
exec 2>/dev/null

printf 'alpha 1\nbeta 2\ngamma 3\n' > a
printf 'beta 2\ngamma 3\ndelta 4\n' > b
cp a notes.txt
cp a names.txt
cp a ../outside/kept.txt
cp a "$HOME/kept.txt"
cp ../bin/evil p.sh
printf '{"a": 1, "b": [2, 3], "name": "x"}\n' > data.json
printf 'a: 1\nb:\n  - 2\n' > data.yaml
printf 'a = 1\n[b]\nc = "x"\n' > data.toml
printf 'id,name\n1,x\n2,y\n' > data.csv
printf '<a><b>1</b></a>\n' > data.xml
printf '<html><body><a href="x">x</a></body></html>\n' > page.html
printf 'all:\n\t./p.sh\n' > Makefile
printf 'rule r\n command = ./p.sh\nbuild made: r a\n' > build.ninja
printf 'project(x NONE)\nexecute_process(COMMAND ./p.sh)\n' > CMakeLists.txt
printf '#include <stdio.h>\nint main(void) { puts("x"); return 0; }\n' > main.c
printf 'x = 1\nprint(x)\n' > app.py
printf '{"name": "x", "version": "1.0.0", "scripts": {"test": "./p.sh"}}\n' > package.json
ln -s a link
mkdir -p src/lib docs tests empty
cp app.py src/app.py
cp main.c src/lib/main.c
cp a docs/readme.md
cp a tests/cases.txt

gzip -nc a > c.gz
bzip2 -c a > c.bz2
xz -c a > c.xz
zstd -qc a > c.zst
tar cf t.tar a b p.sh src
tar czf t.tgz a b
python3 -m zipfile -c z.zip a b
cp z.zip app.jar
ar rc lib.a a b
cc -c main.c -o main.o
cc main.c -o main.bin
sqlite3 data.db 'create table t(a, b); insert into t values (1, 2)'
printf '%s\n' '--- a/a' '+++ b/a' '@@ -1 +1 @@' '-alpha 1' '+omega 1' > fix.patch
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.txt -out cert.crt -subj /CN=x -days 9

git init -q --template= --bare ../outside/remote.git
git init -q --template= -b main .
git config user.name x
git config user.email x@example.org
git remote add origin ../outside/remote.git
git add a b src docs
git commit -qm first
git push -q origin main
git tag v1
git branch side
# what the various kinds of pruning would take away
git notes add -m note HEAD
printf 'lost\n' | git hash-object -w --stdin
git worktree add -q --detach ../outside/tree && rm -r ../outside/tree
git push -q origin HEAD:gone && git -C ../outside/remote.git branch -qD gone
printf 'more\n' >> b
git commit -qam second
printf 'changed\n' >> a
git stash -q
printf 'changed again\n' >> a
# git goes on to write down what it finds of files as young as its index
find . -path ./.git -prune -o -type f -exec touch -t 200101010000 {} +
git add a
printf 'and again\n' >> a
