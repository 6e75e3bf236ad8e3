import { ok, type ScalewayRoute } from '../http/call.ts';
import { pageOf, pagingParameters } from '../http/reply.ts';
import { notFound } from '../http/scaleway-api-error.ts';

import { type Catalogue, defaultImage, findImage, findServerType, type OperatingSystem } from '../model/catalogue.ts';

import type { ScalewayVendor } from '../vendor/scaleway-vendor.ts';
import { ZONE, zoneOf } from './find-server.ts';
import { osJson, type SupportedType, serverTypeJson } from './server-json.ts';

/** The catalogue is the same for every key and needs no permission besides a valid key. */
export const catalogueRoutes = (vendor: ScalewayVendor): ScalewayRoute[] => [
  {
    method: 'GET',
    path: `${ZONE}/os`,
    query: [...pagingParameters, 'name', 'server_type'],
    run(call) {
      zoneOf(vendor, call);
      const { catalogue } = vendor.ledger;
      const [name, type] = [call.query.get('name') ?? '', call.query.get('server_type')];
      const found = catalogue.images.filter(
        image => image.name.includes(name) && (!type || image.serverTypes.includes(type)),
      );
      const page = pageOf(found, call.query);
      return ok({
        os: page.items.map(image => osJson(image, supported(catalogue, image))),
        total_count: page.totalCount,
      });
    },
  },
  {
    method: 'GET',
    path: `${ZONE}/os/:id`,
    run(call) {
      zoneOf(vendor, call);
      const image = findImage(vendor.ledger.catalogue, call.part('id'));
      if (!image) throw notFound('os', call.part('id'));
      return ok(osJson(image));
    },
  },
  {
    method: 'GET',
    path: `${ZONE}/server-types`,
    run(call) {
      zoneOf(vendor, call);
      const { catalogue } = vendor.ledger;
      return ok({
        server_types: catalogue.serverTypes.map(type => serverTypeJson(type, defaultImage(catalogue, type))),
      });
    },
  },
  {
    method: 'GET',
    // Singular, unlike its list.
    path: `${ZONE}/server-type/:name`,
    run(call) {
      zoneOf(vendor, call);
      const type = findServerType(vendor.ledger.catalogue, call.part('name'));
      if (!type) throw notFound('server_type', call.part('name'));
      return ok(serverTypeJson(type, defaultImage(vendor.ledger.catalogue, type)));
    },
  },
];

/** An image has fast delivery where Macs with it are in stock; those have the default image (derived). */
const supported = (catalogue: Catalogue, image: OperatingSystem): SupportedType[] =>
  image.serverTypes.map(serverType => {
    const type = findServerType(catalogue, serverType);
    return { serverType, fast: type !== undefined && type.units > 0 && type.defaultImage === image.name };
  });
