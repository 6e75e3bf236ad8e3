#!/usr/bin/env node
/**
 * What takes longest in a short command is to compile it, and most of that to strip it of its types. Whatever is loaded before the
 * cache is on is compiled each time: so this file, which is not TypeScript, and nothing else.
 */
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'minifleet', 'compiled'));
await import('./main.ts');
