import { PLACE } from '../http/gateway.ts';
import { changeStock, defaultImage } from '../model/catalogue.ts';
import type { Server } from '../model/server.ts';
import { deliver } from '../model/server-transition.ts';
import { installationOf, passwordFor } from './installation.ts';
import { type Order, orderedServer } from './order.ts';
import { within } from './settings.ts';
import type { Vendor } from './vendor.ts';

/** Takes a Mac from the shelf and installs it; another image than the shelf's takes longer. */
export function orderServer(vendor: Vendor, order: Order): Server {
  const { ledger, settings, machines } = vendor;
  const server = writeDown(vendor, order, vendor.around.clock.now());
  const onShelf = defaultImage(ledger.catalogue, order.type)?.id === order.os.id;
  ledger.catalogue = changeStock(ledger.catalogue, order.type.name, units => units - 1);
  const after = within(
    onShelf ? settings.delivery : settings.extendedDelivery,
    vendor.chance.stream(`delivery ${server.id}`),
  );
  vendor.transitions.begin(server.id, after, {
    tell: current => machines.deliver?.(current, installationOf(vendor, current, true)),
    next: deliver,
  });
  return server;
}

/** Puts a Mac there that was ordered and delivered before the story begins. */
export async function placeServer(vendor: Vendor, order: Order, createdAt: number): Promise<Server> {
  const server = writeDown(vendor, order, createdAt);
  await vendor.machines.deliver?.(server, installationOf(vendor, server, true));
  return vendor.ledger.put(deliver(server, createdAt));
}

function writeDown({ chance, ledger, around, address }: Vendor, order: Order, now: number): Server {
  const number = ledger.everyServer().length + 1;
  const id = chance.stream(`server ${number}`).uuid();
  around.journal.add(PLACE, 'order', `${id} ${order.type.name} ${order.os.name} ${order.name}`);
  return ledger.put(orderedServer(order, { id, ip: address(number), password: passwordFor(chance, id, 1), now }));
}
