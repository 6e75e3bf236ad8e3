import { join } from 'node:path';
import { createGuests, type OpenGuests } from '../guests/guests.ts';
import { createTart, type Tart } from '../guests/tart.ts';
import { createRun, type Run } from '../host-facts/run-command.ts';
import { type ImageLedger, openImageLedger } from '../images/image-ledger.ts';
import { ledgerFile } from '../images/ledger-file.ts';
import { type AgentMetrics, createAgentMetrics } from '../observe/agent-metrics.ts';
import { createSlotQueue, type SlotQueue } from '../pods/slot-queue.ts';
import { type AgentContext, VM_SLOTS } from './agent-context.ts';

/** What the agent has of its Mac, cluster or not. */
export interface HostParts {
  readonly run: Run;
  readonly tart: Tart;
  readonly guests: OpenGuests;
  readonly slots: SlotQueue;
  readonly ledger: ImageLedger;
  readonly metrics: AgentMetrics;
  /** Whether the guests of an earlier life have been found again. */
  recovered(): boolean;
}

export async function openHostParts(context: AgentContext, onRecovered: () => void): Promise<HostParts> {
  const { clock, environment, flags, log, tartHome } = context;
  const metrics = createAgentMetrics();
  const tart = createTart({ path: flags.tart, home: tartHome, environment, clock });
  const guests = createGuests({ ...context, directory: flags.stateDirectory, tart, tartPath: flags.tart });
  guests.onChange(() => metrics.guests(guests.all()));
  let recovered = false;
  const recover = async (): Promise<void> => {
    await guests.recover();
    recovered = true;
    onRecovered();
  };
  return {
    run: createRun({ environment }),
    tart,
    guests: { ...guests, recover },
    slots: createSlotQueue({ total: VM_SLOTS }),
    ledger: await openImageLedger({ file: ledgerFile(join(flags.stateDirectory, 'images.json')), clock, log }),
    metrics,
    recovered: () => recovered,
  };
}
