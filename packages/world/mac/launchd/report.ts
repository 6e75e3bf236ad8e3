import type { Run } from '../mac.ts';
import { jobOrSay, parseTarget } from './control.ts';
import { type DomainName, domainExists, type LaunchdJob, launchdOf } from './launchd.ts';
import { printDomain, printJob, statusOf } from './print-job.ts';

/** `print <domain>` or `print <domain>/<label>`; permitted for all users. */
export function print(run: Run, [name = '']: readonly string[]): number {
  const target = parseTarget(name);
  if (!target) {
    if (/^(pid|login|session)\//.test(name))
      run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, `launchctl print ${name}`);
    run.err(`Unrecognized target specifier: ${name}\n`);
    return 64;
  }
  if (!domainExists(run.mac, target.domain)) {
    // Derived: the number is documented for bootstrap (facts §4), the text before it is not.
    run.err('Could not print domain: 125: Domain does not support specified action\n');
    return 125;
  }
  if (target.label === undefined) {
    run.out(printDomain(run.mac, target.domain));
    return 0;
  }
  const job = findOrBad(run, target);
  if (typeof job === 'number') return job;
  run.out(printJob(job));
  return 0;
}

function findOrBad(run: Run, target: { domain: DomainName; label?: string }): LaunchdJob | number {
  const known = launchdOf(run.mac).jobs.has(`${target.domain}/${target.label}`);
  if (!known) run.err('Bad request.\n');
  return jobOrSay(run, target);
}

/** `print-disabled <domain>` */
export function printDisabled(run: Run, [domain = '']: readonly string[]): number {
  const lines = [...launchdOf(run.mac).overrides]
    .filter(([key]) => key.startsWith(`${domain}/`))
    .map(([key, enabled]) => `\t\t"${key.slice(domain.length + 1)}" => ${enabled ? 'enabled' : 'disabled'}\n`);
  run.out(`\n\tdisabled services = {\n${lines.join('')}\t}\n`);
  return 0;
}

/**
 * `list [label]`: only the caller's own domain. From an SSH session, a user does not see the jobs of the session at the
 * screen (facts §10).
 */
export function list(run: Run, [label]: readonly string[]): number {
  const own = run.session === 'aqua' ? `gui/${run.user.uid}` : `user/${run.user.uid}`;
  const domain = run.user.uid === 0 ? 'system' : own;
  const jobs = [...launchdOf(run.mac).jobs.values()].filter(job => job.domain === domain);
  if (label === undefined) {
    run.out('PID\tStatus\tLabel\n');
    for (const job of jobs) run.out(`${job.process?.pid ?? '-'}\t${status(job)}\t${job.definition.label}\n`);
    return 0;
  }
  const job = jobs.find(one => one.definition.label === label);
  if (!job) {
    run.err(`Could not find service "${label}" in domain for port\n`);
    return 113;
  }
  run.out(dictionary(job));
  return 0;
}

const status = (job: LaunchdJob): string => (statusOf(job) === '-' ? '0' : statusOf(job));

function dictionary(job: LaunchdJob): string {
  const { definition, process } = job;
  const lines = [
    `"LimitLoadToSessionType" = "${job.domain.startsWith('gui/') ? 'Aqua' : 'System'}";`,
    `"Label" = "${definition.label}";`,
    `"OnDemand" = ${definition.keepAlive === true ? 'false' : 'true'};`,
    `"LastExitStatus" = ${status(job)};`,
    ...(process ? [`"PID" = ${process.pid};`] : []),
    `"Program" = "${definition.program}";`,
  ];
  return `{\n${lines.map(line => `\t${line}\n`).join('')}};\n`;
}

/** `blame <service>`: the reason it runs. */
export function blame(run: Run, [name = '']: readonly string[]): number {
  const target = parseTarget(name);
  if (!target?.label) return 64;
  const job = jobOrSay(run, target);
  if (typeof job === 'number') return job;
  run.out(job.process ? 'speculative\n' : '(not running)\n');
  return 0;
}

/** `managername`: the type of the caller's session. */
export function sessionName(run: Run): number {
  const names = { aqua: 'Aqua', ssh: 'Background', launchd: 'System' };
  run.out(`${run.user.uid === 0 && run.session !== 'aqua' ? 'System' : names[run.session]}\n`);
  return 0;
}
