import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { createTestMac } from '../testing/test-mac.ts';

/** Scripts whose output and exit code are the same in any bash. */
const scripts: readonly string[] = [
  'set -euo pipefail\nfor f in a b; do\n  echo "f=$f"\ndone\n',
  'x="1 2  3"; set -- $x; echo $# "$*" "$3"; shift; echo $1',
  'f() { if [ "$1" -gt 2 ]; then return 1; fi; echo $1; f $(( $1 + 1 )); }; f 0; echo rc=$?',
  'a=hello; echo ${a%lo} ${a#he} ${a:-x} ${b:-$(echo y)} ${a/l/L} ${a//l/L} ${b:+no} "${a:+yes}"',
  'cat <<EOF | while read -r l; do echo "<$l>"; done\none two\n  three\\n\nEOF',
  'i=0; until [ $i -ge 3 ]; do i=$((i+1)); done; echo $i; (( i == 3 )) && echo eq',
  'case "a.b" in *.c) echo c;; a.?) echo q;; esac; case x in (x|y) echo xy;; esac',
  'echo "a\\nb" \'c"d\' e\\ f "g\\"h" $\'t\\tu\'',
  'if ! grep -q x <<< "abc"; then echo none; fi; [ -z "" ] && echo z; [ a = a -a b != c ] && echo ok',
  'x=$(printf "%s\\n" a b c | sed -n "2p"); echo "$x"; y=`echo \\`echo nested\\``; echo $y',
  'echo one; false && echo no; true || echo no; echo two | { read v; echo "got $v"; }',
  "trap 'echo bye $?' EXIT; (exit 3) || echo sub $?; exit 5",
  "export A=1; B=2 sh -c 'echo $A $B'; echo ${B:-none}; unset A; echo ${A-unset}",
  'set -e; if false; then :; else echo else; fi; x=$(false) || echo caught; false; echo never',
  'printf "%5d|%-5s|%05.1f|%x\\n" 42 ab 3.14159 255; printf "%s " a b c; echo',
  'arr=(a "b c" d); echo ${#arr[@]}; for e in "${arr[@]}"; do echo "[$e]"; done',
  'for i in 1 2 3; do for j in a b; do [ $j = b ] && continue 2; echo $i$j; done; done',
  'echo $((5/2)) $((5%3)) $((2*(3+4))) $(( 1 < 2 ? 10 : 20 )); n=3; echo $((n*n)); ((n++)); echo $n',
  'echo err >&2; { echo o; echo e >&2; } 2>&1 | sort; ls /nonexistent 2>/dev/null || echo "ls failed"',
  'f() { local IFS; echo "$@" | tr " " ","; }; f a b c; echo "$(f x y)"; echo -n no; echo; echo -e "t\\tx"',
  'while read a b; do echo "$b-$a"; done <<< "x y"; echo "${PWD##*/}" >/dev/null; test -d / && echo dir',
  '[[ "foo.tar.gz" == *.gz && -n x ]] && echo m; [[ abc =~ ^a(b)c$ ]] && echo re; [[ a < b ]] && echo lt',
  'echo "a:b:c" | cut -d: -f2; echo "  x  y " | awk \'{print $2}\'; printf "b\\na\\nb\\n" | sort -u | uniq -c | awk \'{print $2}\'',
  'x=1\nif [ $x -eq 1 ]\nthen\n  echo yes # comment\nelif true; then\n  echo no\nfi\n\n# end\n',
  'echo {1..3} a{b,c}d; echo "$(( 0x10 ))" 2>/dev/null; echo "quoted \'single\' inside"',
];

const skip = existsSync('/bin/bash') ? false : 'there is no bash on this machine to compare with';

test('the simulated bash prints and exits like a real bash', { skip }, async () => {
  const { run, journal } = createTestMac();
  for (const script of scripts) {
    const real = spawnSync('/bin/bash', ['-c', script], { encoding: 'utf8' });
    const { code, out } = await run('/bin/bash -s', { stdin: script });
    assert.deepEqual({ script, code, out }, { script, code: real.status, out: real.stdout });
  }
  assert.deepEqual(journal.gaps, []);
});
