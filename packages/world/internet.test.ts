import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInternet } from './internet.ts';
import { builderPart } from './mac/builder/builder-part.ts';
import { createTestMac } from './mac/testing/test-mac.ts';
import { networkOf } from './mac/unix/network/curl.ts';

function reachable() {
  const small = createTestMac({ parts: [builderPart] });
  networkOf(small.mac).http = createInternet({ github: 'http://127.0.0.1:9' });
  return small;
}

test('internet: the Homebrew installer is downloaded and run as its documentation says', async () => {
  const { run, journal } = reachable();
  const script =
    'curl -fsSL https://raw.githubusercontent.com/Homebrew/install/HEAD/install.sh -o /tmp/install.sh && NONINTERACTIVE=1 /bin/bash /tmp/install.sh && /opt/homebrew/bin/brew shellenv';
  const { code, out, err } = await run(script);
  assert.equal(code, 0, err);
  assert.match(out, /HOMEBREW_PREFIX/);
  assert.deepEqual(journal.gaps, []);
});

test('internet: the runner archive of the requested version unpacks into its scripts', async () => {
  const { run } = reachable();
  const url = 'https://github.com/actions/runner/releases/download/v2.330.0/actions-runner-osx-arm64-2.330.0.tar.gz';
  const { code, out, err } = await run(`mkdir r && cd r && curl -fsSL ${url} | tar -xzf - && ls`);
  assert.equal(code, 0, err);
  assert.match(out, /config\.sh/);
});

test('internet: an unknown path is a 404, and another host does not resolve', async () => {
  const { run } = reachable();
  assert.equal((await run('curl -fsS https://github.com/no/such/thing')).code, 22);
  const unknown = await run('curl -fsS https://example.org/');
  assert.deepEqual([unknown.code, unknown.err.startsWith('curl: (6) Could not resolve host: example.org')], [6, true]);
});
