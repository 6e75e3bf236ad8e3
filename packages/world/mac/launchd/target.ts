import type { Run } from '../program.ts';
import { type DomainName, domainText, findJob, type Job } from './launchd.ts';

/** `system/label`, `gui/501/label`, or a domain alone. */
export interface Target {
  readonly domain: DomainName;
  readonly label?: string;
}

/** Undefined when it names no domain. */
export function parseTarget(text: string): Target | undefined {
  const parts = text.split('/');
  if (parts[0] === 'system') return target('system', parts.slice(1));
  if ((parts[0] === 'gui' || parts[0] === 'user') && /^\d+$/.test(parts[1] ?? ''))
    return target(`${parts[0]}/${parts[1]}`, parts.slice(2));
  return undefined;
}

function target(domain: DomainName, rest: readonly string[]): Target {
  const label = rest.join('/');
  return label === '' ? { domain } : { domain, label };
}

/** The job, or 113 with its words. */
export function jobOrSay(run: Run, { domain, label = '' }: Target): Job | number {
  const job = findJob(run.mac, domain, label);
  if (job) return job;
  run.err(`Could not find service "${label}" in domain for ${domainText(domain)}\n`);
  return 113;
}

/** Root may do all; a person only in their own domains. */
export const mayControl = (run: Run, domain: DomainName): boolean =>
  run.user.uid === 0 || (domain !== 'system' && domain.split('/')[1] === String(run.user.uid));
