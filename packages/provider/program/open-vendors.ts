import type { Clock } from '@minifleet/clock';
import type { Client, Log } from '@minifleet/kube';
import { Secret } from '@minifleet/secret';
import { inventoryVendor, problemWords, scalewayVendor, type Vendor } from '@minifleet/vendors';
import type { Vendors } from '../claims/vendors.ts';
import { countedVendor, type VendorCallEnd } from '../observe/counted-vendor.ts';
import { PROVIDER_FLAG_WRONG, type ProviderFlags } from './flags.ts';
import { configMapInventory } from './inventory-store.ts';

interface OpenVendorsOptions {
  readonly flags: Pick<ProviderFlags, 'inventory' | 'vendorApiUrl'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly onCall: (end: VendorCallEnd) => void;
}

/** Opens the vendor if its key is set, and the inventory if the flag names one. At least one of them is required. */
export function openVendors(options: OpenVendorsOptions): Vendors {
  const scaleway = openScaleway(options);
  const inventory = openInventory(options);
  const all = [scaleway, inventory].flatMap(vendor => (vendor ? [countedVendor(vendor, options.onCall)] : []));
  const [first] = all;
  if (!first) {
    const problem =
      'no source of hosts is configured: set SCW_ACCESS_KEY, SCW_SECRET_KEY and SCW_DEFAULT_PROJECT_ID, or --inventory';
    throw PROVIDER_FLAG_WRONG({ problem });
  }
  const owned = inventory && all.at(-1);
  return {
    all: () => all,
    async for(zone) {
      if (!owned || owned === first) return first;
      const servers = await owned.servers(zone);
      return servers.length > 0 ? owned : first;
    },
  };
}

function openScaleway({ environment, clock, flags }: OpenVendorsOptions): Vendor | undefined {
  const { SCW_ACCESS_KEY, SCW_SECRET_KEY, SCW_DEFAULT_PROJECT_ID } = environment;
  const given = [SCW_ACCESS_KEY, SCW_SECRET_KEY, SCW_DEFAULT_PROJECT_ID];
  if (given.every(value => !value)) return undefined;
  if (!SCW_ACCESS_KEY || !SCW_SECRET_KEY || !SCW_DEFAULT_PROJECT_ID) {
    throw PROVIDER_FLAG_WRONG({
      problem: 'SCW_ACCESS_KEY, SCW_SECRET_KEY and SCW_DEFAULT_PROJECT_ID must be set together, and one is missing',
    });
  }
  return scalewayVendor({
    accessKey: SCW_ACCESS_KEY,
    secretKey: new Secret('vendor key', SCW_SECRET_KEY),
    projectId: SCW_DEFAULT_PROJECT_ID,
    clock,
    ...(flags.vendorApiUrl === undefined ? {} : { apiUrl: flags.vendorApiUrl }),
  });
}

function openInventory({ flags: { inventory }, client, log }: OpenVendorsOptions): Vendor | undefined {
  if (!inventory) return undefined;
  return inventoryVendor({
    store: configMapInventory(client, inventory),
    report: problems => {
      if (problems.length > 0) log.warn({ inventory }, problemWords(problems));
    },
  });
}
