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
    'an address of the API server that nobody gave',
    { macosFleet: { enabled: true } },
    /macosFleet is enabled, and cluster\.controlPlaneEndpoint\.host is empty: set it to an address/,
  ],
  [
    'Macs from nowhere',
    { ...fleet, scaleway: {} },
    /no Mac can come from anywhere: set scaleway\.enabled and its secret, or list Macs in inventory\.hosts/,
  ],
  [
    'two fleets of one name',
    { ...fleet, fleets: { more: { name: 'minifleet-macos-fleet' } } },
    /macosFleet and fleets\.more are both called minifleet-macos-fleet/,
  ],
  [
    'bounds that hold nothing',
    { ...fleet, macosFleet: { enabled: true, autoscaling: { enabled: true, minSize: 3, maxSize: 2 } } },
    /macosFleet\.autoscaling\.maxSize is 2: it must be at least 1, and not less than minSize/,
  ],
  [
    'a builder of no organisation',
    { ...fleet, buildersFleet: { enabled: true } },
    /buildersFleet\.ghActionsRunner\.ghOrg is empty/,
  ],
  [
    'a plain secret without its content',
    { ...fleet, scaleway: { enabled: true, secret: { source: 'plain' } } },
    /scaleway\.secret\.plain\.access-key is empty: give it, or set scaleway\.secret\.source to existing/,
  ],
  [
    'a store that nobody named',
    { ...fleet, scaleway: { enabled: true, secret: { source: 'external' } } },
    /scaleway\.secret\.source is external, and externalSecrets\.store\.name is empty/,
  ],
  [
    'a pool of no organisation',
    { runnerPools: { pools: { a: { image: 'x' } } } },
    /runnerPools\.pools\.a has no organisation: set runnerPools\.account/,
  ],
  [
    'pools that nobody looks after',
    { runners: { enabled: false }, runnerPools: { account: 'acme', pools: { a: { image: 'x' } } } },
    /runnerPools\.pools\.a would be looked after by nobody: set runners\.enabled/,
  ],
  ['a value that does not exist', { macosFleet: { replica: 2 } }, /macosFleet.*replica/s],
  ['fewer Macs than none', { ...fleet, macosFleet: { enabled: true, replicas: -1 } }, /macosFleet.*replicas.*minimum/s],
  [
    'a source that does not exist',
    { scaleway: { secret: { source: 'vault' } } },
    /scaleway.*secret.*source.*existing.*plain.*external/s,
  ],
  ['a pool without an image', { runnerPools: { account: 'acme', pools: { a: {} } } }, /runnerPools.*pools.*a.*image/s],
];

describe('chart values: invalid values are rejected before anything is sent to the cluster', () => {
  for (const [what, values, words] of WRONG) {
    test(what, async () => {
      for (const helm of HELMS) await assert.rejects(render(helm, values), { message: words }, helm);
    });
  }
});
