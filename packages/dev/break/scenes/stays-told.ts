import { seconds } from '@minifleet/clock';
import type { Seen } from '../breakage.ts';
import type { Stage } from '../stage.ts';
import { conditionOf, toldOfHost } from './told.ts';

/** Longer than two more looks at the host take: what is told must outlast them. */
const FOR = seconds(50);

type Told = Pick<Stage, 'clock' | 'machine' | 'node'>;

/**
 * Looks whether a failure that needs a person is told under a Node that is Ready, and the machine not Ready for as long. That it is told
 * in other words for a moment, or that the Node is busy, is no matter; that the machine turns Ready is what must not happen.
 */
export function staysTold({ clock, machine, node }: Told): () => Promise<Seen | undefined> {
  let since: number | undefined;
  return async () => {
    const [samm, its, told] = await Promise.all([machine(), node(), toldOfHost({ machine })]);
    const failed = told?.startsWith('StepFailed') === true;
    if (conditionOf(samm, 'Ready')?.status === 'True') {
      if (since !== undefined)
        throw new Error('the machine turned Ready though nobody mended its host: what failed is overwritten');
      return undefined;
    }
    if (failed) since ??= clock.now();
    const long = since !== undefined && clock.now() - since >= FOR;
    if (!long || !failed || conditionOf(its, 'Ready')?.status !== 'True') return undefined;
    return { named: `for ${FOR / 1_000} s, with the Node Ready: ${told}` };
  };
}
