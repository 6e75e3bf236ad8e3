import { agentIncidents } from './agent.ts';
import { builderIncidents } from './builder.ts';
import { fieldNotes } from './field-notes.ts';
import { firewallIncidents } from './firewall.ts';
import { imageIncidents } from './images.ts';
import { loginIncidents } from './login.ts';
import type { MacScene, Scene } from './scene-mac.ts';
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

/** An incident as its operators lived it: what their first code did, and what was seen then. The world must be able to hurt. */
export interface OldWay<Where extends MacScene = Scene> {
  /** `I01`, as in the list of incidents. */
  readonly id: string;
  readonly title: string;
  /** What was done, in one line. */
  readonly did: string;
  /** The documented failure; what `run` tells must match it. */
  readonly seen: RegExp;
  /** Prepares the state, does it the old way, and tells in one line or a few what was seen. */
  run(scene: Where): Promise<string>;
}

export interface Reenactment {
  readonly incident: OldWay;
  readonly said: string;
  /** Whether the world hurt as documented. */
  readonly hurt: boolean;
}

/** Lives one incident through again in a scene of its own. */
export async function reenact(incident: OldWay, openScene: () => Promise<Scene>): Promise<Reenactment> {
  const scene = await openScene();
  try {
    const said = await incident.run(scene);
    return { incident, said: said.trim(), hurt: incident.seen.test(said) };
  } finally {
    await scene.close();
  }
}

/** Three lines an incident: what it is, what was done, what was seen. */
export const describeReenactment = ({ incident, said, hurt }: Reenactment): string => {
  const line = said.split('\n').find(text => incident.seen.test(text));
  const seen = (line ?? said).replaceAll(/\s+/g, ' ').trim();
  // What is told in several lines is told best by its end.
  const short = seen.length > 160 ? `…${seen.slice(-160)}` : seen;
  return `${incident.id} ${incident.title}
    done the old way: ${incident.did}
    ${hurt ? 'fails with' : 'DID NOT HURT'}: ${short}`;
};
