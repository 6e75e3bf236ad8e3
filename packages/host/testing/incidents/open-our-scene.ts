/** Opens a scene of the world for an incident done our way: a Mac the operators' scenario and our engine both work on. */

import { createRedactor } from '@minifleet/secret';
import { incidents, type Journal, openScene, type Scene } from '@minifleet/world';
import { m1 } from '@minifleet/world/mac';
import { allowed, translation } from '../../../world/mac/pf/packet.ts';
import { openHost } from '../../open-host.ts';
import { convergeStep, macTransport } from '../index.ts';
import type { OurScene, OurWay } from './our-way.ts';

interface OpenedScene extends OurScene {
  readonly journal: Journal;
  close(): Promise<void>;
}

const GUEST = '192.168.64.5';

/** Opens the scene an incident asks for. */
export async function openOurScene(options: OurWay['mac'] = {}): Promise<OpenedScene> {
  const scene = await openScene();
  return { ...(await onMac(scene, options)), journal: scene.around.journal, close: () => scene.close() };
}

async function onMac(scene: Scene, options: OurWay['mac']): Promise<OurScene> {
  const mac = await scene.mac(options);
  const { clock, journal } = scene.around;
  const host = openHost({ transport: macTransport(mac.mac), user: m1.name, clock, redactor: createRedactor() });
  return {
    host,
    clock,
    mac,
    async oldWay(id) {
      const incident = incidents.find(one => one.id === id);
      if (!incident) throw new RangeError(`the world knows no incident ${id}`);
      const said = await incident.run({ ...scene, mac: async () => mac });
      // Our way means nothing on a Mac that was not hurt.
      if (!incident.seen.test(said)) throw new Error(`${id} did not hurt: ${said}`);
      return said;
    },
    another: () => onMac(scene, options),
    converge: step => scene.during(convergeStep(host, step)),
    happened: () => journal.entries,
    kickstartDoesNothing(times) {
      const detail = /^kickstart /;
      const often = times === undefined ? {} : { times };
      scene.around.faults.add({ kind: 'process', detail, fault: { type: 'drop', when: 'before' }, ...often });
    },
    guest: {
      reaches: (address, port, inOn) =>
        allowed(mac.mac, { from: GUEST, to: address, port, ...(inOn === undefined ? {} : { inOn }) }),
      isTranslated: address => translation(mac.mac, { from: GUEST, to: address }) !== undefined,
    },
  };
}
