import { accessIncidents } from './access.ts';
import { agentJobIncidents } from './agent-job.ts';
import { apiVersionIncidents } from './api-versions.ts';
import { builderIncidents } from './builders.ts';
import { clusterIncidents } from './cluster.ts';
import { guestNetworkIncidents } from './guest-network.ts';
import { hostFileIncidents } from './host-files.ts';
import { imageIncidents } from './images.ts';
import { type Incident, isLive, type LiveFault } from './incident.ts';
import { loginIncidents } from './login.ts';
import { machineIncidents } from './machines.ts';
import { pfRuleIncidents } from './pf-rules.ts';
import { podIncidents } from './pods.ts';
import { runnerPoolIncidents } from './runner-pools.ts';
import { vendorIncidents } from './vendor.ts';

/** Every incident of docs/incidents, by ID. */
export const incidents: readonly Incident[] = [
  ...accessIncidents,
  ...agentJobIncidents,
  ...apiVersionIncidents,
  ...builderIncidents,
  ...clusterIncidents,
  ...guestNetworkIncidents,
  ...hostFileIncidents,
  ...imageIncidents,
  ...loginIncidents,
  ...machineIncidents,
  ...pfRuleIncidents,
  ...podIncidents,
  ...runnerPoolIncidents,
  ...vendorIncidents,
].toSorted((one, other) => one.id.localeCompare(other.id));

/** An incident that `minifleet break` can inject into a host. */
export interface HostFault extends LiveFault {
  readonly id: string;
  readonly fault: string;
}

export const hostFaults: readonly HostFault[] = incidents.flatMap(({ id, title, live }) =>
  isLive(live) ? [{ ...live, id, fault: live.fault ?? title }] : [],
);
