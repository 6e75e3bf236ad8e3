import type { Pod } from '@minifleet/kube';
import type { GuestProcess } from '../../guests/guest.ts';
import { ENVIRONMENT_SHARE, SHARES_IN_GUEST } from './environment-share.ts';
import { expand } from './expand.ts';

type Container = NonNullable<Pod['spec']>['containers'][number];

export const hasProcess = ({ command = [], args = [] }: Container): boolean => command.length + args.length > 0;

/**
 * The Pod's process inside the guest. An image of a VM has no entry point: without a command (or args, which are then
 * the whole command) the VM itself is the process and ends when it halts.
 */
export function guestProcess(pod: Pod, variables: ReadonlyMap<string, string>): GuestProcess | undefined {
  const container = pod.spec?.containers[0];
  const [program, ...more] = [...(container?.command ?? []), ...(container?.args ?? [])].map(word =>
    expand(word, variables),
  );
  if (program === undefined) return undefined;
  return {
    argv: [program, ...more],
    environmentFile: `${SHARES_IN_GUEST}/${ENVIRONMENT_SHARE}/environment`,
    workingDirectory: container?.workingDir,
  };
}
