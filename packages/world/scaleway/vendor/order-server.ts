import { PLACE } from '../http/gateway.ts';
import { changeStock, defaultImage, type OperatingSystem, type ServerType } from '../model/catalogue.ts';
import type { CommitmentType, Server } from '../model/server.ts';
import { deletableFrom, deliver } from '../model/server-transition.ts';
import type { ScalewayVendor } from './scaleway-vendor.ts';
import { within } from './settings.ts';
import { installationOf, passwordFor } from './transitions.ts';

/** Takes a Mac from the stock and installs it. An image other than the default takes longer. */
export function orderServer(vendor: ScalewayVendor, order: ServerOrder): Server {
  const { ledger, settings, machines } = vendor;
  const server = recordOrder(vendor, order, vendor.world.clock.now());
  const onShelf = defaultImage(ledger.catalogue, order.type)?.id === order.os.id;
  ledger.catalogue = changeStock(ledger.catalogue, order.type.name, units => units - 1);
  const after = within(
    onShelf ? settings.delivery : settings.extendedDelivery,
    vendor.chance.stream(`delivery ${server.id}`),
  );
  vendor.transitions.begin(server.id, after, {
    notify: current => machines.deliver?.(current, installationOf(vendor, current, true)),
    next: deliver,
  });
  return server;
}

/** Adds a Mac that was ordered and delivered earlier. */
export async function addDeliveredServer(
  vendor: ScalewayVendor,
  order: ServerOrder,
  createdAt: number,
): Promise<Server> {
  const server = recordOrder(vendor, order, createdAt);
  await vendor.machines.deliver?.(server, installationOf(vendor, server, true));
  return vendor.ledger.put(deliver(server, createdAt));
}

function recordOrder({ chance, ledger, world, address }: ScalewayVendor, order: ServerOrder, now: number): Server {
  const number = ledger.everyServer().length + 1;
  const id = chance.stream(`server ${number}`).uuid();
  world.journal.add(PLACE, 'order', `${id} ${order.type.name} ${order.os.name} ${order.name}`);
  return ledger.put(orderedServer(order, { id, ip: address(number), password: passwordFor(chance, id, 1), now }));
}

/** An order that was checked against the catalogue. */
export interface ServerOrder {
  readonly zone: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly name: string;
  readonly type: ServerType;
  readonly os: OperatingSystem;
  readonly commitment: CommitmentType;
  readonly bandwidth: number;
}

interface ServerAllocation {
  readonly id: string;
  readonly ip: string;
  readonly password: string;
  readonly now: number;
}

/** The address is known at once, long before anything listens there (recorded). */
const orderedServer = (order: ServerOrder, { id, ip, password, now }: ServerAllocation): Server => ({
  id,
  zone: order.zone,
  projectId: order.projectId,
  organizationId: order.organizationId,
  name: order.name,
  type: order.type.name,
  ip,
  os: order.os,
  status: 'starting',
  delivered: false,
  password,
  passwordSetAt: now,
  installation: 1,
  // A server ordered for 24 hours shows the commitment `none` (recorded).
  commitment: { type: order.commitment === 'duration_24h' ? 'none' : order.commitment, cancelled: false },
  bandwidth: order.bandwidth,
  createdAt: now,
  updatedAt: now,
  deletableAt: deletableFrom(now, order.commitment),
  deletionScheduled: false,
});
