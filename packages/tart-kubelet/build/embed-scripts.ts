import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** A bundle has no files next to it: the host's shell scripts go into it as text, behind the same function. */
export const embedScripts = (hostPackage: string): Plugin => ({
  name: 'embed-scripts',
  setup(build) {
    build.onLoad({ filter: /\/load-script\.ts$/ }, ({ path }) =>
      path === join(hostPackage, 'load-script.ts')
        ? { contents: embedded(join(hostPackage, 'scripts')), loader: 'ts' }
        : undefined,
    );
  },
});

function embedded(directory: string): string {
  const names = readdirSync(directory).filter(name => name.endsWith('.sh'));
  const texts = Object.fromEntries(
    // In one order everywhere: folders are listed differently on other machines.
    names.sort().map(name => [name.slice(0, -'.sh'.length), readFileSync(join(directory, name), 'utf8')]),
  );
  return `const texts: Readonly<Record<string, string>> = ${JSON.stringify(texts)};
export function loadScript(name: string): string {
  const text = texts[name];
  if (text === undefined) throw new Error('this build has no script ' + name);
  return text;
}
`;
}
