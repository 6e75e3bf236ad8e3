import type { MacPart } from '../mac-part.ts';
import { readAllowList } from './local-network.ts';

/** Local Network privacy: no command of its own, only a rule others ask. */
export const localNetworkPart: MacPart = mac => {
  mac.onBoot(() => readAllowList(mac));
  return {};
};
