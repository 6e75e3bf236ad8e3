import { scalewayAppleSiliconMachine, hostClaim } from '@minifleet/api';
import { fleetWorld } from './fleet-world.ts';
import { startProvider } from './start-provider.ts';
const t0 = performance.now();
const world = await fleetWorld();
console.log('world', performance.now() - t0);
const a = startProvider(world);
const { resource } = scalewayAppleSiliconMachine;
await world.core.makeCluster();
await world.core.makeMachine('a');
const key = { namespace: 'fleet', name: 'a' };
const show = async () => {
  const s = await world.api.client.find(resource, key);
  return s && JSON.stringify(s.status?.conditions?.filter(c => c.status !== 'True').map(c => `${c.type} ${c.reason} ${c.message}`));
};
let n = 0;
let last = '';
const log = async () => { const now = String(await show()); if (now !== last) console.log(n * 5, now); last = now; };
for (; n < 200; n++) {
  await world.pass();
  await log();
  const s = await world.api.client.find(resource, key);
  if (s?.status?.conditions?.some(c => c.type === 'Ready' && c.status === 'True')) break;
}
console.log('ready', n * 5, 's', performance.now() - t0, a.effects.length);
await world.core.deleteMachine('a');
for (; n < 500; n++) {
  await world.pass();
  await log();
  if (!(await world.api.client.find(resource, key)) && world.vendor.all().every(s => s.state === 'ready')) break;
}
console.log('gone', n * 5, 's', performance.now() - t0, a.effects.length, world.vendor.all().map(s => s.name), (await world.api.client.list(hostClaim.resource)).items.length, world.macs.taken);
const by = new Map<string, number>();
for (const e of a.effects) { const k = `${e.kind} ${e.name.replace(/ \d+ of job \d+/, '')}`; by.set(k, (by.get(k) ?? 0) + 1); }
console.log(by);
process.exit(0);
