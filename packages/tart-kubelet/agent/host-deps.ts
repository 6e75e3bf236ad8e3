import { join } from 'node:path';
import { pause, seconds } from '@minifleet/clock';
import { createGuests, type OpenGuests } from '../guests/guests.ts';
import { createTart, type TartCli } from '../guests/tart.ts';
import { type MacFacts, readHostFacts } from '../host-facts/host-facts.ts';
import { createLocalCommand, type RunLocalCommand } from '../host-facts/local-command.ts';
import { type ImageLedger, ledgerFile, openImageLedger } from '../images/image-ledger.ts';
import { type AgentMetrics, createAgentMetrics } from '../observe/agent-metrics.ts';
import { createSlotQueue, type SlotQueue } from '../pods/slot-queue.ts';
import { type AgentContext, VM_SLOTS } from './agent-context.ts';

/** Dependencies on the Mac, which do not need the cluster. */
export interface HostDeps {
  readonly run: RunLocalCommand;
  readonly facts: MacFacts;
  readonly tart: TartCli;
  readonly guests: OpenGuests;
  readonly slots: SlotQueue;
  readonly ledger: ImageLedger;
  readonly metrics: AgentMetrics;
  /** True when the guests of an earlier agent process have been found. */
  recovered(): boolean;
}

export async function openHostDeps(context: AgentContext, onRecovered: () => void): Promise<HostDeps> {
  const { clock, environment, flags, log, tartHome } = context;
  const metrics = createAgentMetrics();
  metrics.follow({ lostLogLines: context.lostLogLines });
  const run = createLocalCommand({ environment });
  const facts = await readHostFacts(run, flags.nodeName);
  const tart = createTart({ path: flags.tart, home: tartHome, environment, clock });
  const { bootId } = facts;
  const guests = createGuests({ ...context, bootId, directory: flags.stateDirectory, tart, tartPath: flags.tart });
  guests.onChange(() => metrics.guests(guests.all()));
  const file = ledgerFile(join(flags.stateDirectory, 'images.json'));
  const ledger = await openImageLedger({ file, clock, log });
  let recovered = false;
  const recover = async (): Promise<void> => {
    await guests.recover();
    // Before the first pull. A Tart that hangs must not keep the agent from starting.
    await Promise.race([ledger.recover(reference => tart.digestOf(reference)), pause(clock, seconds(5))]);
    recovered = true;
    onRecovered();
  };
  return {
    run,
    facts,
    tart,
    guests: { ...guests, recover },
    slots: createSlotQueue({ total: VM_SLOTS }),
    ledger,
    metrics,
    recovered: () => recovered,
  };
}
