import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutes, seconds } from '@minifleet/clock';
import { root } from '../mac.ts';
import { createTestMac } from '../testing/test-mac.ts';

/** Asserts the output of command lines. */
async function prints(cases: Readonly<Record<string, string>>): Promise<void> {
  const { run, journal } = createTestMac();
  for (const [command, expected] of Object.entries(cases)) {
    const { out, err } = await run(command);
    assert.deepEqual({ command, out, err }, { command, out: expected, err: '' });
  }
  assert.deepEqual(journal.gaps, []);
}

test('words, quotes and variables expand like in zsh', () =>
  prints({
    'x="a  b"; echo $x "$x" \'$x\'': 'a  b a  b $x\n',
    'echo ${no:-default} ${HOME##*/} ${#HOME} ${HOME/Users/U}': 'default m1 9 /U/m1\n',
    'echo $(echo a; echo b) `echo c`': 'a b c\n',
    'echo $((1 + 2 * 3)) $(( (1+2)*3 ))': '7 9\n',
    'echo $((2*(3+4))) $(( ((1)) )) $((0x10)); (echo sub)': '14 1 16\nsub\n',
    'echo ~ ~root/x "~"': '/Users/m1 /var/root/x ~\n',
    'set -- a "b c"; for i in "$@"; do echo "[$i]"; done; echo $#': '[a]\n[b c]\n2\n',
    'echo {a,b}{1..2}': 'a1 a2 b1 b2\n',
    'a=(1 2); a+=(3); echo ${a[@]} ${#a}': '1 2 3 3\n',
  }));

test('zsh does not split an unquoted variable; bash does', () =>
  prints({
    'x="a b"; for i in $x; do echo "[$i]"; done': '[a b]\n',
    '/bin/bash -c \'x="a b"; for i in $x; do echo "[$i]"; done\'': '[a]\n[b]\n',
  }));

test('the shell runs conditions, loops, functions and case', () =>
  prints({
    'if false; then echo 1; elif true; then echo 2; else echo 3; fi': '2\n',
    'i=0; while [ $i -lt 3 ]; do i=$((i+1)); [ $i = 2 ] && continue; echo $i; done': '1\n3\n',
    'until true; do echo no; done; case abc in x) echo 1;; a*|b) echo 2;; esac': '2\n',
    'f() { local x=in; echo $1 $x; return 3; }; x=out; f arg; echo $? $x': 'arg in\n3 out\n',
    '[[ abc == a* && abc =~ ^.b && ! -e /nope ]] && echo yes': 'yes\n',
    '(x=1; exit 4); echo $? ${x:-unset}; { echo a; echo b; } | cat -': '4 unset\na\nb\n',
    'echo one two | read a b; echo $b': 'two\n',
    'true && ! false || echo no; echo $?': '0\n',
  }));

test('the shell supports redirections and here-documents', () =>
  prints({
    'cd /tmp; echo a > f; echo b >> f; cat < f; { echo o; echo e >&2; } > g 2>&1; cat g': 'a\nb\no\ne\n',
    "x=v; cat <<EOF; cat <<'EOF'\n$x $(echo s)\nEOF\n$x\nEOF": 'v s\n$x\n',
    'cat <<-EOF\n\ttabs\n\tEOF': 'tabs\n',
    'cat <<< "here $USER"': 'here m1\n',
    'ls /nope &> /dev/null; echo $?': '1\n',
    'exec > /tmp/log; echo hidden; exec > /dev/stderr 2>/dev/null': '',
  }));

test('zsh reads the pipe and then the here-document (MULTIOS); bash only the here-document', async () => {
  const { run } = createTestMac();
  assert.equal((await run('echo pipe | cat <<EOF\nhere\nEOF')).out, 'pipe\nhere\n');
  assert.equal((await run("/bin/bash -c 'echo pipe | cat <<EOF\nhere\nEOF\n'")).out, 'here\n');
  assert.equal((await run('cd /tmp; echo both > a > b; cat a b')).out, 'both\nboth\n');
});

test('zsh and bash print their own error messages', async () => {
  const { run } = createTestMac();
  const says = async (command: string): Promise<string> => {
    const { code, err } = await run(command);
    return `${code} ${err}`;
  };
  assert.equal(await says('nope'), '127 zsh:1: command not found: nope\n');
  assert.equal(await says('/bin/bash -c nope'), '127 bash: line 1: nope: command not found\n');
  assert.equal(await says('true\n/etc/hosts'), '126 zsh:2: permission denied: /etc/hosts\n');
  assert.equal(await says('./nope'), '127 zsh:1: no such file or directory: ./nope\n');
  assert.equal(await says('ls *.nope; echo never'), '1 zsh:1: no matches found: *.nope\n');
  assert.equal(await says('echo x > /etc/x'), '1 zsh:1: permission denied: /etc/x\n');
  assert.equal(await says('cd /nope'), '1 zsh:cd:1: no such file or directory: /nope\n');
  assert.equal(await says('set -u; echo $nope'), '1 zsh:1: nope: parameter not set\n');
  assert.equal(await says('fi'), "1 zsh:1: parse error near `fi'\n");
  assert.equal(await says("/bin/sh -c 'fi'"), "2 sh: line 1: syntax error near unexpected token `fi'\n");
});

test('set -e ends the script at the first unchecked failure', async () => {
  const { run } = createTestMac();
  assert.deepEqual(
    await run('set -euo pipefail; false || true; if false; then :; fi; ! true; echo here; x=$(false); echo never'),
    {
      code: 1,
      out: 'here\n',
      err: '',
    },
  );
  assert.equal((await run('set -e; false | true; echo a; set -o pipefail; false | true; echo b')).out, 'a\n');
});

test('an EXIT trap runs at every end of a script', async () => {
  const { run } = createTestMac();
  assert.deepEqual(await run('trap "echo cleaned" EXIT; set -e; false'), { code: 1, out: 'cleaned\n', err: '' });
});

test('a script file runs with its interpreter', async () => {
  const { run } = createTestMac();
  const made = 'cat > /tmp/s <<\'EOF\'\n#!/bin/bash\necho "$0 $1"\nnope\nEOF\nchmod +x /tmp/s; /tmp/s arg';
  assert.deepEqual(await run(made), {
    code: 127,
    out: '/tmp/s arg\n',
    err: '/tmp/s: line 3: nope: command not found\n',
  });
});

test('sleep uses the world’s clock, and & does not wait for it', async () => {
  const { run, clock } = createTestMac();
  const started = clock.now();
  const running = run('sleep 600 & sleep 1; date +%s');
  await clock.advance(seconds(1));
  assert.equal((await running).out, `${started / 1_000 + 1}\n`);
  await clock.advance(minutes(10));
});

test('unmodelled shell syntax is an error and a gap in the journal', async () => {
  const { run, journal } = createTestMac();
  assert.equal((await run('diff <(echo a) <(echo b)')).code, 1);
  assert.equal((await run('echo x 3>&1')).code, 1);
  assert.equal((await run('ls --color')).code, 1);
  assert.deepEqual(
    journal.gaps.map(gap => gap.detail),
    ['zsh syntax: process substitution', 'zsh syntax: 3>&', 'ls --color'],
  );
});

test('a command over SSH gets its environment from /etc/zshenv', async () => {
  const { run, mac } = createTestMac();
  assert.equal(mac.files.exists(root, '/etc/zshenv'), false);
  mac.files.write(root, '/etc/zshenv', 'export ROOT=/opt/cache\n');
  assert.equal((await run('echo $ROOT')).out, '/opt/cache\n');
  assert.equal((await run("/bin/bash -c 'echo $ROOT'", { environment: { ROOT: 'kept' } })).out, '/opt/cache\n');
});

test('a command whose output file is on a full disk fails, and the script continues', async () => {
  const { run, mac } = createTestMac();
  mac.files.reserve(mac.files.space.free - 2);
  const { code, out, err } = await run('echo lost > /tmp/full; echo $?; cat /etc/pf.conf > /tmp/full; echo $?');
  assert.deepEqual([code, out], [0, '1\n1\n']);
  assert.deepEqual(err.split('\n').slice(0, 2), [
    'zsh:1: no space left on device: echo: write error',
    'cat: /etc/pf.conf: No space left on device',
  ]);
});
