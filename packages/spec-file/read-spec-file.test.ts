import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Secret } from '@minifleet/secret';
import { readFleetFile } from './read-fleet-file.ts';
import { readSpecFile } from './read-spec-file.ts';
import { SpecFileError } from './spec-file-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'minifleet-spec-'));
after(() => rmSync(folder, { recursive: true }));

const put = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
put('tart.tar.gz', 'an archive');
put('kubeconfig', 'apiVersion: v1\n');
put('password', 'correct horse\n');
put('empty', '\n');
mkdirSync(join(folder, 'a-folder'));

const defaults = { name: undefined, user: 'm1', password: undefined };
const read = (text: string, more: object = {}) => readSpecFile(put('host.yaml', text), { ...defaults, ...more });

describe('a spec file', () => {
  test('a spec file sets fleet and host, with files relative to it', async () => {
    const spec = await read(`
fleet:
  tart: { version: 2.32.1, archive: tart.tar.gz }
  egress:
    allow: [{ to: 10.0.0.53, ports: '53', protocols: [tcp, udp] }]
  localNetwork: false
  labels: { tuist.dev/fleet: runners }
host:
  name: mini-01
  passwordFile: password
  kubeconfigFile: kubeconfig
`);
    const { archive, version } = spec.fleet.tart ?? {};
    assert.equal(version, '2.32.1');
    assert.equal(archive?.sha256, createHash('sha256').update('an archive').digest('hex'));
    assert.deepEqual(spec.fleet.localNetwork, false);
    assert.deepEqual(spec.fleet.egress, { allow: [{ to: '10.0.0.53', ports: '53', protocols: ['tcp', 'udp'] }] });
    assert.equal(spec.host.password?.reveal().toString(), 'correct horse');
    assert.equal(spec.host.kubeconfig?.reveal().toString(), 'apiVersion: v1\n');
    assert.deepEqual([spec.host.name, spec.host.user], ['mini-01', 'm1']);
  });

  test('the command line fills in what it leaves open, and its password goes first', async () => {
    const password = new Secret('password', 'another');
    const spec = await read('host: { passwordFile: password }\n', { name: 'mini-02', password });
    assert.equal(spec.host.name, 'mini-02');
    assert.equal(spec.host.password, password);
  });

  test('a text without a field in it leaves all to the defaults', async () => {
    assert.deepEqual(await read('# nothing yet\n', { name: 'mini-02' }), {
      fleet: {},
      host: { name: 'mini-02', user: 'm1' },
    });
  });
});

const BUILDER = JSON.stringify({
  formulae: [],
  xcode: { developerDirectory: '/Applications/Xcode.app/Contents/Developer' },
  buildCache: { directory: '/opt/build-cache', variable: 'BUILD_CACHE' },
  runner: { version: '2.338.0', archive: 'tart.tar.gz' },
});
const NAMED = 'host: { name: mini-01 }\n';

/** Problem, file content and expected message. */
const WRONG: readonly (readonly [string, string, RegExp])[] = [
  [
    'a field that does not exist',
    `${NAMED}fleet:\n  tarts: {}\n`,
    /:3:3: fleet\.tarts is not a field; valid fields: agent, tart,/,
  ],
  ['a part that does not exist', `${NAMED}flet: {}\n`, /:2:1: flet is not a field; valid fields: fleet, host$/],
  [
    'a field inside one that may be off',
    `${NAMED}fleet:\n  egress:\n    alow: []\n`,
    /:4:5: fleet\.egress\.alow is not a field; valid fields: guests, blocked, allow$/,
  ],
  [
    'a number where text is expected',
    `host: { name: mini-01 }\nfleet:\n  tart:\n    version: 2.32\n    archive: tart.tar.gz\n`,
    /:4:5: fleet\.tart\.version must be text, not 2\.32; put it in quotes: '2\.32'$/,
  ],
  [
    'text where a number is expected',
    `${NAMED}fleet:\n  guestLeaseSeconds: ten\n`,
    /:3:3: fleet\.guestLeaseSeconds must be a whole number, or false to turn it off, not the text "ten"$/,
  ],
  ['half a second', `${NAMED}fleet:\n  guestLeaseSeconds: 0.5\n`, /fleet\.guestLeaseSeconds must be a whole number/],
  [
    'less than nothing',
    `${NAMED}fleet:\n  guestLeaseSeconds: -1\n`,
    /:3:3: fleet\.guestLeaseSeconds must be greater than 0$/,
  ],
  [
    'a network that is none',
    `${NAMED}fleet:\n  localNetwork:\n    - 10.0.0.0/8\n    - 10.0.0.0\n`,
    /:5:7: fleet\.localNetwork\.1 must be a network such as 10\.0\.0\.0\/8$/,
  ],
  [
    'a protocol that is none',
    `${NAMED}fleet: { egress: { allow: [{ to: 10.0.0.1, ports: '53', protocols: [icmp] }] } }\n`,
    /protocols\.0 must be tcp or udp, not the text "icmp"$/,
  ],
  [
    'a group that is left empty',
    `${NAMED}fleet:\n  tart:\n`,
    /:3:3: fleet\.tart must be a group of fields, not empty$/,
  ],
  [
    'a field that is missing',
    `${NAMED}fleet:\n  tart: { version: 2.32.1 }\n`,
    /:3:11: fleet\.tart\.archive is missing$|:3:3: fleet\.tart\.archive is missing$/,
  ],
  [
    'a file that is not there',
    `${NAMED}fleet:\n  tart: { version: 2.32.1, archive: trat.tar.gz }\n`,
    /fleet\.tart\.archive cannot be read from trat\.tar\.gz: no such file$/,
  ],
  [
    'a folder in place of a file',
    `${NAMED}fleet:\n  tart: { version: 2.32.1, archive: a-folder }\n`,
    /a-folder: is a directory$/,
  ],
  [
    'a secret without a content',
    'host: { name: mini-01, passwordFile: empty }\n',
    /:1:24: host\.passwordFile cannot be read from empty: the input contains no password$/,
  ],
  [
    'a secret written into the file',
    'host: { name: mini-01, password: hunter2 }\n',
    /host\.password is not a field; valid fields: name, user, passwordFile,/,
  ],
  [
    'a builder without the URL of its runner',
    `${NAMED}fleet:\n  builder: ${BUILDER}\n`,
    /fleet\.builder\.runner\.url is missing; set it to https:\/\/github\.com\/<organization>$/,
  ],
  [
    'Command Line Tools in place of an Xcode',
    `${NAMED}fleet:\n  builder: ${BUILDER.replace('/Applications/Xcode.app/Contents/Developer', '/Library/Developer/CommandLineTools')}\n`,
    /developerDirectory must be a folder such as \/Applications\/Xcode\.app\/Contents\/Developer/,
  ],
  ['no name', 'host: { user: m1 }\n', /:1:1: host\.name is missing; set it or pass --name$/],
  ['two fields of one name', 'host: { name: a }\nhost: { name: b }\n', /:2:1: Map keys must be unique$/],
  ['a tab', 'host:\n\tname: mini-01\n', /:2:1: Tabs are not allowed as indentation$/],
  ['an alias of nothing', 'host: *nobody\n', /:1:1: Unresolved alias/],
  ['a list in place of a spec', '- a\n', /:1:1: the file must be a group of fields, not a list$/],
];

test('a fleet file is the part of a spec file that is the same for every host', async () => {
  const file = put('fleet.yaml', 'tart: { version: 2.32.1, archive: tart.tar.gz }\nlocalNetwork: false\n');
  const fleet = await readFleetFile(file);
  assert.equal(fleet.tart?.version, '2.32.1');
  assert.equal(fleet.localNetwork, false);
  await assert.rejects(readFleetFile(put('fleet.yaml', 'fleet: {}\n')), /fleet\.yaml:1:1: fleet is not a field/);
});

describe('a spec file that is wrong', () => {
  for (const [what, text, words] of WRONG) {
    test(`${what} is named with its line`, async () => {
      await assert.rejects(read(text), (error: Error) => {
        assert.ok(error instanceof SpecFileError);
        assert.match(error.message, words);
        return true;
      });
    });
  }

  test('all problems of a spec file are reported together', async () => {
    const text = 'fleet:\n  tarts: 1\n  maxPods: 2\nhost:\n  name: 7\n';
    await assert.rejects(read(text), (error: Error) => {
      assert.equal(error.message.split('\n').length, 3);
      return true;
    });
  });

  test('the value of an unknown secret field is not repeated', async () => {
    await assert.rejects(read('host: { name: mini-01, password: hunter2 }\n'), (error: Error) => {
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    });
  });

  test('a missing spec file is reported with its path', async () => {
    await assert.rejects(readSpecFile(join(folder, 'none.yaml'), defaults), /none\.yaml: no such file/);
  });
});
