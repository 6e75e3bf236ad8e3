import type { Images } from '../../images/images.ts';

/** One image that is always here: the VM `golden` of the simulated host. Pulls have tests of their own. */
export const goldenImages: Images = {
  ensure: async () => ({ digest: 'golden', pulled: false }),
  list: async () => [],
  reclaim: async () => ({ freedBytes: 0, removed: [] }),
};
