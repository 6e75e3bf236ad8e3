import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

const NATIVE_CODE = 'native-code';

/** One file cannot hold native add-ons. Packages that have one for speed (ssh2) catch its absence and go on without. */
const withoutNativeCode: Plugin = {
  name: 'without-native-code',
  setup(build) {
    build.onResolve({ filter: /\.node$/ }, ({ path }) => ({ path, namespace: NATIVE_CODE }));
    build.onLoad({ filter: /.*/, namespace: NATIVE_CODE }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`this build has no native code: ${path}`)});`,
    }));
  },
};

export interface Bundle {
  readonly code: string;
  /** Every file that gave something to it, from the root of the checkout. */
  readonly inputs: readonly string[];
}

/** Packages in CommonJS ask for Node's modules with `require`, which a module does not have. */
const REQUIRE = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(process.execPath);`;

/** A program and all it imports as one module. Names are kept, so that a stack trace can be read; they cost 0.1 % of the binary. */
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
    // Packages of a test's own checkout are found where the workspaces are.
    nodePaths: [join(root, 'node_modules')],
    banner: { js: REQUIRE },
    // ssh2 names a helper for Windows by it; a module has none.
    define: { __dirname: '"/"' },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'eof',
    logLevel: 'silent',
    outfile: 'program.mjs',
    // Importing a file for its effect alone would be dropped with the rest: none of ours may.
    logOverride: { 'ignored-bare-import': 'error' },
    plugins: [dropUnused(join(root, 'packages')), embedScripts(join(root, 'packages/host')), withoutNativeCode],
  });
  const [output] = outputFiles;
  if (!output) throw new Error(`esbuild made nothing of ${main}`);
  const code = output.text;
  refuseFilesBeside(code);
  return { code, inputs: inputsOf(metafile) };
}

/** What reads a file beside its source would fail on the Mac, and only there. */
function refuseFilesBeside(code: string): void {
  const at = code.search(/import\.meta\.(url|dirname|filename|resolve)/);
  if (at < 0) return;
  throw new Error(
    `the bundle reads a file beside its source: …${code.slice(Math.max(0, at - 80), at + 40)}…; embed it as build/embed-scripts.ts does`,
  );
}

const inputsOf = ({ outputs }: Metafile): string[] =>
  Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    // What stands for native code is ours, and of no package.
    .flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 && !path.startsWith(`${NATIVE_CODE}:`) ? [path] : []))
    .sort();

/**
 * Files of ours that nothing is used of are left out, with all they import: the agent takes the host's steps, not its SSH
 * client. Importing one of our files has no effect by itself; esbuild cannot know that.
 */
const dropUnused = (packages: string): Plugin => ({
  name: 'drop-unused',
  setup(build) {
    build.onResolve({ filter: /^(@minifleet\/|\.)/ }, async ({ path, pluginData, ...from }) => {
      // The question below comes by here again.
      if (pluginData === dropUnused || from.kind === 'entry-point') return undefined;
      const { importer, resolveDir, kind } = from;
      const found = await build.resolve(path, { importer, resolveDir, kind, pluginData: dropUnused });
      const ours = found.path.startsWith(`${packages}/`) && !found.path.includes('/node_modules/');
      return ours && found.errors.length === 0 ? { path: found.path, sideEffects: false } : found;
    });
  },
});

/** A bundle has no files next to it: the host's shell scripts go into it as text, behind the same function. */
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
