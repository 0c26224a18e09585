#!/bin/bash
# Builds a project that has everything that can be lost, with its surroundings:
# build it with `fixture.sh DIRECTORY`, an absolute path; the project is DIRECTORY/proj.
set -e
has() { command -v "$1" > /dev/null; }
root=${1:?an absolute path}
mkdir -p "$root" && cd "$root"
export HOME=$root/home GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME"
git config --global user.email someone@example.org
git config --global user.name someone
git config --global init.defaultBranch main
git config --global protocol.file.allow always
git config --global advice.detachedHead false
git config --global gc.auto 0

git init -q lib
(cd lib && echo lib > l.txt && git add . && git commit -qm lib)
git init -q --bare origin.git

git init -q proj && cd proj
# tracked: plain, executable, linked, with odd names, through filters
mkdir -p dir/sub
echo a1 > a.txt; echo b > b.txt; chmod 755 b.txt; echo s1 > staged.txt
echo c > dir/c.txt; printf 'x = {  "a":1 }\n' > dir/d.py; echo e > dir/sub/e.txt
echo au > au.txt; echo sk > sk.txt; ln -s a.txt link; echo f > 'spa ce'
echo C > Case.txt; echo c > case.txt; echo n > $'new\nline.txt'; echo l > $'caf\xe9.txt'
printf 'package  main\nfunc   main(){}\n' > m.go
printf 'one\r\ntwo\r\n' > t.crlf; echo bigdata > x.big; echo dash > ./-dash
printf '*.crlf text eol=crlf\n*.big filter=fake\n' > .gitattributes
printf 'build/\n.env\nnode_modules/\n' > .gitignore
git config filter.fake.clean "echo clean >> $root/ran.log; tr a-z A-Z"
git config filter.fake.smudge "echo smudge >> $root/ran.log; tr A-Z a-z"
git add -A && git commit -qm one && git tag light && git tag -a v1 -m v1
git submodule --quiet add "$root/lib" sm && git commit -qm sub

# branches: one that adds, one that clashes, a remote that is ahead
git branch old
git checkout -q -b feature; echo feat > feat.txt; echo cf > dir/c.txt; git add .; git commit -qm feat
git checkout -q -b clash main; echo CLASH > dir/sub/e.txt; git commit -qam clash
git checkout -q main; echo MAIN > dir/sub/e.txt; git commit -qam main2
echo m3 > m3.txt; git add m3.txt; git commit -qm main3
git remote add origin "$root/origin.git"; git push -q origin main; git branch -q -u origin/main
(cd "$root" && git clone -q origin.git other && cd other && echo up > b.txt && git commit -qam up && git push -q origin main)
echo st1 >> a.txt; git stash push -q -m first
echo st2 >> a.txt; echo stu > stu.txt; git stash push -q -u -m second
git worktree add -q "$root/wt" -b wtb
(cd "$root/wt" && echo dirty >> b.txt && echo wu > wtuntracked.txt && echo ws >> dir/c.txt && git add dir/c.txt)

# work that git does not hold: staged twice, new, intended, hidden from git, untracked, ignored
echo a2 >> a.txt; chmod 640 a.txt
echo s2 >> staged.txt; git add staged.txt; echo s3 >> staged.txt
echo ns > new-staged.txt; git add new-staged.txt; echo ns2 >> new-staged.txt
echo ita > ita.txt; git add -N ita.txt
git update-index --assume-unchanged au.txt; echo au2 >> au.txt
git update-index --skip-worktree sk.txt; echo sk2 >> sk.txt
echo n2 >> $'new\nline.txt'; echo l2 >> $'caf\xe9.txt'; echo big2 >> x.big; printf 'three\r\n' >> t.crlf
echo u > untracked.txt
mkdir -p ut/empty ut/deep; echo ud > ut/deep/f; ln -s nowhere ut/dangling; chmod 700 ut/empty
echo sec > ut/sec; chmod 600 ut/sec; mkfifo ut/pipe
mkdir -p build node_modules/p; head -c 3000 /dev/urandom > build/out.bin; echo K=1 > .env; echo j > node_modules/p/i.js
echo hl > hard1; ln hard1 hard2
echo sm2 >> sm/l.txt; echo smu > sm/smu.txt
if has setfattr; then setfattr -n user.note -v hello a.txt; setfattr -n user.note -v u untracked.txt; fi
if [ -z "$NO_HOOKS" ]; then
    for hook in pre-commit post-checkout post-commit post-merge post-rewrite pre-rebase post-index-change \
            reference-transaction pre-applypatch; do
        printf '#!/bin/sh\necho hook %s >> %s/ran.log\n' $hook "$root" > .git/hooks/$hook
        chmod +x .git/hooks/$hook
    done
fi

# sources for copies, archives and patches
mkdir -p "$root/src/dir"; echo SRC > "$root/src/a.txt"; echo SRCc > "$root/src/dir/c.txt"; echo SRCn > "$root/src/brandnew"
cd "$root/src" && tar cf ../a.tar .
if has zip; then zip -qr ../a.zip .; fi
if has cpio; then find . | cpio -o --quiet > ../a.cpio; fi
if has 7z; then 7z a -bd ../a.7z . > /dev/null; fi
cd "$root/proj"
git diff > "$root/wt.diff"
printf -- '--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+patched\n' > "$root/p.diff"
git format-patch -q -1 --stdout feature > "$root/f.mbox"
find . -path ./.git -prune -o -type f -print0 | xargs -0 touch -h -d '2024-01-02 03:04:05.678901234'
find . -path ./.git -prune -o -type d -print0 | sort -rz | xargs -0 touch -d '2024-02-02 03:04:05.5'
touch -h -d 2024-03-03 link
git update-index -q --refresh > /dev/null || true
