import { HOST_SUDO_NEEDED, type StepReport } from '@minifleet/host';
import { type Diagnosis, healthy, problem, unknown } from '../../diagnosis/diagnosis.ts';
import type { SuggestedCommands } from './diagnose-facts.ts';

/** Returns one row for each step that differs, one for all current steps, and one for all steps that need sudo to be inspected. */
export function diagnoseSteps(reports: readonly StepReport[], { converge }: SuggestedCommands): Diagnosis[] {
  const current = reports.filter(({ state }) => state === 'current');
  const needSudo = reports.filter(({ error }) => error?.code === HOST_SUDO_NEEDED.code);
  const rest = reports.filter(report => !current.includes(report) && !needSudo.includes(report));
  const count = current.length === reports.length ? 'all' : `${current.length} of`;
  return [
    ...rest.map(report => diagnose(report, converge)),
    ...(needSudo.length > 0 ? [unknown('steps', `${needSudo.length} cannot be inspected without sudo`)] : []),
    ...(current.length > 0 ? [healthy('steps', `${count} ${reports.length} are current`)] : []),
  ];
}

function diagnose({ id, state, differences, disturbs }: StepReport, converge: string): Diagnosis {
  const check = `step ${id}`;
  const words = differences.join('; ');
  if (state === 'unknown') return unknown(check, words);
  if (state === 'needs reboot') return problem(check, words, `${converge} --allow running-vms --reboot`);
  const more = disturbs === 'running VMs' ? ' --allow running-vms' : '';
  return problem(check, words, `${converge} --only ${id}${more}`);
}
