import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HELMS, render, type Values } from './testing/helm.ts';

const fleet = {
  cluster: { controlPlaneEndpoint: { host: 'a' } },
  scaleway: { enabled: true },
  macosFleet: { enabled: true },
};

/** Invalid values and their error messages. */
const WRONG: readonly (readonly [string, Values, RegExp])[] = [
  [
    'chart values: a fleet without controlPlaneEndpoint.host is rejected',
    { macosFleet: { enabled: true } },
    /macosFleet is enabled, but cluster\.controlPlaneEndpoint\.host is empty: set it to an address/,
  ],
  [
    'chart values: a fleet without a source of Macs is rejected',
    { ...fleet, scaleway: {} },
    /there is no source of Macs: set scaleway\.enabled and its secret, or list Macs in inventory\.hosts/,
  ],
  [
    'chart values: two fleets with the same name are rejected',
    { ...fleet, fleets: { more: { name: 'minifleet-macos-fleet' } } },
    /macosFleet and fleets\.more have the same name minifleet-macos-fleet/,
  ],
  [
    'chart values: maxSize below minSize is rejected',
    { ...fleet, macosFleet: { enabled: true, autoscaling: { enabled: true, minSize: 3, maxSize: 2 } } },
    /macosFleet\.autoscaling\.maxSize is 2: it must be at least 1 and at least minSize/,
  ],
  [
    'chart values: a builder fleet without an organisation is rejected',
    { ...fleet, buildersFleet: { enabled: true } },
    /buildersFleet\.ghActionsRunner\.ghOrg is empty/,
  ],
  [
    'chart values: a plain secret without content is rejected',
    { ...fleet, scaleway: { enabled: true, secret: { source: 'plain' } } },
    /scaleway\.secret\.plain\.access-key is empty: set it, or set scaleway\.secret\.source to existing/,
  ],
  [
    'chart values: an external secret without a store is rejected',
    { ...fleet, scaleway: { enabled: true, secret: { source: 'external' } } },
    /scaleway\.secret\.source is external, but externalSecrets\.store\.name is empty/,
  ],
  [
    'chart values: a pool without an organisation is rejected',
    { runnerPools: { pools: { a: { image: 'x' } } } },
    /runnerPools\.pools\.a has no organisation: set runnerPools\.account/,
  ],
  [
    'chart values: pools without the runner controller are rejected',
    { runners: { enabled: false }, runnerPools: { account: 'acme', pools: { a: { image: 'x' } } } },
    /runnerPools\.pools\.a needs the runner controller: set runners\.enabled/,
  ],
  ['chart values: an unknown value is rejected', { macosFleet: { replica: 2 } }, /macosFleet.*replica/s],
  [
    'chart values: negative replicas are rejected',
    { ...fleet, macosFleet: { enabled: true, replicas: -1 } },
    /macosFleet.*replicas.*minimum/s,
  ],
  [
    'chart values: an unknown secret source is rejected',
    { scaleway: { secret: { source: 'vault' } } },
    /scaleway.*secret.*source.*existing.*plain.*external/s,
  ],
  [
    'chart values: a pool without an image is rejected',
    { runnerPools: { account: 'acme', pools: { a: {} } } },
    /runnerPools.*pools.*a.*image/s,
  ],
];

describe('chart values: invalid values are rejected before anything is sent to the cluster', () => {
  for (const [what, values, words] of WRONG) {
    test(what, async () => {
      for (const helm of HELMS) await assert.rejects(render(helm, values), { message: words }, helm);
    });
  }
});
