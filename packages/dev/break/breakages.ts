import type { Breakage } from './breakage.ts';
import { accessBreakages } from './incidents/access.ts';
import { agentBreakages } from './incidents/agent.ts';
import { bakingBreakages } from './incidents/baking.ts';
import { builderBreakages } from './incidents/builder.ts';
import { clusterBreakages } from './incidents/cluster.ts';
import { crashBreakages } from './incidents/crashes.ts';
import { fieldNoteBreakages } from './incidents/field-notes.ts';
import { fileBreakages } from './incidents/files.ts';
import { firewallBreakages } from './incidents/firewall.ts';
import { fleetKeyBreakages } from './incidents/fleet-key.ts';
import { loginBreakages } from './incidents/login.ts';
import { machineBreakages } from './incidents/machines.ts';
import { nodeBreakages } from './incidents/nodes.ts';
import { podBreakages } from './incidents/pods.ts';
import { runnerBreakages } from './incidents/runners.ts';
import { templateBreakages } from './incidents/templates.ts';
import { twinBreakages } from './incidents/twins.ts';
import { vendorBreakages } from './incidents/vendor.ts';

/** Every incident that can be done to a running host, by its id. */
export const breakages: readonly Breakage[] = [
  ...accessBreakages,
  ...agentBreakages,
  ...fieldNoteBreakages,
  ...fileBreakages,
  ...firewallBreakages,
  ...loginBreakages,
  ...clusterBreakages,
  ...fleetKeyBreakages,
  ...machineBreakages,
  ...nodeBreakages,
  ...templateBreakages,
  ...twinBreakages,
  ...vendorBreakages,
  ...bakingBreakages,
  ...builderBreakages,
  ...crashBreakages,
  ...podBreakages,
  ...runnerBreakages,
].toSorted((one, other) => one.id.localeCompare(other.id));
