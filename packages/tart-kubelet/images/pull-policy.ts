import type { PullPolicy } from './images.ts';

/** What a policy asks for: `pull` also when the image is there, as only the registry knows where a tag points now. */
export type ImageAction = 'use' | 'pull' | 'refuse';

/** Total: policy × whether the host has the image. `Always` asks the registry for a digest, too: it is the access check. */
export const imageActions: Readonly<Record<PullPolicy, Readonly<Record<'present' | 'absent', ImageAction>>>> = {
  Always: { present: 'pull', absent: 'pull' },
  IfNotPresent: { present: 'use', absent: 'pull' },
  Never: { present: 'use', absent: 'refuse' },
};
