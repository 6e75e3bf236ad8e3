import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerChallenge } from './rfb.ts';

const challenge = Buffer.from('84076f040550eea9341967633b5f3855', 'hex');
const answer = (password: string): string => answerChallenge(password, challenge).toString('hex');

test('a VNC challenge is answered as in a test vector of John the Ripper', () => {
  assert.equal(answer('pass1234'), 'dd96d21781a70da49443279975404dd0');
});

test('only the first eight characters of a VNC password count', () => {
  assert.equal(answer('pass1234-and-more-words'), answer('pass1234'));
  assert.notEqual(answer('pass123'), answer('pass1234'));
});
