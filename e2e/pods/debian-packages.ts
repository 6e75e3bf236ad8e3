import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Reporter } from '@minifleet/local-cluster';

/** Debian packages of a Linux Node, with a file of each that shows that it is installed. */
const PACKAGES: Readonly<Record<string, string>> = {
  containerd: '/usr/bin/containerd',
  'containernetworking-plugins': '/usr/lib/cni/bridge',
  iproute2: '/usr/sbin/ip',
  iptables: '/usr/sbin/iptables',
  runc: '/usr/sbin/runc',
};

const run = promisify(execFile);

/** Installs what is missing. */
export async function installPackages(reporter: Reporter): Promise<void> {
  const missing: string[] = [];
  for (const [name, file] of Object.entries(PACKAGES)) {
    if (
      !(await access(file).then(
        () => true,
        () => false,
      ))
    )
      missing.push(name);
  }
  if (missing.length === 0) return;
  const step = reporter.step(`installing ${missing.join(', ')}`);
  // Debian starts a service when it installs one, unless this policy forbids it.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const install = () => run('apt-get', ['install', '-y', '--no-install-recommends', ...missing], { env });
  try {
    await install().catch(() => run('apt-get', ['update', '-qq']).then(install));
    step.done();
  } catch (error) {
    step.failed('not installed');
    const why = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    throw new Error(
      `packages of a Linux Node: ${missing.join(', ')} could not be installed (${why}); run as root on Debian or Ubuntu, or install them: apt-get install ${missing.join(' ')}`,
    );
  }
}
