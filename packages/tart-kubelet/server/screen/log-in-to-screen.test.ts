import assert from 'node:assert/strict';
import { type Duplex, duplexPair } from 'node:stream';
import { test } from 'node:test';
import { logInToScreen } from './log-in-to-screen.ts';
import { answerChallenge, readBytes, uint32 } from './rfb.ts';

const PASSWORD = 'candle-ember';
const challenge = Buffer.from('a challenge of16');
const words = (text: string): Buffer => Buffer.concat([uint32(text.length), Buffer.from(text)]);

/** Messages of a server, and the expected replies in between, in order. */
type Script = readonly (readonly ['says' | 'hears', string | Buffer])[];

async function play(io: Duplex, script: Script): Promise<void> {
  for (const [what, bytes] of script) {
    if (what === 'says') io.write(bytes);
    else assert.deepEqual(await readBytes(io, bytes.length), Buffer.from(bytes));
  }
}

/** Resolves with what the viewer finds next on the line: ServerInit would be there. */
async function logIn(script: Script): Promise<string> {
  const [agent, server] = duplexPair();
  await Promise.all([logInToScreen(agent, PASSWORD), play(server, [...script, ['says', 'init']])]);
  return (await readBytes(agent, 4)).toString();
}

const answered: Script = [
  ['says', challenge],
  ['hears', answerChallenge(PASSWORD, challenge)],
];

test('screen login with RFB 3.3 answers the password challenge', async () => {
  const script: Script = [
    ['says', 'RFB 003.003\n'],
    ['hears', 'RFB 003.003\n'],
    ['says', uint32(2)],
    ...answered,
    ['says', uint32(0)],
  ];
  assert.equal(await logIn(script), 'init');
});

test('screen login with RFB 3.7, 3.8 and Apple’s 3.889 prefers the password to no authentication', async () => {
  for (const [sent, spoken] of [
    ['003.007', '003.007'],
    ['003.008', '003.008'],
    ['003.889', '003.008'],
  ] as const) {
    const script: Script = [
      ['says', `RFB ${sent}\n`],
      ['hears', `RFB ${spoken}\n`],
      ['says', Buffer.from([3, 30, 1, 2])],
      ['hears', Buffer.from([2])],
      ...answered,
      ['says', uint32(0)],
    ];
    assert.equal(await logIn(script), 'init', sent);
  }
});

test('screen login accepts a server without authentication, and only RFB 3.8 sends a result', async () => {
  const open = (version: string): Script => [
    ['says', `RFB ${version}\n`],
    ['hears', `RFB ${version}\n`],
  ];
  assert.equal(await logIn([...open('003.003'), ['says', uint32(1)]]), 'init');
  const chosen: Script = [
    ['says', Buffer.from([1, 1])],
    ['hears', Buffer.from([1])],
  ];
  assert.equal(await logIn([...open('003.007'), ...chosen]), 'init');
  assert.equal(await logIn([...open('003.008'), ...chosen, ['says', uint32(0)]]), 'init');
});

const refusals: readonly (readonly [string, RegExp, Script])[] = [
  ['a server without RFB', /it sent "HTTP\/1\.1 400" instead of its RFB version/, [['says', 'HTTP/1.1 400']]],
  [
    'a rejected RFB 3.3 connection with the server’s message',
    /^Error: too many viewers$/,
    [
      ['says', 'RFB 003.003\n'],
      ['says', uint32(0)],
      ['says', words('too many viewers')],
    ],
  ],
  [
    'a rejected RFB 3.8 connection with the server’s message',
    /^Error: too many viewers\\u001b$/,
    [
      ['says', 'RFB 003.008\n'],
      ['says', Buffer.from([0])],
      ['says', words('too many viewers\x1b')],
    ],
  ],
  [
    'unsupported security types',
    /it offers only security types 30, 33; 1 and 2 are supported/,
    [
      ['says', 'RFB 003.889\n'],
      ['says', Buffer.from([2, 30, 33])],
    ],
  ],
  [
    'a rejected password in RFB 3.7',
    /^Error: password rejected$/,
    [
      ['says', 'RFB 003.007\n'],
      ['says', Buffer.from([1, 2])],
      ['says', challenge],
      ['says', uint32(1)],
    ],
  ],
  [
    'a rejected password without a message in RFB 3.8',
    /^Error: no reason given$/,
    [
      ['says', 'RFB 003.008\n'],
      ['says', Buffer.from([1, 2])],
      ['says', challenge],
      ['says', uint32(1)],
      ['says', words('')],
    ],
  ],
];

for (const [what, why, script] of refusals) {
  test(`screen login reports ${what}`, async () => {
    const [agent, server] = duplexPair();
    await play(server, script);
    await assert.rejects(logInToScreen(agent, PASSWORD), why);
  });
}
