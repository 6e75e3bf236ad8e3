import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { dropUnused } from './drop-unused.ts';
import { embedScripts } from './embed-scripts.ts';
import { NATIVE_CODE, withoutNativeCode } from './without-native-code.ts';

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
