import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

const NATIVE_CODE = 'native-code';

/** A single file cannot contain native add-ons. Packages that have one for speed (ssh2) work without it. */
const withoutNativeCode: Plugin = {
  name: 'without-native-code',
  setup(build) {
    build.onResolve({ filter: /\.node$/ }, ({ path }) => ({ path, namespace: NATIVE_CODE }));
    build.onLoad({ filter: /.*/, namespace: NATIVE_CODE }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`native code is not available in this build: ${path}`)});`,
    }));
  },
};

export interface Bundle {
  readonly code: string;
  /** Files that contribute to the bundle, relative to the root of the checkout. */
  readonly inputs: readonly string[];
}

/** CommonJS packages load Node's modules with `require`, which an ES module does not have. */
const REQUIRE = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(process.execPath);`;

/**
 * Bundles a program and its imports into one module. Names are kept for readable stack traces; they cost 0.1 % of the
 * binary.
 */
export async function bundle(root: string, main: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [main],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node26',
    format: 'esm',
    // Resolves packages from a test's checkout in the workspace's node_modules.
    nodePaths: [join(root, 'node_modules')],
    banner: { js: REQUIRE },
    // ssh2 uses it to locate a helper for Windows; an ES module has none.
    define: { __dirname: '"/"' },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'eof',
    logLevel: 'silent',
    outfile: 'program.mjs',
    // A bare import would be dropped as unused, so none is allowed in this repository.
    logOverride: { 'ignored-bare-import': 'error' },
    plugins: [dropUnused(join(root, 'packages')), embedScripts(join(root, 'packages/host')), withoutNativeCode],
  });
  const [output] = outputFiles;
  if (!output) throw new Error(`esbuild produced no output for ${main}`);
  const code = output.text;
  rejectFilesBesideSource(code);
  return { code, inputs: inputsOf(metafile) };
}

/** Rejects code that reads a file beside its source, which would fail on the Mac, and only there. */
function rejectFilesBesideSource(code: string): void {
  const at = code.search(/import\.meta\.(url|dirname|filename|resolve)/);
  if (at < 0) return;
  throw new Error(
    `the bundle reads a file beside its source: …${code.slice(Math.max(0, at - 80), at + 40)}…; embed it as build/embed-scripts.ts does`,
  );
}

const inputsOf = ({ outputs }: Metafile): string[] =>
  Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    // Stubs for native code belong to no package.
    .flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 && !path.startsWith(`${NATIVE_CODE}:`) ? [path] : []))
    .sort();

/**
 * Leaves out unused files of this repository, with all their imports: the agent uses the host's steps, but not its SSH
 * client. Importing a file of this repository has no side effects; esbuild cannot know that.
 */
const dropUnused = (packages: string): Plugin => ({
  name: 'drop-unused',
  setup(build) {
    build.onResolve({ filter: /^(@minifleet\/|\.)/ }, async ({ path, pluginData, ...from }) => {
      // The resolve call below triggers this hook again.
      if (pluginData === dropUnused || from.kind === 'entry-point') return undefined;
      const { importer, resolveDir, kind } = from;
      const found = await build.resolve(path, { importer, resolveDir, kind, pluginData: dropUnused });
      const ours = found.path.startsWith(`${packages}/`) && !found.path.includes('/node_modules/');
      return ours && found.errors.length === 0 ? { path: found.path, sideEffects: false } : found;
    });
  },
});

/** Embeds the host's shell scripts as text, behind the same function: a bundle has no files next to it. */
const embedScripts = (hostPackage: string): Plugin => ({
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
    // Sorted, because the order of directory listings differs between machines.
    names.sort().map(name => [name.slice(0, -'.sh'.length), readFileSync(join(directory, name), 'utf8')]),
  );
  return `const texts: Readonly<Record<string, string>> = ${JSON.stringify(texts)};
export function loadScript(name: string): string {
  const text = texts[name];
  if (text === undefined) throw new Error('script not found in this build: ' + name);
  return text;
}
`;
}
