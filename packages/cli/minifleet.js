#!/usr/bin/env node
/**
 * Most of a short command's time goes into compiling TypeScript. This file is JavaScript, so that the compile cache is on before
 * the first TypeScript file is loaded.
 */
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'minifleet', 'compiled'));
const { main } = await import('./main.ts');
await main();
