/** Builds the agent as one executable with its SBOM. Equal sources yield equal bytes on any machine. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BaseBinary, findBaseBinary, inject } from './base-binary.ts';
import { type Bundle, bundle } from './bundle.ts';

import { readLockfile } from './lockfile.ts';
import { signMachO } from './mach-o/sign-mach-o.ts';
import { verifyMachO } from './mach-o/verify-mach-o.ts';
import type { AgentPlatform } from './platform.ts';
import { sbom } from './sbom.ts';

/** launchd label of the agent, which macOS shows for a signature without an identity. */
const IDENTIFIER = 'dev.tuist.tart-kubelet';

export interface AgentBuildOptions {
  /** Root of the checkout. */
  readonly root: string;
  readonly platform: AgentPlatform;
  /** Output folder of the executable and its SBOM. */
  readonly out: string;
  readonly cache: string;
  /** The Node that builds. */
  readonly node: string;
  /** Program, relative to the root (default: the agent). */
  readonly main?: string;
  /** Called at the start of each step; the returned object reports its progress and end. */
  readonly step: (title: string) => BuildStep;
}

interface BuildStep {
  update(detail: string): void;
  done(detail?: string): void;
  failed(detail: string): void;
}

export interface BuiltAgent {
  readonly executable: string;
  readonly sbom: string;
  readonly bytes: number;
  readonly bundleBytes: number;
  readonly sha256: string;
}

export async function buildAgent(options: AgentBuildOptions): Promise<BuiltAgent> {
  const { root, platform, cache, node } = options;
  const main = options.main ?? 'packages/tart-kubelet/main.ts';
  const bundled = await stage(options, 'bundle', async () => {
    const made = await bundle(root, main);
    return [made, `${megabytes(made.code.length)} from ${made.inputs.length} files`];
  });
  const base = await stage(options, `Node for ${platform.name}`, async say => {
    const found = await findBaseBinary(platform, { root, cache, say });
    return [found, `${platform.basePackage} ${found.version}`];
  });
  const plain = await stage(options, 'one executable', async () => [await inject(bundled.code, base, node)]);
  const content = platform.signed ? await stage(options, 'signature', async () => sign(plain)) : plain;
  return write(options, { content, bundled, base });
}

/** Signs, and verifies the result as macOS will. */
function sign(plain: Buffer): [Buffer, string] {
  const signed = signMachO(plain, IDENTIFIER);
  const { problems, pages } = verifyMachO(signed);
  if (problems.length > 0) throw new Error(`macOS would reject the executable: ${problems.join(', ')}`);
  return [signed, `${pages} pages hashed and verified`];
}

interface AgentContent {
  readonly content: Buffer;
  readonly bundled: Bundle;
  readonly base: BaseBinary;
}

async function write(
  { root, platform, out }: AgentBuildOptions,
  { content, bundled, base }: AgentContent,
): Promise<BuiltAgent> {
  const sha256 = createHash('sha256').update(content).digest('hex');
  const { version } = JSON.parse(await readFile(join(root, 'packages/tart-kubelet/package.json'), 'utf8')) as {
    version: string;
  };
  const list = sbom({
    lockfile: readLockfile(join(root, 'package-lock.json')),
    inputs: bundled.inputs,
    runtime: { name: platform.basePackage, locked: base.locked },
    binary: { name: 'tart-kubelet', version, sha256 },
  });
  const executable = join(out, `tart-kubelet-${platform.name}`);
  await mkdir(out, { recursive: true });
  // Renamed into place, so that a running agent keeps its old file.
  await writeFile(`${executable}.part`, content, { mode: 0o755 });
  await rename(`${executable}.part`, executable);
  await writeFile(`${executable}.cdx.json`, `${JSON.stringify(list, undefined, 2)}\n`);
  const sizes = { bytes: content.length, bundleBytes: Buffer.byteLength(bundled.code) };
  return { executable, sbom: `${executable}.cdx.json`, ...sizes, sha256 };
}

type BuildStage<T> = (say: (detail: string) => void) => Promise<readonly [T, string?]>;

async function stage<T>({ step }: AgentBuildOptions, title: string, work: BuildStage<T>): Promise<T> {
  const shown = step(title);
  try {
    const [result, detail] = await work(detail => shown.update(detail));
    shown.done(detail);
    return result;
  } catch (error) {
    shown.failed(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
