import { minutes } from '@minifleet/clock';
import { CataloguedError, defineError } from '@minifleet/errors';
import { VENDOR_CANNOT, VENDOR_REFUSED, VENDOR_REJECTED } from '@minifleet/vendors';

/** A refusal is healed at the vendor, where no watch sees it: so it is tried again by the clock. */
export const HOST_VENDOR_REFUSES = defineError('HOST_VENDOR_REFUSES', {
  retry: { after: minutes(5) },
  reason: 'VendorUnavailable',
  text: '{why}; it is tried again every 5 minutes',
});

const REFUSALS: ReadonlySet<string> = new Set([VENDOR_REFUSED.code, VENDOR_REJECTED.code, VENDOR_CANNOT.code]);

/** The error as a machine waits for its end; what is no refusal stays as it is. */
export const asVendorTrouble = (error: unknown): unknown =>
  error instanceof CataloguedError && REFUSALS.has(error.code)
    ? HOST_VENDOR_REFUSES({ why: error.message }, { cause: error })
    : error;
