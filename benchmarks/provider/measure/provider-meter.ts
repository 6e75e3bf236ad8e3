import type { ProviderProcess } from '../../../e2e/testing/provider-process.ts';
import { type MeteredProgram, type ProgramReading, startMeteredProgram } from '../../program/metered-program.ts';
import { sumOf } from './metrics-page.ts';

interface ProviderCounters {
  readonly vendorCalls: number;
  readonly vendorLists: number;
  /** Reconciles of all controllers. A version without a host controller reconciles only machines. */
  readonly passes: number;
}

/** Counters of the provider since its start. */
export type ProviderReading = ProgramReading & ProviderCounters;
export type MeteredProvider = MeteredProgram<ProviderCounters>;

export const startMetered = (start: (flags: readonly string[]) => ProviderProcess): Promise<MeteredProvider> =>
  startMeteredProgram({
    name: 'provider',
    start,
    figures: samples => ({
      vendorCalls: sumOf(samples, 'minifleet_vendor_requests_total'),
      vendorLists: sumOf(samples, 'minifleet_vendor_requests_total', { call: 'servers' }),
      passes: sumOf(samples, 'controller_runtime_reconcile_total'),
    }),
  });
