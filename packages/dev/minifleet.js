#!/usr/bin/env node
/** The checkout's `minifleet`: the operator's commands and the development commands. JavaScript for the reason in packages/cli/minifleet.js. */
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'minifleet', 'compiled'));
await import('./main.ts');
