import { HEADINGS, type IncidentPage, proseOf } from './incident-page.ts';
import type { KnownNames } from './known-names.ts';

/** Words of macOS, Tart, Kubernetes and the older system, told as what was seen there. */
const OF_OTHERS = new Set([
  '--token',
  'InfrastructureTemplateCloningFailed',
  'OS_REASON_CODESIGNING',
  'RemoteConnectionProbe',
  'TART_REGISTRY_PASSWORD',
  'TART_REGISTRY_USERNAME',
  'TartCreateFailed',
]);

/** Headings that are missing, doubled or out of their order. */
export function headingProblems({ file, parts }: IncidentPage): string[] {
  const wanted = [...HEADINGS, ...(parts.has('Open') ? ['Open'] : [])].join(', ');
  const there = [...parts.keys()].join(', ');
  return there === wanted ? [] : [`${file} has the headings ${there}, wanted ${wanted}`];
}

/** Names in backticks that look like one of ours and are not. */
export function nameProblems(page: IncidentPage, known: KnownNames): string[] {
  const prose = proseOf(page);
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  const steps = [...prose.matchAll(/\bsteps? (`[\w-]+`(?: and `[\w-]+`)?)/g)].flatMap(([, named = '']) =>
    [...named.matchAll(/`([\w-]+)`/g)].map(([, step = '']) => step),
  );
  return [
    ...spans.filter(span => isUnknown(span, known)).map(span => `${page.file}: nobody knows \`${span}\``),
    ...steps.filter(step => !known.steps.has(step)).map(step => `${page.file}: there is no step \`${step}\``),
  ];
}

function isUnknown(span: string, { words, errorCodes, metrics, help }: KnownNames): boolean {
  if (OF_OTHERS.has(span)) return false;
  if (/^[A-Z][A-Z\d]*(_[A-Z\d]+)+$/.test(span)) return !errorCodes.has(span);
  if (/^(minifleet|tart_kubelet|tuist_runners)_\w+$/.test(span)) return !metrics.has(span);
  if (/^[A-Z][A-Za-z]+$/.test(span)) return !words.has(span);
  if (/^--[a-z][a-z-]+$/.test(span)) return !help.includes(span);
  const command = /^minifleet [a-z][a-z -]*[a-z]/.exec(span)?.[0].replace(/ -.*/, '');
  return command !== undefined && !help.includes(`\`${command}`);
}
