import { inspect } from 'node:util';
import { type BuiltMac, root } from '@minifleet/world/mac';
import type { Canary } from './canary.ts';

/** Searches whatever a logger could make of a value: its words, its stack, its causes, JSON, and all that inspect shows. */
export function searchValue(canary: Canary, where: string, value: unknown): void {
  canary.search(`${where}, inspected`, inspect(value, { depth: 12, maxStringLength: null, maxArrayLength: null }));
  canary.search(`${where}, as JSON`, JSON.stringify(value) ?? '');
  for (let error = value; error instanceof Error; error = error.cause) {
    canary.search(`${where}, its message`, error.message);
    canary.search(`${where}, its stack`, error.stack ?? '');
    canary.search(`${where}, as a string`, String(error));
  }
}

/** Files that may contain a secret: kcpassword, the agent's kubeconfig, the credentials of a registered runner. */
const BELONGS = /^\/(private\/)?etc\/(kcpassword|tart-kubelet\/kubeconfig)$|^\/opt\/actions-runner\/\.credentials/;

/** Searches every other file of a Mac, names and all. */
export function searchFiles(canary: Canary, { files }: BuiltMac, folder = '/'): void {
  for (const name of files.list(root, folder)) {
    const path = `${folder === '/' ? '' : folder}/${name}`;
    const { type } = files.stat(root, path, { followLinks: false });
    if (type === 'directory') searchFiles(canary, { files } as BuiltMac, path);
    else if (type === 'link') canary.search(`the link ${path}`, `${path} ${files.readLink(root, path)}`);
    else if (!BELONGS.test(path))
      canary.search(`the file ${path}`, Buffer.concat([Buffer.from(`${path}\n`), files.read(root, path)]));
  }
}

/** Searches all that anyone on a Mac could have seen: every command line and what every process was started with. */
export function searchHistory(canary: Canary, { around }: BuiltMac): void {
  for (const { what, detail } of around.journal.entries) canary.search(`history: ${what}`, `${what} ${detail}`);
}
