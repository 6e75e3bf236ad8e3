import assert from 'node:assert/strict';
import { seconds } from '@minifleet/clock';
import type { Argv, Command, HostTransport, RanOutcome } from '../../transport/transport.ts';

/** Runs a command that is expected to end by itself. */
export async function ran(transport: HostTransport, argv: Argv, options: Partial<Command> = {}): Promise<RanOutcome> {
  const outcome = await transport.run({ argv, deadline: seconds(30), ...options });
  assert.equal(outcome.kind, 'ran', outcome.kind === 'unreached' ? outcome.error.message : outcome.kind);
  return outcome;
}
