import { agentOurWay } from './agent.ts';
import { builderOurWay } from './builder.ts';
import { firewallOurWay } from './firewall.ts';
import { loginOurWay } from './login.ts';
import { notesOurWay } from './notes.ts';
import type { OurWay } from './our-way.ts';

/** Every incident that lives on a host, done our way, by its id. */
export const ourWays: readonly OurWay[] = [
  ...firewallOurWay,
  ...loginOurWay,
  ...agentOurWay,
  ...builderOurWay,
  ...notesOurWay,
].sort((one, other) => one.id.localeCompare(other.id));
