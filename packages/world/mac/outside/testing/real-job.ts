import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { machO } from '../../code-signing/mach-o.ts';
import { jobProgramsOf } from '../../launchd/job-program.ts';
import { root } from '../../mac.ts';
import { macParts } from '../../mac-parts.ts';
import { plist } from '../../testing/plist.ts';
import { createTestMac, type TestMac } from '../../testing/test-mac.ts';
import { type AgentOnMacOptions, agentOnMac } from '../agent-on-mac.ts';

export const LABEL = 'dev.tuist.tart-kubelet';
export const PROGRAM = '/usr/local/bin/tart-kubelet';
const LOG = '/var/log/tart-kubelet.log';

export interface RealJob extends TestMac {
  /** The Mac's real folder. */
  readonly folder: string;
  /** Output of the job so far. */
  readonly log: () => string;
  /** Runs a command as root over SSH and returns its output. */
  readonly asRoot: (command: string) => Promise<string>;
}

export interface RealJobOptions extends Partial<AgentOnMacOptions> {
  readonly arguments?: readonly string[];
  /** An sh script used as the executable. */
  readonly script?: string;
  readonly plist?: Readonly<Record<string, unknown>>;
}

/** A Mac on which a real program of this machine is installed as the agent, but not started. */
export function realJob(context: TestContext, options: RealJobOptions): RealJob {
  const small = createTestMac({ parts: macParts });
  const { files } = small.mac;
  const folder = mkdtempSync(join(tmpdir(), 'mac-'));
  context.after(() => {
    small.mac.shutDown();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const script = join(folder, 'program');
  if (options.script !== undefined) writeFileSync(script, `#!/bin/sh\n${options.script}\n`, { mode: 0o755 });
  const binary = options.binary ?? (options.script === undefined ? {} : { binary: script });
  const given = typeof binary === 'string' ? { binary } : binary;
  jobProgramsOf(small.mac).set(PROGRAM, agentOnMac(small.mac, { directory: folder, ...options, ...given }));
  files.makeDirectory(root, '/usr/local/bin', { parents: true });
  files.write(root, PROGRAM, machO('agent'), { mode: 0o755 });
  const job = {
    Label: LABEL,
    ProgramArguments: [PROGRAM, ...(options.arguments ?? [])],
    UserName: 'm1',
    KeepAlive: true,
    RunAtLoad: true,
    StandardOutPath: LOG,
    StandardErrorPath: LOG,
    ...options.plist,
  };
  files.write(root, `/Library/LaunchDaemons/${LABEL}.plist`, plist(job));
  files.write(root, LOG, '');
  files.chown(root, LOG, 501, 20);
  return {
    ...small,
    folder,
    log: () => files.read(root, LOG).toString(),
    asRoot: async command => (await small.run(command, { user: root })).out,
  };
}

export const BOOTSTRAP = `launchctl bootstrap system /Library/LaunchDaemons/${LABEL}.plist`;
