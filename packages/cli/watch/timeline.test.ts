import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Entity, EntityChange, EntityProblem, EntitySnapshot } from './entity.ts';
import { applyChange } from './timeline.ts';

const problem = (label: string, message = '', more: Partial<EntityProblem> = {}): EntityProblem => ({
  ...{ source: label, label, message, since: 0, ...more },
});

const snapshot = (state: EntitySnapshot['state'], more: Partial<EntitySnapshot> = {}): EntitySnapshot => ({
  ...{ key: 'host fleet/mac-a', kind: 'host', namespace: 'fleet', name: 'mac-a', aliases: ['mac-a'] },
  ...{
    state,
    phase: '',
    message: '',
    problems: [],
    served: true,
    createdAt: 0,
    changedAt: 0,
    syncedSteps: [],
    ...more,
  },
});

const healthy = snapshot('healthy');
const fresh = { served: false, createdAt: 2_000 } as const;
const unhealthy = (...problems: readonly EntityProblem[]): EntitySnapshot => snapshot('unhealthy', { problems });
const starting = (phase: string, message: string): EntitySnapshot => snapshot('starting', { ...fresh, phase, message });

type ChangeFixture = EntitySnapshot | 'deleted' | readonly [type: 'Normal' | 'Warning', reason: string, note: string];

/** Applies the changes one second apart and returns the lines. The first is the initial state, unless it is new. */
function linesOf(given: readonly ChangeFixture[], { isNew = false } = {}): string[] {
  let entity: Entity | undefined;
  const all: string[] = [];
  for (const [index, each] of given.entries()) {
    const update = applyChange(entity, changeOf(each, { at: 10_000 + index * 1_000, initial: index === 0 && !isNew }));
    entity = update.after;
    all.push(...update.lines.map(({ type, message }) => `${type} | ${message}`));
  }
  return all;
}

function changeOf(
  given: ChangeFixture,
  { at, initial }: { readonly at: number; readonly initial: boolean },
): EntityChange {
  if (given === 'deleted') return { type: 'deleted', at };
  if ('key' in given) return { type: 'observed', at, snapshot: given, initial };
  const [type, reason, note] = given;
  return { type: 'event', at, receivedAt: at - 1_500, event: { type, reason, note } };
}

const silent = problem('Node NotReady', 'Kubelet stopped posting node status.');
const drift = problem('DriftFound', 'agent-binary: another file; pf-anchor: not loaded', {
  source: 'HostBootstrapped',
});
const failing = (attempt: number, label = 'StepWaiting'): EntityProblem =>
  problem(label, `step tart: no such file, try ${attempt} after ${attempt * 45}s`, { source: 'HostBootstrapped' });
const running = (step: string): EntityProblem => problem('BootstrapRunning', `step ${step}`, { inProgress: true });
const broken = ['Warning', 'Broken', 'I19 the agent’s binary was overwritten in place'] as const;

const table: readonly (readonly [name: string, given: readonly ChangeFixture[], lines: readonly string[]])[] = [
  ['timeline: an initially healthy host gives no line', [healthy, healthy], []],
  [
    'timeline: an initial problem is printed with its duration',
    [unhealthy(silent)],
    ['problem | for 10s: Node NotReady: Kubelet stopped posting node status.'],
  ],
  [
    'timeline: a problem and its recovery are printed once',
    [healthy, unhealthy(silent), unhealthy(silent), healthy],
    ['problem | Node NotReady: Kubelet stopped posting node status.', 'recovered | recovered after 2s'],
  ],
  [
    'I19 timeline: an injected fault, its problems and the repair are printed',
    [
      healthy,
      broken,
      unhealthy(silent),
      unhealthy(silent, drift),
      snapshot('healthy', {
        syncedSteps: [
          { step: 'sudo', at: 5_000 },
          { step: 'agent-binary', at: 13_000 },
        ],
      }),
    ],
    [
      'fault | fault injected: I19 the agent’s binary was overwritten in place',
      'problem | Node NotReady: Kubelet stopped posting node status.',
      'problem | DriftFound: agent-binary: another file; pf-anchor: not loaded',
      'recovered | recovered after 2s (repaired: agent-binary)',
    ],
  ],
  [
    'timeline: another cause is printed, the end of one of several is not',
    [
      healthy,
      unhealthy(silent),
      unhealthy(silent, failing(1)),
      unhealthy(failing(1)),
      unhealthy(problem('HostUnreachable', 'connection timed out', { source: 'HostBootstrapped' })),
    ],
    [
      'problem | Node NotReady: Kubelet stopped posting node status.',
      'problem | StepWaiting: step tart: no such file, try 1 after 45s',
      'problem | HostUnreachable: connection timed out',
    ],
  ],
  [
    'timeline: a message that differs only in counters and ages is printed once',
    [healthy, unhealthy(failing(1)), unhealthy(failing(2)), unhealthy(failing(12))],
    ['problem | StepWaiting: step tart: no such file, try 1 after 45s'],
  ],
  [
    'timeline: the same message with another reason is printed, because it may need an operator',
    [
      healthy,
      unhealthy(failing(1)),
      unhealthy(failing(2, 'StepFailed')),
      unhealthy(failing(3)),
      unhealthy(failing(4, 'StepFailed')),
    ],
    [
      'problem | StepWaiting: step tart: no such file, try 1 after 45s',
      'problem | StepFailed: step tart: no such file, try 2 after 90s',
    ],
  ],
  [
    'timeline: a forwarded or shortened message is not printed again',
    [
      healthy,
      unhealthy(
        problem('Node NotReady', 'GUISessionReady: no user is logged in; TartReady: killed'),
        problem('Node TartReady', 'killed'),
      ),
      unhealthy(
        problem(
          'NodeNotReady',
          'the Node mac-a is not Ready: KubeletNotReady: GUISessionReady: no user is logged in; TartReady: killed',
        ),
      ),
      unhealthy(problem('Node NotReady', 'TartReady: killed')),
    ],
    ['problem | Node NotReady: GUISessionReady: no user is logged in; TartReady: killed'],
  ],
  [
    'timeline: an event that repeats a condition is not printed, another event is',
    [
      healthy,
      unhealthy(drift),
      ['Warning', 'DriftFound', 'agent-binary: another file'],
      ['Warning', 'Rebooted', 'Node mac-a has been rebooted, boot id: 7'],
      ['Warning', 'Rebooted', 'Node mac-a has been rebooted, boot id: 8'],
    ],
    [
      'problem | DriftFound: agent-binary: another file; pf-anchor: not loaded',
      'warning | Rebooted: Node mac-a has been rebooted, boot id: 7',
    ],
  ],
  [
    'timeline: an event with the reason of a condition, or from before the recovery, is not printed',
    [
      healthy,
      unhealthy(drift),
      ['Warning', 'DriftFound', 'drifted steps: agent-binary'],
      healthy,
      ['Warning', 'Rebooted', 'Node mac-a has been rebooted'],
      ['Warning', 'Rebooted', 'Node mac-a has been rebooted again'],
    ],
    [
      'problem | DriftFound: agent-binary: another file; pf-anchor: not loaded',
      'recovered | recovered after 2s',
      'warning | Rebooted: Node mac-a has been rebooted again',
    ],
  ],
  [
    'timeline: a warning that becomes a problem is printed again as a problem',
    [
      healthy,
      ['Warning', 'StepWaiting', 'tart: no such file'],
      unhealthy(problem('StepWaiting', 'step tart: no such file')),
      healthy,
    ],
    [
      'warning | StepWaiting: tart: no such file',
      'problem | StepWaiting: step tart: no such file',
      'recovered | recovered after 1s',
    ],
  ],
  [
    'timeline: a Repaired event ends a warning that never became a problem, once',
    [
      healthy,
      ['Warning', 'DriftFound', 'drifted steps: sudo'],
      ['Normal', 'Repaired', 'the drift is repaired'],
      ['Normal', 'Repaired', 'the drift is repaired'],
    ],
    ['warning | DriftFound: drifted steps: sudo', 'recovered | Repaired: the drift is repaired'],
  ],
  [
    'timeline: routine events are not printed',
    [
      healthy,
      unhealthy(drift),
      ['Normal', 'NodeReady', 'Node mac-a status is now: NodeReady'],
      healthy,
      ['Normal', 'Repaired', 'the drift is repaired'],
    ],
    ['problem | DriftFound: agent-binary: another file; pf-anchor: not loaded', 'recovered | recovered after 2s'],
  ],
  [
    'timeline: the same problem is printed again after a recovery',
    [healthy, unhealthy(silent), healthy, unhealthy(silent)],
    [
      'problem | Node NotReady: Kubelet stopped posting node status.',
      'recovered | recovered after 1s',
      'problem | Node NotReady: Kubelet stopped posting node status.',
    ],
  ],
  [
    'timeline: a repair in progress is printed once, not for each step',
    [healthy, unhealthy(running('sudo')), unhealthy(running('pf-anchor')), healthy],
    ['problem | BootstrapRunning: step sudo', 'recovered | recovered after 2s'],
  ],
  [
    'timeline: a host that was healthy and starts again is unhealthy',
    [
      snapshot('healthy', { served: false }),
      snapshot('starting', {
        served: false,
        phase: 'ServingCertificateReady',
        problems: [problem('WaitingForRequest')],
      }),
      healthy,
    ],
    ['problem | WaitingForRequest', 'recovered | recovered after 1s'],
  ],
  [
    'timeline: a pause and its end are printed',
    [healthy, unhealthy(silent), snapshot('paused'), snapshot('paused'), healthy],
    ['problem | Node NotReady: Kubelet stopped posting node status.', 'progress | paused', 'recovered | Ready again'],
  ],
  [
    'timeline: a deletion is printed by phase',
    [
      healthy,
      snapshot('deleting'),
      snapshot('deleting', { phase: 'StoppingWork', message: 'cordoned' }),
      snapshot('deleting', { phase: 'StoppingWork', message: 'cordoned again' }),
      snapshot('deleting', { phase: 'ReturningHost', message: 'reinstalling' }),
      'deleted',
    ],
    ['progress | deleting', 'progress | deleting: cordoned', 'progress | deleting: reinstalling', 'deleted | deleted'],
  ],
];

describe('timeline of a host', () => {
  for (const [name, given, lines] of table) {
    test(name, () => assert.deepEqual(linesOf(given), lines));
  }

  test('timeline: a new host is printed by phase, with its duration when Ready', () => {
    const given = [
      starting('', ''),
      starting('HostClaimed', 'the vendor has not confirmed the name'),
      starting('HostBootstrapped', 'step sudo: running'),
      starting('HostBootstrapped', 'step tart: running'),
      snapshot('healthy', fresh),
    ];
    assert.deepEqual(linesOf(given, { isNew: true }), [
      'added | added',
      'progress | the vendor has not confirmed the name',
      'progress | step sudo: running',
      'recovered | Ready after 12s',
    ]);
  });

  test('timeline: a new host that retries a failed step is printed once until Ready', () => {
    const failed = { ...unhealthy(failing(1)), ...fresh, phase: 'HostBootstrapped' };
    const again = starting('HostBootstrapped', 'step tart: running');
    assert.deepEqual(linesOf([again, failed, again, failed, again, snapshot('healthy', fresh)], { isNew: true }), [
      'added | added',
      'progress | step tart: running',
      'problem | StepWaiting: step tart: no such file, try 1 after 45s',
      'recovered | Ready after 13s',
    ]);
  });

  test('timeline: an event about an unknown object gives no line', () => {
    assert.deepEqual(linesOf([broken, 'deleted']), []);
  });
});
