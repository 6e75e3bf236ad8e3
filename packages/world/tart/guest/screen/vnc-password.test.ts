import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectedAnswer } from './serve-screen.ts';

test('the VNC challenge response matches a pair published with John the Ripper', () => {
  const challenge = Buffer.from('84076f040550eea9341967633b5f3855', 'hex');
  assert.equal(expectedAnswer('pass1234', challenge).toString('hex'), 'dd96d21781a70da49443279975404dd0');
});
