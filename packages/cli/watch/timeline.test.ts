import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EntitySnapshot, Problem } from './entity.ts';
import { applyChange } from './fold.ts';
import type { Entity, EntityChange } from './subject.ts';

const worry = (label: string, message = '', more: Partial<Problem> = {}): Problem => ({
  ...{ source: label, label, message, since: 0, ...more },
});

const sight = (state: EntitySnapshot['state'], more: Partial<EntitySnapshot> = {}): EntitySnapshot => ({
  ...{ key: 'host fleet/mac-a', kind: 'host', namespace: 'fleet', name: 'mac-a', calledBy: ['mac-a'] },
  ...{ state, phase: '', words: '', worries: [], served: true, createdAt: 0, changedAt: 0, setRight: [], ...more },
});

const well = sight('well');
const fresh = { served: false, createdAt: 2_000 } as const;
const troubled = (...worries: readonly Problem[]): EntitySnapshot => sight('troubled', { worries });
const starting = (phase: string, words: string): EntitySnapshot => sight('starting', { ...fresh, phase, words });

type Given = EntitySnapshot | 'gone' | readonly [type: 'Normal' | 'Warning', reason: string, note: string];

/** A second passes before each change; what is first was there before we looked, unless it is new. */
function told(given: readonly Given[], { isNew = false } = {}): string[] {
  let subject: Entity | undefined;
  const all: string[] = [];
  for (const [index, each] of given.entries()) {
    const folded = applyChange(subject, changeOf(each, { at: 10_000 + index * 1_000, opening: index === 0 && !isNew }));
    subject = folded.after;
    all.push(...folded.lines.map(({ what, words }) => `${what} | ${words}`));
  }
  return all;
}

function changeOf(given: Given, { at, opening }: { readonly at: number; readonly opening: boolean }): EntityChange {
  if (given === 'gone') return { type: 'gone', at };
  if ('key' in given) return { type: 'seen', at, sight: given, opening };
  const [type, reason, note] = given;
  return { type: 'event', at, heardAt: at - 1_500, event: { type, reason, note } };
}

const silent = worry('Node NotReady', 'Kubelet stopped posting node status.');
const drift = worry('DriftFound', 'agent-binary: another file; pf-anchor: not loaded', { source: 'HostBootstrapped' });
const failing = (attempt: number, label = 'StepWaiting'): Problem =>
  worry(label, `step tart: no such file, try ${attempt} after ${attempt * 45}s`, { source: 'HostBootstrapped' });
const running = (step: string): Problem => worry('BootstrapRunning', `step ${step}`, { underWay: true });
const broken = ['Warning', 'Broken', 'I19 the agent’s binary was overwritten in place'] as const;

const table: readonly (readonly [name: string, given: readonly Given[], lines: readonly string[]])[] = [
  ['what is well at the beginning is not told', [well, well], []],
  [
    'what is in trouble at the beginning is, with since when',
    [troubled(silent)],
    ['trouble | for 10s: Node NotReady: Kubelet stopped posting node status.'],
  ],
  [
    'trouble begins and ends',
    [well, troubled(silent), troubled(silent), well],
    ['trouble | Node NotReady: Kubelet stopped posting node status.', 'well | well again after 2s'],
  ],
  [
    'I19 from the break to the repair',
    [
      well,
      broken,
      troubled(silent),
      troubled(silent, drift),
      sight('well', {
        setRight: [
          { step: 'sudo', at: 5_000 },
          { step: 'agent-binary', at: 13_000 },
        ],
      }),
    ],
    [
      'broken | broken on purpose: I19 the agent’s binary was overwritten in place',
      'trouble | Node NotReady: Kubelet stopped posting node status.',
      'trouble | DriftFound: agent-binary: another file; pf-anchor: not loaded',
      'well | well again after 2s (set right: agent-binary)',
    ],
  ],
  [
    'another cause is news, and what ends of several is not',
    [
      well,
      troubled(silent),
      troubled(silent, failing(1)),
      troubled(failing(1)),
      troubled(worry('HostUnreachable', 'nobody answers', { source: 'HostBootstrapped' })),
    ],
    [
      'trouble | Node NotReady: Kubelet stopped posting node status.',
      'trouble | StepWaiting: step tart: no such file, try 1 after 45s',
      'trouble | HostUnreachable: nobody answers',
    ],
  ],
  [
    'counters and ages in a message make no line each',
    [well, troubled(failing(1)), troubled(failing(2)), troubled(failing(12))],
    ['trouble | StepWaiting: step tart: no such file, try 1 after 45s'],
  ],
  [
    'the same words under another reason are told: now a person is needed',
    [
      well,
      troubled(failing(1)),
      troubled(failing(2, 'StepFailed')),
      troubled(failing(3)),
      troubled(failing(4, 'StepFailed')),
    ],
    [
      'trouble | StepWaiting: step tart: no such file, try 1 after 45s',
      'trouble | StepFailed: step tart: no such file, try 2 after 90s',
    ],
  ],
  [
    'who passes words on adds nothing, nor who leaves some out',
    [
      well,
      troubled(
        worry('Node NotReady', 'GUISessionReady: nobody is logged in; TartReady: killed'),
        worry('Node TartReady', 'killed'),
      ),
      troubled(
        worry(
          'NodeNotReady',
          'the Node mac-a is not Ready: KubeletNotReady: GUISessionReady: nobody is logged in; TartReady: killed',
        ),
      ),
      troubled(worry('Node NotReady', 'TartReady: killed')),
    ],
    ['trouble | Node NotReady: GUISessionReady: nobody is logged in; TartReady: killed'],
  ],
  [
    'an event that repeats a condition is not told, another is',
    [
      well,
      troubled(drift),
      ['Warning', 'DriftFound', 'agent-binary: another file'],
      ['Warning', 'Rebooted', 'Node mac-a has been rebooted, boot id: 7'],
      ['Warning', 'Rebooted', 'Node mac-a has been rebooted, boot id: 8'],
    ],
    [
      'trouble | DriftFound: agent-binary: another file; pf-anchor: not loaded',
      'warning | Rebooted: Node mac-a has been rebooted, boot id: 7',
    ],
  ],
  [
    'an event for the reason of a condition is not told, whatever its words; nor one that came before the end of the trouble',
    [
      well,
      troubled(drift),
      ['Warning', 'DriftFound', 'drifted steps: agent-binary'],
      well,
      ['Warning', 'Rebooted', 'Node mac-a has been rebooted'],
      ['Warning', 'Rebooted', 'Node mac-a has been rebooted again'],
    ],
    [
      'trouble | DriftFound: agent-binary: another file; pf-anchor: not loaded',
      'well | well again after 2s',
      'warning | Rebooted: Node mac-a has been rebooted again',
    ],
  ],
  [
    'a warning that becomes a trouble is told as one',
    [
      well,
      ['Warning', 'StepWaiting', 'tart: no such file'],
      troubled(worry('StepWaiting', 'step tart: no such file')),
      well,
    ],
    [
      'warning | StepWaiting: tart: no such file',
      'trouble | StepWaiting: step tart: no such file',
      'well | well again after 1s',
    ],
  ],
  [
    'a warning that never became a trouble is answered by the event that it is repaired; once',
    [
      well,
      ['Warning', 'DriftFound', 'drifted steps: sudo'],
      ['Normal', 'Repaired', 'the drift is repaired'],
      ['Normal', 'Repaired', 'the drift is repaired'],
    ],
    ['warning | DriftFound: drifted steps: sudo', 'well | Repaired: the drift is repaired'],
  ],
  [
    'what is ordinary is not told: that a Node is Ready, that a trouble which told its end is repaired',
    [
      well,
      troubled(drift),
      ['Normal', 'NodeReady', 'Node mac-a status is now: NodeReady'],
      well,
      ['Normal', 'Repaired', 'the drift is repaired'],
    ],
    ['trouble | DriftFound: agent-binary: another file; pf-anchor: not loaded', 'well | well again after 2s'],
  ],
  [
    'after it was well the same trouble is news',
    [well, troubled(silent), well, troubled(silent)],
    [
      'trouble | Node NotReady: Kubelet stopped posting node status.',
      'well | well again after 1s',
      'trouble | Node NotReady: Kubelet stopped posting node status.',
    ],
  ],
  [
    'what is done about a trouble is told once, not for each step',
    [well, troubled(running('sudo')), troubled(running('pf-anchor')), well],
    ['trouble | BootstrapRunning: step sudo', 'well | well again after 2s'],
  ],
  [
    'what was well and starts again is in trouble',
    [
      sight('well', { served: false }),
      sight('starting', { served: false, phase: 'ServingCertificateReady', worries: [worry('WaitingForRequest')] }),
      well,
    ],
    ['trouble | WaitingForRequest', 'well | well again after 1s'],
  ],
  [
    'a pause ends the telling of a trouble, and the end of the pause is told',
    [well, troubled(silent), sight('paused'), sight('paused'), well],
    ['trouble | Node NotReady: Kubelet stopped posting node status.', 'progress | paused', 'well | Ready again'],
  ],
  [
    'a host leaves step by step, and is gone',
    [
      well,
      sight('leaving'),
      sight('leaving', { phase: 'StoppingWork', words: 'told to take no more' }),
      sight('leaving', { phase: 'StoppingWork', words: 'told again' }),
      sight('leaving', { phase: 'ReturningHost', words: 'being wiped' }),
      'gone',
    ],
    [
      'progress | leaving',
      'progress | leaving: told to take no more',
      'progress | leaving: being wiped',
      'gone | gone',
    ],
  ],
];

describe('the timeline of a host', () => {
  for (const [name, given, lines] of table) {
    test(name, () => assert.deepEqual(told(given), lines));
  }

  test('a host comes: its phases are told, its steps are not, and at last how long it took', () => {
    const given = [
      starting('', ''),
      starting('HostClaimed', 'the vendor has not confirmed the name'),
      starting('HostBootstrapped', 'step sudo: at it'),
      starting('HostBootstrapped', 'step tart: at it'),
      sight('well', fresh),
    ];
    assert.deepEqual(told(given, { isNew: true }), [
      'came | new',
      'progress | the vendor has not confirmed the name',
      'progress | step sudo: at it',
      'well | Ready after 12s',
    ]);
  });

  test('a new host that fails at a step and tries again: once, until it is Ready', () => {
    const failed = { ...troubled(failing(1)), ...fresh, phase: 'HostBootstrapped' };
    const again = starting('HostBootstrapped', 'step tart: at it');
    assert.deepEqual(told([again, failed, again, failed, again, sight('well', fresh)], { isNew: true }), [
      'came | new',
      'progress | step tart: at it',
      'trouble | StepWaiting: step tart: no such file, try 1 after 45s',
      'well | Ready after 13s',
    ]);
  });

  test('an event about something that is not there tells nothing', () => {
    assert.deepEqual(told([broken, 'gone']), []);
  });
});
