import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { encodePassword } from '@minifleet/host/testing/steps';

const here = import.meta.dirname;
const scripts = globSync('{guest,host}/*.sh', { cwd: here })
  .sort()
  .map(path => ({ path, name: basename(path, '.sh'), text: readFileSync(join(here, path), 'utf8') }));

/** Only defines functions, and is sourced. */
const SOURCED = ['host/watched.sh'];

for (const { path, name, text } of scripts) {
  test(`${path} documents its usage first, and stops at the first failure and the first unset variable`, () => {
    assert.match(text, new RegExp(`^(#!/bin/sh\\n)?# ${name}\\b`));
    if (!SOURCED.includes(path)) assert.match(text, /^set -eu$/m);
    assert.doesNotMatch(text, /\|\| (true|:)\s*$/m);
    const { status, stderr } = spawnSync('/bin/sh', ['-n'], { input: text, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });

  test(`${path} upgrades nothing and logs in nowhere (I25, I26)`, () => {
    const deeds = text.replace(/^\s*#.*$/gm, '');
    assert.doesNotMatch(deeds, /\bbrew\b|\bsoftwareupdate\b|\btart login\b|\bdocker login\b/);
  });
}

test('scripts that a workflow calls are executable', () => {
  for (const { path, text } of scripts.filter(({ text }) => text.startsWith('#!'))) {
    assert.ok(statSync(join(here, path)).mode & 0o100, path);
    assert.match(text, /^#!\/bin\/sh\n/);
  }
});

test('a kcpassword is written as macOS reads it, for every length', () => {
  for (const password of ['', 'admin', 'ten-bytes.', 'eleven-byte', 'twelve-bytes', 'Grüße, 世界', "it's $HOME"]) {
    const { stdout, stderr } = spawnSync('/bin/sh', [join(here, 'guest/kcpassword.sh')], { input: password });
    assert.equal(stdout.toString('hex'), encodePassword(password).toString('hex'), `${password} ${stderr.toString()}`);
  }
});
