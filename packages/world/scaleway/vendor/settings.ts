import { type Duration, minutes, seconds } from '@minifleet/clock';
import type { Chance } from '../../chance.ts';

/** A duration between two limits, both included. */
interface DurationRange {
  readonly least: Duration;
  readonly most: Duration;
}

export const within = (span: DurationRange, chance: Chance): Duration =>
  (span.least + chance.next() * (span.most - span.least)) as Duration;

/** Configurable behaviour of the vendor where the evidence is incomplete, with the evidence for each default. */
export interface VendorSettings {
  readonly zones: readonly string[];
  /** Recorded 2026-03-05: M4-M with its default image was ready in just over two minutes. */
  readonly delivery: DurationRange;
  /** "Requesting a non-default OS will induce an extended delivery time" (SDK); as long as a reinstallation. */
  readonly extendedDelivery: DurationRange;
  /** 5–15 min on M2-L (facts §4). */
  readonly reinstallation: DurationRange;
  /** Recorded 2026-03-05: 104 s from the request to `ready`. */
  readonly reboot: DurationRange;
  /** "Only for a few hours after creation" (facts §4); six hours is a guess. */
  readonly passwordVisible: Duration;
  /** The documents disagree on when project keys are injected again (facts §18): after a wipe, or at each start. */
  readonly injectSshKeys: { readonly onReinstall: boolean; readonly onReboot: boolean };
  /**
   * Response for a deleted server. Recorded in 2025 and 2026: 403 `read server`, because the policy can no longer find
   * the project of a server that does not exist. The operators' code also expects 404 (facts §4): clients must handle
   * both.
   */
  readonly unknownServer: 'forbidden' | 'not found';
  /** Recorded 2026-09-24: `x-ratelimit-limit: 50, 50;w=1`. */
  readonly rateLimit: { readonly quota: number; readonly window: Duration } | 'none';
}

export const defaultSettings: VendorSettings = {
  zones: ['fr-par-1', 'fr-par-3'],
  delivery: { least: seconds(90), most: minutes(3) },
  extendedDelivery: { least: minutes(6), most: minutes(20) },
  reinstallation: { least: minutes(5), most: minutes(15) },
  reboot: { least: seconds(80), most: seconds(120) },
  passwordVisible: minutes(6 * 60),
  injectSshKeys: { onReinstall: true, onReboot: false },
  unknownServer: 'forbidden',
  rateLimit: { quota: 50, window: seconds(1) },
};
