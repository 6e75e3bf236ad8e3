import { defineError } from '@minifleet/errors';

export const NODE_TAINTS_REFUSED = defineError('NODE_TAINTS_REFUSED', {
  retry: 'operator',
  reason: 'NodeTaintsRefused',
  text: '--register-with-taints: "{taint}" is no taint; write key=value:effect, with commas, and an effect of {effects}',
});

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

export interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: (typeof EFFECTS)[number];
}

const TAINT = /^((?:[a-z0-9][a-z0-9.-]*\/)?[A-Za-z0-9][\w.-]*)(?:=([\w.-]*))?:(\w+)$/;

/** Reads `key=value:effect,key:effect`, as a kubelet does. */
export const parseNodeTaints = (text: string): NodeTaint[] =>
  text
    .split(',')
    .filter(taint => taint.trim() !== '')
    .map(taint => parseTaint(taint.trim()));

function parseTaint(taint: string): NodeTaint {
  const [, key, value, effect] = TAINT.exec(taint) ?? [];
  const known = EFFECTS.find(each => each === effect);
  if (key === undefined || !known) throw NODE_TAINTS_REFUSED({ taint, effects: EFFECTS.join(', ') });
  return { key, ...(value ? { value } : {}), effect: known };
}
