import type { Clock } from '@minifleet/clock';
import { Secret } from '@minifleet/secret';
import { scalewayVendor, type Vendor } from '@minifleet/vendors';
import { countedVendor, type VendorCallEnd } from '../observe/counted-vendor.ts';
import { PROVIDER_FLAG_WRONG, type ProviderFlags } from '../settings/flags.ts';

interface OpenVendorOptions {
  readonly flags: Pick<ProviderFlags, 'vendorApiUrl'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly onCall: (end: VendorCallEnd) => void;
}

/** Opens the vendor if its key is set. Without a key, the provider manages only owned Macs. */
export function openVendor({ environment, clock, flags, onCall }: OpenVendorOptions): Vendor | undefined {
  const { SCW_ACCESS_KEY, SCW_SECRET_KEY, SCW_DEFAULT_PROJECT_ID } = environment;
  if (![SCW_ACCESS_KEY, SCW_SECRET_KEY, SCW_DEFAULT_PROJECT_ID].some(Boolean)) return undefined;
  if (!SCW_ACCESS_KEY || !SCW_SECRET_KEY || !SCW_DEFAULT_PROJECT_ID) {
    throw PROVIDER_FLAG_WRONG({
      problem: 'SCW_ACCESS_KEY, SCW_SECRET_KEY and SCW_DEFAULT_PROJECT_ID must be set together, and one is missing',
    });
  }
  const vendor = scalewayVendor({
    accessKey: SCW_ACCESS_KEY,
    secretKey: new Secret('vendor key', SCW_SECRET_KEY),
    projectId: SCW_DEFAULT_PROJECT_ID,
    clock,
    ...(flags.vendorApiUrl === undefined ? {} : { apiUrl: flags.vendorApiUrl }),
  });
  return countedVendor(vendor, onCall);
}
