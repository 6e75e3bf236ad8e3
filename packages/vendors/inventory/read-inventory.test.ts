import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemWords } from './inventory-problem.ts';
import { readInventory } from './read-inventory.ts';

const GOOD = `
# the shelf in the cellar
- name: mini-01
  zone: de-ber-1
  address: Mini-01.example.org
  user: admin
  type: M2-L
  os: macos-golden-gate-27.0

- id: 8F14E45F-CEEA-467F-A0E6-2B1C9D3F7A11
  name: mini-02
  zone: de-ber-1
  address: 10.0.0.12
  port: 2222
  user: admin
  type: M4-S
  os: macos-tahoe-26.7-beta
`;

test('inventory hosts are parsed with id, zone, address, port and image', () => {
  const { hosts, problems } = readInventory(GOOD);
  assert.deepEqual(problems, []);
  assert.deepEqual(hosts[1], {
    id: '8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11',
    name: 'mini-02',
    zone: 'de-ber-1',
    address: '10.0.0.12',
    sshPort: 2222,
    user: 'admin',
    type: 'M4-S',
    image: { name: 'macos-tahoe-26.7-beta', family: 'Tahoe', version: '26.7-beta', beta: true },
    state: 'ready',
    stateWord: 'in the inventory',
  });
  assert.deepEqual(hosts[0]?.image, {
    name: 'macos-golden-gate-27.0',
    family: 'Golden Gate',
    version: '27.0',
    beta: false,
  });
});

test('an inventory host without an id gets a stable one derived from its address', () => {
  assert.equal(readInventory(GOOD).hosts[0]?.id, '60110087-cba5-5e34-9f48-00a0b7065c61');
  const moved = readInventory(GOOD.replace('name: mini-01', 'name: other').replace('Mini-01.ex', 'mini-01.ex'));
  assert.equal(moved.hosts[0]?.id, readInventory(GOOD).hosts[0]?.id);
  const elsewhere = readInventory(GOOD.replace('user: admin', 'port: 2022\n  user: admin'));
  assert.notEqual(elsewhere.hosts[0]?.id, readInventory(GOOD).hosts[0]?.id);
});

const problems: readonly [sentence: string, from: string, to: string, words: RegExp][] = [
  ['a missing field', '  user: admin\n', '', /^line 3: mini-01: user is missing; write the account to log in with/],
  ['a region', 'zone: de-ber-1', 'zone: de-ber', /^line 3: mini-01: zone is "de-ber"; write a zone such as fr-par-1/],
  ['an address with a port', 'Mini-01.example.org', 'mini 01:22', /address is "mini 01:22"; write the IP address/],
  ['a name that YAML takes for a number', 'name: mini-01', 'name: 7', /^line 3: host 1: name is 7; write .* in quotes/],
  ['a port out of range', 'port: 2222', 'port: 99999', /^line 10: mini-02: port is 99999; write the SSH port/],
  ['an id that is none', '8F14E45F', 'mini', /^line 10: mini-02: id is "mini-CEEA.*; write a UUID \(default: derived/],
  [
    'a family for an image',
    'macos-golden-gate-27.0',
    'Tahoe',
    /os is "Tahoe"; write the macOS image of the Mac, such as macos-/,
  ],
  [
    'a mistyped field',
    '  type: M2-L',
    '  type: M2-L\n  tpye: x',
    /tpye is not a field of a host; valid fields: name, zone/,
  ],
  ['a host that is none', '\n- id', '\n- mini-03\n- id', /^line 10: host 2: not a host; write its fields/],
];

for (const [sentence, from, to, words] of problems) {
  test(`${sentence} in the inventory is reported with its line and a hint; the other host stays valid`, () => {
    const reading = readInventory(GOOD.replace(from, to));
    assert.match(problemWords(reading.problems), words);
    assert.equal(reading.hosts.length, sentence === 'a host that is none' ? 2 : 1);
  });
}

test('a password in the inventory is reported without its value', () => {
  const { problems: found } = readInventory(GOOD.replace('user: admin', 'user: admin\n  password: hunter2'));
  assert.match(problemWords(found), /password does not belong in the inventory/);
  assert.doesNotMatch(problemWords(found), /hunter2/);
});

for (const [what, changed] of [
  ['id', GOOD.replace('- name: mini-01', '- id: 8f14e45f-ceea-467f-a0e6-2b1c9d3f7a11\n  name: mini-01')],
  ['address', GOOD.replace('10.0.0.12\n  port: 2222', 'mini-01.example.org')],
] as const) {
  test(`of two inventory entries with one ${what} the second is omitted with a problem`, () => {
    const { hosts, problems: found } = readInventory(changed);
    assert.deepEqual(
      hosts.map(({ name }) => name),
      ['mini-01'],
    );
    assert.match(problemWords(found), /mini-02: same Mac as mini-01; remove one of the two entries/);
  });
}

for (const empty of ['', '\n# nothing yet\n', 'null', '[]']) {
  test(`the text ${JSON.stringify(empty)} is an empty inventory`, () => {
    assert.deepEqual(readInventory(empty), { hosts: [], problems: [] });
  });
}

for (const text of ['hosts:\n  - name: x\n', 'mini-01', '- [unclosed', '- a: *nobody\n', '- a: 1\n  a: 2\n']) {
  test(`the invalid inventory ${JSON.stringify(text)} has a problem with a line, and no hosts`, () => {
    const { hosts, problems: found } = readInventory(text);
    assert.deepEqual(hosts, []);
    assert.ok(found.length > 0 && found.every(({ line }) => line >= 1));
  });
}
