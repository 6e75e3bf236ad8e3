import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HELMS, render, type Values } from './testing/helm.ts';

const fleet = {
  cluster: { controlPlaneEndpoint: { host: 'a' } },
  scaleway: { enabled: true },
  macosFleet: { enabled: true },
};

const mac = { name: 'mini-01', pool: 'desk', address: '192.0.2.11', user: 'admin' };

/** A builder fleet that lacks nothing but what the changes of the builder section take away. */
const builders = (changes: Values): Values => ({
  ...fleet,
  buildersFleet: { enabled: true, ghActionsRunner: { ghOrg: 'acme' } },
  provider: { hosts: { builder: { homebrewInstaller: false, ...changes } } },
});

/** Invalid values and their error messages. */
const WRONG: readonly (readonly [string, Values, RegExp])[] = [
  [
    'chart values: a fleet without controlPlaneEndpoint.host is rejected',
    { macosFleet: { enabled: true } },
    /macosFleet is enabled, but cluster\.controlPlaneEndpoint\.host is empty: set it to an address/,
  ],
  [
    'chart values: a fleet of Scaleway Macs without the vendor is rejected',
    { ...fleet, scaleway: {} },
    /macosFleet claims Macs from Scaleway, but scaleway\.enabled is not set: .*set macosFleet\.machine\.kind to MacMachine/,
  ],
  [
    'chart values: a fleet of MacMachines without a pool is rejected',
    { ...fleet, macosFleet: { enabled: true, machine: { kind: 'MacMachine' } } },
    /macosFleet\.pool is empty: set it to the pool of the MacHosts/,
  ],
  [
    'chart values: two owned Macs with the same name are rejected',
    { inventory: { hosts: [mac, mac] } },
    /inventory\.hosts has two Macs with the name mini-01/,
  ],
  [
    'chart values: an owned Mac without a pool is rejected',
    { inventory: { hosts: [{ ...mac, pool: undefined }] } },
    /inventory.*hosts.*pool/s,
  ],
  [
    'chart values: an owned Mac with the zone of the older chart is rejected',
    { inventory: { hosts: [{ ...mac, zone: 'de-ber-1' }] } },
    /inventory.*hosts.*zone/s,
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
    'chart values: a fleet whose Macs would have no Tart is rejected',
    { ...fleet, provider: { hosts: { tart: null } } },
    /macosFleet is enabled, but provider\.hosts\.tart is empty, .*set tart\.version and tart\.archive/,
  ],
  [
    'chart values: a fleet whose Macs would have no agent is rejected',
    { ...fleet, provider: { hosts: { agent: null } } },
    /macosFleet is enabled, but provider\.hosts\.agent is empty: set agent\.binary/,
  ],
  [
    'chart values: a builder fleet without a part of the builder section is rejected',
    builders({ buildCache: null }),
    /buildersFleet is enabled, but provider\.hosts\.builder\.buildCache is empty.*remove it from your values to use the default/,
  ],
  [
    'chart values: a builder fleet without the builder section is rejected',
    { ...builders({}), provider: { hosts: { builder: null } } },
    /buildersFleet is enabled, but provider\.hosts\.builder\.formulae is empty.*docs\/vm-image-builder\.md/,
  ],
  [
    'chart values: a builder fleet without a Homebrew installer is rejected with the way to get one',
    builders({ homebrewInstaller: null }),
    /homebrewInstaller is not set: Homebrew publishes no checksum .*--homebrew-installer.* or set false if Homebrew is installed on every Mac/,
  ],
  [
    'chart values: a builder fleet whose Xcode is no Xcode is rejected',
    builders({ xcode: { developerDirectory: '/Library/Developer/CommandLineTools' } }),
    /developerDirectory is "\/Library\/Developer\/CommandLineTools": set the path of an Xcode/,
  ],
  [
    'chart values: a fleet without an image registry is rejected',
    fleet,
    /imageRegistry is empty, and no public registry has the image minifleet-provider: build and push .*then set imageRegistry/,
  ],
  [
    'chart values: an image digest that is no SHA-256 is rejected',
    { ...fleet, imageRegistry: 'ghcr.io/acme', provider: { image: { digest: '0.1.0' } } },
    /provider.*image.*digest/s,
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
