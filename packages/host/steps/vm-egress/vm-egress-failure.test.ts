import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from '@minifleet/clock';
import type { FaultRule } from '@minifleet/world';
import { planStep } from '../../engine/step.ts';
import { type TestHost, testHost } from '../../testing/index.ts';
import { BLOCK } from './pf-conf.ts';
import { breaches, filtered, install, pfOf, read, STANZA, takeOff, WANT, write } from './testing/egress-host.ts';
import { vmEgress } from './vm-egress.ts';

/** All files this step may touch, and what the kernel holds. */
const stateOf = (given: TestHost): unknown => ({
  files: ['/etc', '/etc/pf.anchors', '/usr/local/bin', '/Library/LaunchDaemons', '/var/run'].map(folder =>
    given.mac.files.exists(given.root, folder) ? given.mac.files.list(given.root, folder).filter(isWhole) : undefined,
  ),
  conf: read(given, '/etc/pf.conf'),
  enabled: pfOf(given.mac).enabled,
  anchors: [...pfOf(given.mac).rulesets.keys()],
});

/** A part that found no space is swept by the next write. */
const isWhole = (name: string): boolean => !name.includes('.minifleet-part.');

const failing = (detail: RegExp, message: string): FaultRule => ({
  kind: 'file write',
  detail,
  fault: { type: 'fail', code: 1, message },
});

test('invalid egress settings change no host', async () => {
  const given = testHost();
  const before = stateOf(given);
  const want = { ...WANT, blocked: { v4: ['10.0.0.0/40'], v6: [] } };
  await assert.rejects(install(given, want), { code: 'HOST_EGRESS_INVALID' });
  assert.deepEqual(stateOf(given), before);
  assert.equal(given.transport.roundTrips, 0);
});

test('an invalid foreign line in pf.conf is reported with its number, and the host is unchanged', async () => {
  for (const broken of ['blok all\n', 'pass all\nnat on en0 from any to any -> (en0)\n']) {
    const given = testHost();
    write(given, '/etc/pf.conf', `${STANZA}${read(given, '/etc/pf.conf')}${broken}${BLOCK}`);
    const before = stateOf(given);
    const attempt = install(given);
    await assert.rejects(attempt, {
      code: 'HOST_PF_CONF_INVALID',
      retry: 'operator',
      message:
        /rejects \/etc\/pf\.conf \(line (30|31), `(blok all|nat on .*)`: (syntax error|Rules must be in order.*)\); repair/,
    });
    assert.deepEqual(stateOf(given), before);
  }
});

test('a pf.conf broken on a converged host is reported, and guests stay filtered', async () => {
  const given = testHost();
  await install(given);
  write(given, '/etc/pf.conf', `blok all\n${read(given, '/etc/pf.conf')}`);
  assert.deepEqual(await planStep(vmEgress, WANT).inspect(given.host), {
    state: 'drift',
    differences: ['pf rejects /etc/pf.conf: /etc/pf.conf:1: syntax error'],
  });
  await assert.rejects(install(given), { code: 'HOST_PF_CONF_INVALID', message: /line 1, `blok all`: syntax error/ });
  await assert.rejects(takeOff(given), { code: 'HOST_PF_CONF_INVALID' });
  assert.deepEqual(breaches(given), []);
});

test('a full disk leaves the egress firewall unchanged', async () => {
  const given = testHost();
  const before = stateOf(given);
  given.faults.add(failing(/pf\.anchors/, 'ENOSPC'));
  await assert.rejects(install(given), { code: 'HOST_DISK_FULL' });
  assert.deepEqual(stateOf(given), before);
  given.faults.clear();
  given.faults.add(failing(/var\/run/, 'ENOSPC'));
  await assert.rejects(install(given), { code: 'HOST_DISK_FULL' });
  assert.deepEqual(breaches(given), [], 'a reference too many is better than a filter that is off');
  given.faults.clear();
  assert.deepEqual((await install(given)).after, { state: 'current' });
});

test('a read-only pf.conf is an error, guests are filtered, and the next run resumes', async () => {
  const given = testHost();
  const conf = read(given, '/etc/pf.conf');
  given.faults.add(failing(/\/etc\/pf\.conf/, 'EPERM'));
  await assert.rejects(install(given), { code: 'HOST_FILE_READ_ONLY', message: /\/etc\/pf\.conf/ });
  assert.equal(read(given, '/etc/pf.conf'), conf);
  assert.equal(filtered(given), true);
  given.faults.clear();
  assert.deepEqual((await install(given)).after, { state: 'current' });
});

test('a pf.conf changed between read and write is not overwritten', async () => {
  const given = testHost();
  const check = { kind: 'process', detail: /pfctl -nf -$/ } as const;
  given.faults.add({ ...check, fault: { type: 'delay', by: seconds(5) }, times: 2 });
  const attempt = install(given);
  const theirs = `${read(given, '/etc/pf.conf')}# theirs\n`;
  given.clock.after(seconds(3), () => write(given, '/etc/pf.conf', theirs));
  await assert.rejects(attempt, { code: 'HOST_FILE_CHANGED' });
  assert.equal(read(given, '/etc/pf.conf'), theirs);
  given.faults.clear();
  assert.deepEqual((await install(given)).after, { state: 'current' });
  assert.equal(read(given, '/etc/pf.conf'), theirs + BLOCK);
});

test('rules that pf rejects are reported with its message, and the loaded rules stay', async () => {
  const given = testHost();
  await install(given);
  const busy = { type: 'fail', code: 1, message: 'pfctl: DIOCXBEGIN: Resource busy' } as const;
  given.faults.add({ kind: 'process', detail: /pfctl -a com\.apple\/tuist\.runners -f/, fault: busy });
  const narrower = { ...WANT, allow: [] };
  await assert.rejects(install(given, narrower), {
    code: 'HOST_PF_RULES_REFUSED',
    message: /DIOCXBEGIN: Resource busy\); the loaded rules stay/,
  });
  assert.deepEqual(breaches(given), []);
});

test('a job rejected by launchd is an error, and guests are filtered', async () => {
  const given = testHost();
  const refuses = { type: 'fail', code: 5, message: 'Bootstrap failed: 5: Input/output error' } as const;
  given.faults.add({ kind: 'process', detail: /^launchctl bootstrap/, fault: refuses });
  await assert.rejects(install(given), {
    code: 'HOST_JOB_REFUSED',
    message: /launchd rejected dev\.tuist.*Input\/output/,
  });
  assert.deepEqual(breaches(given), []);
  given.faults.clear();
  assert.deepEqual((await install(given)).after, { state: 'current' });
});
