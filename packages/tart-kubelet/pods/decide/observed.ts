import type { Run } from './last-run.ts';
import type { Observed } from './pod-table.ts';

export interface WhatIsSeen {
  readonly run: Run | undefined;
  readonly launching: boolean;
  readonly condemned: boolean;
}

/** A launch counts until it has settled, even when its guest exists already: nobody stops what is still being made. */
export function observed({ run, launching, condemned }: WhatIsSeen): Observed {
  if (launching) return 'launching';
  if (!run) return 'none';
  const state = run.guest?.state;
  switch (state?.phase) {
    case undefined:
    case 'exited':
      return 'exited';
    case 'creating':
      return 'half made';
    case 'starting':
      return condemned ? 'condemned' : 'starting';
    case 'running':
      return condemned ? 'condemned' : 'running';
  }
}
