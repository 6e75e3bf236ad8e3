import assert from 'node:assert/strict';
import { test } from 'node:test';
import { m1, root } from '../mac.ts';
import { createTestMac } from '../testing/test-mac.ts';

async function prints(cases: Readonly<Record<string, string>>): Promise<void> {
  const { run, journal, mac } = createTestMac();
  mac.files.write(root, '/etc/sudoers.d/m1', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  for (const [command, expected] of Object.entries(cases)) {
    const { out, err } = await run(command);
    assert.deepEqual({ command, out, err }, { command, out: expected, err: '' });
  }
  assert.deepEqual(journal.gaps, []);
}

test('grep, sed, awk, sort, cut and tr process text', () =>
  prints({
    'printf "b 2\\na 1\\n" > /tmp/t; grep -n a /tmp/t; grep -c . /tmp/t; grep -vq b /tmp/t; echo $?': '2:a 1\n2\n0\n',
    "sed -n '1p' /tmp/t; sed -E 's/([a-z]) ([0-9])/\\2 \\1/' /tmp/t; sed '/^b/d' /tmp/t": 'b 2\n2 b\n1 a\na 1\n',
    "printf 'x\\n# BEGIN\\ny\\n# END\\nz\\n' > /tmp/c; sed -i.bak '/# BEGIN/,/# END/d' /tmp/c; cat /tmp/c; wc -l < /tmp/c.bak":
      'x\nz\n       5\n',
    "awk '{print $2, $1}' /tmp/t; awk -F: '/root/ {print $1}' <<< 'root:x'": '2 b\n1 a\nroot\n',
    "sort /tmp/t | head -1; cut -d ' ' -f 2 /tmp/t | tail -n 1; echo abc | tr a-c A-C; echo 'a  b' | tr -s ' '":
      'a 1\n1\nABC\na b\n',
    'A=1 printenv A; printenv B; echo $?': '1\n1\n',
    'printf "a\\nb\\n" | xargs -I{} echo "<{}>"; echo a b | xargs echo x': '<a>\n<b>\nx a b\n',
  }));

test('cp, mv, ln, chown and stat behave like on BSD', () =>
  prints({
    'cd /tmp; mkdir -p a/b; echo hi > a/b/f; cp -R a c; ls c/b; mv c/b/f g; cat g; ln -s g l; readlink l': 'f\nhi\ng\n',
    "sudo install -m 0440 -o root -g wheel /tmp/g /tmp/i; stat -f '%Su %Sg %Lp %z' /tmp/i; ls -l /tmp/l | cut -c 1-10":
      'root wheel 440 3\nlrwxr-xr-x\n',
    'chmod u+x,go-rwx /tmp/g; stat -f %Lp /tmp/g; cat /dev/null; echo x | tee /dev/null > /dev/null; cat /dev/null':
      '700\n',
    'shasum -a 256 < /tmp/g; sudo cmp -s /tmp/g /tmp/i; echo $?; base64 < /tmp/g; echo aGkK | base64 -d':
      '98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4  -\n0\naGkK\nhi\n',
    'find /tmp/a -type f; find /tmp/a -name f -delete; find /tmp/a -type f': '/tmp/a/b/f\n',
    'cd /tmp; tar -czf x.tgz a g; mkdir o; tar -xzf - -C o < x.tgz; ls o; gzip -c g | gunzip': 'a\ng\nhi\n',
  }));

test('cp keeps the inode of its target; install and tar create a new one', async () => {
  const { run, mac } = createTestMac();
  const inode = (): number => mac.files.stat(m1, '/tmp/t').inode;
  await run('cd /tmp; echo 1 > t; echo 2 > s');
  const first = inode();
  await run('cp /tmp/s /tmp/t');
  assert.equal(inode(), first);
  await run('install -m 755 /tmp/s /tmp/t');
  const second = inode();
  assert.notEqual(second, first);
  await run('cd /tmp; tar -cf x.tar t; tar -xf x.tar');
  assert.notEqual(inode(), second);
});

test('defaults writes real property lists in /Library and in the user’s Library', async () => {
  const { run, mac } = createTestMac();
  mac.files.write(root, '/etc/sudoers.d/m1', 'm1 ALL=(ALL) NOPASSWD: ALL\n', { mode: 0o440 });
  await run(
    'sudo defaults write /Library/Preferences/com.apple.loginwindow autoLoginUser m1; defaults write com.example n -int 3',
  );
  assert.match(
    mac.files.read(root, '/Library/Preferences/com.apple.loginwindow.plist').toString(),
    /<key>autoLoginUser<\/key>\n\t<string>m1<\/string>/,
  );
  assert.equal(
    (await run('defaults read com.example n; plutil -extract n raw ~/Library/Preferences/com.example.plist')).out,
    '3\n3\n',
  );
  assert.equal((await run('defaults write /Library/Preferences/x y z')).code, 1);
  assert.equal((await run('defaults read com.example missing')).code, 1);
  await run('sudo defaults write com.apple.network.local-network Allowed -array 10.0.0.0/8 "a b"');
  assert.equal(
    (await run('sudo defaults read com.apple.network.local-network Allowed')).out,
    '(\n    "10.0.0.0/8",\n    "a b"\n)\n',
  );
});

test('plutil lints, extracts, replaces and converts', async () => {
  const { run } = createTestMac();
  assert.equal(
    (await run('plutil -lint /System/Library/LaunchDaemons/ssh.plist')).out,
    '/System/Library/LaunchDaemons/ssh.plist: OK\n',
  );
  assert.equal(
    (await run('echo "<plist><dict><key>a</key></dict></plist>" > /tmp/bad; plutil -lint /tmp/bad')).code,
    1,
  );
  const made =
    'plutil -convert xml1 -o /tmp/p - <<< \'{"a":{"b":[1,2]}}\'; plutil -replace a.c -string x /tmp/p; plutil -extract a json -o - /tmp/p';
  assert.equal((await run(made)).out, '{"b":[1,2],"c":"x"}');
});

test('I08 killall exits with 1 if there is no such process; its message depends on the user', async () => {
  const { run } = createTestMac();
  assert.deepEqual(await run('killall -HUP loginwindow'), {
    code: 1,
    out: '',
    err: 'No matching processes belonging to you were found\n',
  });
  assert.deepEqual(await run('killall -HUP loginwindow', { user: root }), {
    code: 1,
    out: '',
    err: 'No matching processes were found\n',
  });
});

test('background processes can be listed, found and killed', async () => {
  const { run } = createTestMac();
  const { out } = await run(
    'sleep 600 & kill -0 $!; echo $?; pgrep -x sleep > /tmp/pid; [ "$(cat /tmp/pid)" = $! ] && echo found; kill $!; pgrep sleep; echo $?',
  );
  assert.equal(out, '0\nfound\n1\n');
  assert.match((await run('kill 99999')).err, /kill 99999 failed: no such process/);
});

test('uname, sw_vers, sysctl, scutil, pmset and date report the Mac’s properties', () =>
  prints({
    'uname -sm; sw_vers -productVersion; sysctl -n hw.ncpu; id -u; id -un; whoami; hostname':
      'Darwin arm64\n26.3\n8\n501\nm1\nm1\nmini-01.local\n',
    'sudo scutil --set HostName node-1; scutil --get HostName; hostname': 'node-1\nnode-1\n',
    'sudo pmset -a sleep 0 displaysleep 0; pmset -g custom | grep -E " (sleep|displaysleep)"':
      ' sleep                0\n displaysleep         0\n',
    'date +%Y-%m-%dT%H:%M:%SZ': '2030-01-01T00:00:00Z\n',
  }));

test('python3 is a stub that requests developer tools, and curl reaches only what the world serves', async () => {
  const { run } = createTestMac();
  assert.match((await run('python3 -c 1')).err, /No developer tools were found/);
  assert.deepEqual(await run('curl -fsSL https://example.org/x'), {
    code: 6,
    out: '',
    err: 'curl: (6) Could not resolve host: example.org\n',
  });
});
