import type { Trouble } from './trouble.ts';
import { troublesByForce } from './troubles-by-force.ts';
import { troublesByHand } from './troubles-by-hand.ts';
import { troublesOfLives } from './troubles-of-lives.ts';

export const troubles: readonly Trouble[] = [...troublesOfLives, ...troublesByHand, ...troublesByForce];
