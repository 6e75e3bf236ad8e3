import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { createRedactor, secretsIn } from './redactor.ts';
import { Secret } from './secret.ts';

const PASSWORD = `correct 'horse' & "battery" $taple <ü> 100%`;
const bytes = Buffer.from(PASSWORD);

const FORMS: Readonly<Record<string, string>> = {
  'as it is': PASSWORD,
  'at the end of a line': `${PASSWORD}\n`,
  'in JSON': JSON.stringify({ password: PASSWORD }),
  'in JSON inside JSON': JSON.stringify(JSON.stringify(bytes.toString('base64'))),
  'in a URL': encodeURIComponent(PASSWORD),
  'in a form': new URLSearchParams({ password: PASSWORD }).toString(),
  'in single quotes of a shell': PASSWORD.replaceAll("'", `'\\''`),
  'in double quotes of a shell': PASSWORD.replace(/["$`\\]/g, '\\$&'),
  'by printf %q': PASSWORD.replace(/[^\w@%+=:,./-]/g, '\\$&'),
  'in XML': PASSWORD.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  'in Base64': bytes.toString('base64'),
  'in Base64 with a line end': Buffer.from(`${PASSWORD}\n`).toString('base64'),
  'in Base64 for URLs': bytes.toString('base64url'),
  'in Base64 after a user name': Buffer.from(`m1:${PASSWORD}`).toString('base64'),
  'in Base64 in the middle of a file': Buffer.from(`user: m\npassword: ${PASSWORD}\nmore: text\n`).toString('base64'),
  'in hexadecimal': bytes.toString('hex'),
  'in capital hexadecimal': bytes.toString('hex').toUpperCase(),
  'in a hex dump': (bytes.toString('hex').match(/../g) ?? []).join(' '),
  'as Latin-1': bytes.toString('latin1'),
};

for (const [way, text] of Object.entries(FORMS)) {
  test(`a password is taken out ${way}`, () => {
    const clean = createRedactor([new Secret('sudo password', PASSWORD)]).redact(`before ${text} after`);
    assert.match(clean, /^before .*\[sudo password\].* after$/s);
    for (const word of ['horse', 'battery', 'taple', 'aG9yc2', 'hvcnNl', 'b3JzZ', '686f727365']) {
      assert.ok(!clean.toLowerCase().includes(word.toLowerCase()), `${word} is left in ${clean}`);
    }
  });
}

test('what is no secret stays as it is', () => {
  const text = 'nothing to see: pfctl -a tuist.runners -sr';
  assert.equal(createRedactor([new Secret('sudo password', PASSWORD)]).redact(text), text);
});

test('a secret within a secret goes with it, and alone by its own name', () => {
  const token = new Secret('token', 'abcdef0123456789');
  const kubeconfig = new Secret('kubeconfig', 'apiVersion: v1\nusers:\n- token: abcdef0123456789\n');
  for (const secrets of [
    [token, kubeconfig],
    [kubeconfig, token],
  ]) {
    const redactor = createRedactor(secrets);
    assert.equal(redactor.redact('got abcdef0123456789!'), 'got [token]!');
    assert.equal(redactor.redact(`<${kubeconfig.reveal().toString()}>`), '<[kubeconfig]>');
  }
});

test('secrets that overlap leave nothing of either', () => {
  const redactor = createRedactor([new Secret('one', 'abcdefgh'), new Secret('two', 'efghijkl')]);
  assert.equal(redactor.redact('<abcdefghijkl>'), '<[one]>');
});

test('a secret that occurs in the name of another secret is not replaced there', () => {
  const redactor = createRedactor([new Secret('sudo password', 'first-one'), new Secret('other', 'password')]);
  assert.equal(redactor.redact('first-one and password'), '[sudo password] and [other]');
});

test('single lines of a long secret are secret, short ones are ordinary words', () => {
  const body = randomBytes(48).toString('base64');
  const redactor = createRedactor([new Secret('key', `-----BEGIN KEY-----\n${body}\nkind: Config\n`)]);
  assert.equal(redactor.redact(`bad line: ${body}`), 'bad line: [key]');
  assert.equal(redactor.redact('kind: Config'), 'kind: Config');
});

test('a long secret in Base64 with line breaks is taken out line by line', () => {
  const secret = randomBytes(300);
  const wrapped = secret.toString('base64').replace(/.{76}/g, '$&\n');
  const clean = createRedactor([new Secret('archive', secret)]).redact(wrapped);
  for (const line of wrapped.split('\n').filter(({ length }) => length === 76)) assert.ok(!clean.includes(line));
});

test('too short a secret is left: it would tear holes into ordinary words', () => {
  const redactor = createRedactor([new Secret('pin', 'abc'), new Secret('empty', '')]);
  assert.equal(redactor.redact('abc YWJj 616263 is the alphabet'), 'abc YWJj 616263 is the alphabet');
});

test('bytes that are no text are found in every way they may be shown', () => {
  // What /etc/kcpassword holds: the password under a fixed mask.
  const kcpassword = Buffer.from([0x1e, 0xe6, 0x3f, 0x4c, 0xbd, 0xd2, 0xe1, 0xf5, 0xa3, 0x9b, 0x7d, 0x89]);
  const redactor = createRedactor([new Secret('kcpassword', kcpassword)]);
  for (const encoding of ['latin1', 'utf8', 'hex', 'base64', 'base64url'] as const) {
    assert.equal(redactor.redact(`>${kcpassword.toString(encoding)}<`), '>[kcpassword]<', encoding);
  }
});

test('what is learnt later counts from then on', () => {
  const redactor = createRedactor();
  assert.equal(redactor.redact('token-1234'), 'token-1234');
  redactor.learn(new Secret('token', 'token-1234'));
  assert.equal(redactor.redact('token-1234'), '[token]');
});

test('secrets are found however deep they lie in a plain value', () => {
  const secrets = [new Secret('a', 'one1'), new Secret('b', 'two2'), new Secret('c', 'three3')];
  assert.deepEqual(secretsIn({ list: [secrets[0], { deep: secrets[1] }], direct: secrets[2], none: null }), secrets);
});

test('a secret does not show itself, whatever prints it', () => {
  const secret = new Secret('sudo password', PASSWORD);
  const shown = [
    String(secret),
    ['a', secret].join(),
    JSON.stringify({ secret }),
    inspect(secret, { showHidden: true, depth: 9 }),
    inspect({ nested: { secret } }, { depth: 9 }),
    Object.values(secret).join(),
    JSON.stringify(structuredClone(secret)),
    inspect(new Error('failed', { cause: secret })),
  ];
  for (const text of shown) assert.ok(!text.includes('horse'), text);
  assert.equal(secret.reveal().toString(), PASSWORD);
});

test('a secret keeps its own copy of the bytes it was made from', () => {
  const given = Buffer.from('correct horse');
  const secret = new Secret('password', given);
  given.fill(0);
  assert.equal(secret.reveal().toString(), 'correct horse');
});

test('what a kubeconfig keeps under a telling name is taken out by itself, a key also as it reads decoded', () => {
  const key = `-----BEGIN EC PRIVATE KEY-----\n${'k3y'.repeat(12)}\n-----END EC PRIVATE KEY-----\n`;
  const data = Buffer.from(key).toString('base64');
  const text = `server: https://203.0.113.7:6443\nusers:\n- user:\n    token: "0123-abcd"\n    client-key-data: ${data}\n`;
  const redactor = createRedactor([new Secret('kubeconfig', text)]);
  const redact = (said: string): string => redactor.redact(said);
  assert.equal(redact('token 0123-abcd is not known'), 'token [kubeconfig] is not known');
  assert.equal(redact(`cannot parse ${data}`), 'cannot parse [kubeconfig]');
  assert.equal(redact(`cannot parse ${'k3y'.repeat(12)}`), 'cannot parse [kubeconfig]');
  assert.equal(redact('cannot reach https://203.0.113.7:6443'), 'cannot reach https://203.0.113.7:6443');
});

test('a redactor with a limit forgets the secret that was learnt first, never those given at creation', () => {
  const redactor = createRedactor([new Secret('key', 'vendor-key-0')], { keep: 2 });
  for (const number of [1, 2]) redactor.learn(new Secret(`token ${number}`, `token-value-${number}`));
  redactor.learn(new Secret('token 1', 'token-value-1'));
  redactor.learn(new Secret('token 3', 'token-value-3'));
  assert.equal(
    redactor.redact('vendor-key-0 token-value-1 token-value-2 token-value-3'),
    '[key] [token 1] token-value-2 [token 3]',
  );
});
