import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeSession } from './gui-session.ts';

/** `<sealed>` and `secret` as macOS writes them to /etc/kcpassword. */
const sealed = Buffer.from('41fa3742bed9b9d4a3b91f', 'hex');
const kept = Buffer.from('0eec3141b7c8ddeaa3b91f', 'hex');
const state = { user: 'm1', content: kept, info: undefined, session: false, loginWindowRuns: true };

test('an active GUI session is SessionActive, whatever the stored password is', () => {
  const { finding, repairable } = judgeSession({ ...state, session: true, content: sealed, user: undefined }, 'm1');
  assert.deepEqual([finding.status, finding.reason, repairable], ['True', 'SessionActive', false]);
});

test('a missing GUI session is repairable only with a stored password of the auto-login user', () => {
  const cases = [
    [state, 'NoSession', true],
    [{ ...state, loginWindowRuns: false }, 'NoSession', true],
    [{ ...state, content: sealed }, 'PasswordSealed', false],
    [{ ...state, content: undefined }, 'PasswordMissing', false],
    [{ ...state, user: undefined }, 'AutoLoginOff', false],
    [{ ...state, user: 'admin' }, 'AutoLoginOff', false],
  ] as const;
  for (const [given, reason, repairable] of cases) {
    const verdict = judgeSession(given, 'm1');
    assert.deepEqual(
      [verdict.finding.status, verdict.finding.reason, verdict.repairable],
      ['False', reason, repairable],
    );
  }
});
