import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Decision, decideHostWork, type Situation } from './decide-host-work.ts';
import { failing, fresh, kept, LATER, NOW, outdated, PAST, step } from './testing/situations.ts';

/** One row: the situation, and what is done about it. */
type Row = readonly [string, Situation, Decision['do'], object?];

const tables: Readonly<Record<string, readonly Row[]>> = {
  'a job of this process comes before everything else': [
    ['is waited for in the queue', { ...fresh, job: 'queued' }, 'wait for the job'],
    ['is waited for while it runs', { ...kept, job: 'running', steps: [failing('tart', 9, PAST)] }, 'wait for the job'],
    ['is recorded when it has ended', { ...fresh, job: 'ended' }, 'record the job'],
  ],
  'a host that never was as wanted': [
    ['is bootstrapped', fresh, 'bootstrap'],
    ['is left alone while the vendor is at it', { ...fresh, server: 'busy' }, 'wait for the vendor'],
    ['is left alone when only the vendor can help', { ...fresh, server: 'broken' }, 'wait for the vendor'],
    ['goes on when the process before died under the run', { ...fresh, runTold: true }, 'bootstrap'],
    [
      'waits for the time of its next try, whatever woke us',
      { ...fresh, steps: [failing('tart', 1, LATER)] },
      'wait for the next try',
      { at: NOW + 60_000 },
    ],
    ['is tried again when that time has come', { ...fresh, steps: [failing('tart', 1, PAST)] }, 'bootstrap'],
    [
      'waits for whoever answers no more, though an older failure was due',
      { ...fresh, steps: [failing('tart', 1, PAST), failing('(host)', 1, LATER)] },
      'wait for the next try',
      { at: NOW + 60_000 },
    ],
    [
      'stays failed when only a person helps and nobody looks again',
      { ...fresh, steps: [failing('sudo', 1)] },
      'wait for the next try',
      { at: undefined },
    ],
    ['never waits for a turn: it serves nobody', { ...fresh, permission: { go: false, why: 'x' } }, 'bootstrap'],
  ],
  'a host that never was as wanted and keeps failing': [
    ['is to be restarted', { ...fresh, steps: [failing('tart', 3, LATER)] }, 'announce a restart'],
    ['also when nobody answers', { ...fresh, steps: [failing('(host)', 3, LATER)] }, 'announce a restart'],
    [
      'is restarted once that is written',
      { ...fresh, steps: [failing('tart', 3, LATER), step('(restart)')] },
      'restart',
    ],
    [
      'is restarted once only',
      { ...fresh, steps: [failing('tart', 5, LATER), step('(restart)', { state: 'Done', attempts: 3 })] },
      'wait for the next try',
      { at: NOW + 60_000 },
    ],
    [
      'is to be restarted after another failure when the vendor refused',
      { ...fresh, steps: [failing('tart', 4, LATER), step('(restart)', { state: 'Failed', attempts: 3 })] },
      'announce a restart',
    ],
    [
      'is only tried again where the vendor restarts nothing',
      { ...fresh, canRestart: false, steps: [failing('tart', 4, PAST)] },
      'bootstrap',
    ],
    [
      'is to be installed anew when it refuses our key',
      { ...fresh, steps: [failing('(host)', 1, undefined, { reason: 'HostKeyRefused' })] },
      'announce a wipe',
    ],
    [
      'is left as it is, however often it refuses our key, when it had let us in before',
      { ...fresh, letIn: true, steps: [failing('(host)', 9, LATER, { reason: 'HostKeyRefused' })] },
      'wait for the next try',
      { at: NOW + 60_000 },
    ],
    ['is installed anew once that is written', { ...fresh, steps: [step('(wipe)')] }, 'wipe'],
    ['is given up in the end', { ...fresh, steps: [failing('tart', 8, LATER)] }, 'announce giving up'],
    ['is given up once that is written', { ...fresh, steps: [step('(giving-up)')] }, 'give up'],
    [
      'is neither restarted nor given up where both are off',
      { ...fresh, settings: { rebootAfter: 0, giveUpAfter: 0 }, steps: [failing('tart', 99, LATER)] },
      'wait for the next try',
      { at: NOW + 60_000 },
    ],
    [
      'is not given up for what is no fault of its own',
      { ...fresh, steps: [failing('(host)', 99, LATER, { reason: 'HostIdentityChanged' })] },
      'wait for the next try',
      { at: NOW + 60_000 },
    ],
    [
      'is never given up or restarted once it has a Node: the status may have been lost in a move',
      { ...fresh, joined: true, steps: [failing('tart', 99, LATER)] },
      'wait for the next try',
      { at: NOW + 60_000 },
    ],
    [
      'is never given up or restarted once it served in the cluster it was moved from',
      { ...fresh, served: true, steps: [failing('(host)', 99, LATER)] },
      'wait for the next try',
      { at: NOW + 60_000 },
    ],
    [
      'is never given up or restarted once it served, Node or not',
      { ...outdated, joined: false, steps: [failing('tart', 99, LATER)] },
      'wait for the next try',
      { at: NOW + 60_000 },
    ],
  ],
  'a host that serves and of which another plan is wanted': [
    ['is rolled when it is its turn', outdated, 'roll'],
    [
      'waits for its turn otherwise',
      { ...outdated, permission: { go: false, why: 'mini-01 goes first' } },
      'wait for its turn',
      { why: 'mini-01 goes first' },
    ],
    [
      'asks for its turn after a move, too',
      { ...fresh, joined: true, permission: { go: false, why: 'x' } },
      'wait for its turn',
    ],
    [
      'goes on without asking when the process before died under the roll',
      { ...outdated, runTold: true, permission: { go: false, why: 'x' } },
      'roll',
    ],
    [
      'waits for its guests with what was held back',
      { ...outdated, guests: 1, steps: [step('tart', { reason: 'HeldBack' })] },
      'wait for guests to go',
      { steps: ['tart'] },
    ],
    [
      'waits for a bake, whatever else it waits for',
      { ...outdated, guests: 1, bake: 'its runner is running a job', steps: [step('tart', { reason: 'HeldBack' })] },
      'wait for its turn',
      { why: 'its runner is running a job' },
    ],
    ['is rolled again when they are gone', { ...outdated, steps: [step('tart', { reason: 'HeldBack' })] }, 'roll'],
    [
      'is not tried again at once when the host saw one still',
      { ...outdated, steps: [step('tart', { reason: 'HeldBack', nextAttemptTime: LATER })] },
      'wait for guests to go',
      { steps: ['tart'] },
    ],
    [
      'I32 stays failed with the plan that failed',
      { ...outdated, plan: { applied: 'w1-old', failed: 'w2-new' }, steps: [failing('agent-job', 1, LATER)] },
      'wait for the next try',
    ],
    [
      'tries the failed plan again after a while',
      { ...outdated, plan: { applied: 'w1-old', failed: 'w2-new' }, steps: [failing('agent-job', 1, PAST)] },
      'roll',
    ],
  ],
  'a host that is as wanted': [
    ['is left alone', kept, 'nothing', { until: NOW + 1_000 }],
    ['I37 is left alone when its Node is gone', { ...kept, joined: false }, 'nothing'],
    ['is looked at every now and then', { ...kept, inspectAt: NOW }, 'inspect'],
    ['is never looked at where that is off', { ...kept, inspectAt: undefined }, 'nothing', { until: undefined }],
    ['is looked at again when it could not be reached', { ...kept, steps: [failing('(host)', 9, PAST)] }, 'inspect'],
    [
      'is mended where it drifted, and nowhere else',
      { ...kept, steps: [step('tart', { state: 'Done' }), step('vm-egress', { reason: 'DriftFound' })] },
      'repair',
      { only: ['vm-egress'] },
    ],
    [
      'is gone through as a whole when mending alone did not help',
      { ...kept, steps: [failing('agent-job', 3, PAST)] },
      'repair',
      { only: undefined },
    ],
    [
      'is mended as a whole when the process before died under the repair',
      { ...kept, runTold: true },
      'repair',
      { only: undefined },
    ],
    [
      'keeps what would disturb a guest for later',
      { ...kept, guests: 2, steps: [step('tart', { reason: 'HeldBack' })] },
      'wait for guests to go',
    ],
    [
      'is mended when its guests are gone',
      { ...kept, steps: [step('tart', { reason: 'HeldBack' })] },
      'repair',
      { only: ['tart'] },
    ],
    [
      'is mended during a bake, and each step sees for itself what it may do',
      { ...kept, guests: 1, bake: 'its runner is running a job', steps: [step('vm-egress', { reason: 'DriftFound' })] },
      'repair',
      { only: ['vm-egress'] },
    ],
    [
      'waits with a boot while it may get guests',
      { ...kept, steps: [step('local-network', { reason: 'RebootPending' })] },
      'nothing',
    ],
    [
      'boots when it cannot get any',
      { ...kept, mayBoot: true, steps: [step('local-network', { reason: 'RebootPending' })] },
      'repair',
      { only: ['local-network'], boots: true },
    ],
  ],
};

for (const [title, rows] of Object.entries(tables)) {
  describe(title, () => {
    for (const [name, seen, expected, details] of rows) {
      test(name, () => {
        const decision = decideHostWork(seen);
        assert.equal(decision.do, expected);
        if (details) assert.deepEqual({ ...decision, ...details }, decision);
      });
    }
  });
}
