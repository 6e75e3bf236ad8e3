import { minutes } from '@minifleet/clock';
import { CataloguedError, withReason } from '@minifleet/errors';
import { VENDOR_CANNOT, VENDOR_REFUSED, VENDOR_REJECTED } from '@minifleet/vendors';

const REFUSALS: ReadonlySet<string> = new Set([VENDOR_REFUSED.code, VENDOR_REJECTED.code, VENDOR_CANNOT.code]);

/** A rejection is repaired at the vendor, where no watch sees it: so it is retried by time. Other errors stay as they are. */
export const asVendorTrouble = (error: unknown): unknown =>
  error instanceof CataloguedError && REFUSALS.has(error.code)
    ? withReason(error, 'VendorUnavailable', {
        message: `${error.message}; retried every 5 minutes`,
        retry: { after: minutes(5) },
      })
    : error;
