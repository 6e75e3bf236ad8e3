import type { Trouble } from './trouble.ts';
import { troublesInForge } from './troubles-in-forge.ts';
import { troublesOfLives } from './troubles-of-lives.ts';
import { troublesOnMacs } from './troubles-on-macs.ts';

export const troubles: readonly Trouble[] = [...troublesOfLives, ...troublesInForge, ...troublesOnMacs];
