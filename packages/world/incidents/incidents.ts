import { agentIncidents } from './agent.ts';
import { builderIncidents } from './builder.ts';
import { fieldNotes } from './field-notes.ts';
import { firewallIncidents } from './firewall.ts';
import { imageIncidents } from './images.ts';
import { loginIncidents } from './login.ts';
import type { OldWay } from './old-way.ts';
import { vendorIncidents } from './vendor.ts';

/** Every incident that can be lived through again on a host, at the vendor or at the forge, by its id. */
export const incidents: readonly OldWay[] = [
  ...firewallIncidents,
  ...loginIncidents,
  ...agentIncidents,
  ...builderIncidents,
  ...imageIncidents,
  ...vendorIncidents,
  ...fieldNotes,
].sort((one, other) => one.id.localeCompare(other.id));
