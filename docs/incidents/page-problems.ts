import { HEADINGS, type IncidentPage, proseOf } from './incident-page.ts';
import type { KnownNames } from './known-names.ts';

/** Names of macOS, Tart, Kubernetes and the older system. */
const EXTERNAL_NAMES = new Set([
  '--token',
  'InfrastructureTemplateCloningFailed',
  'OS_REASON_CODESIGNING',
  'RemoteConnectionProbe',
  'TART_REGISTRY_PASSWORD',
  'TART_REGISTRY_USERNAME',
  'TartCreateFailed',
]);

/** Reports headings that are missing, repeated or out of order. */
export function headingProblems({ file, parts }: IncidentPage): string[] {
  const expected = [...HEADINGS, ...(parts.has('Open') ? ['Open'] : [])].join(', ');
  const actual = [...parts.keys()].join(', ');
  return actual === expected ? [] : [`${file} has the headings ${actual}, expected ${expected}`];
}

/** Reports names in backticks that look like Minifleet names but do not exist. */
export function nameProblems(page: IncidentPage, known: KnownNames): string[] {
  const prose = proseOf(page);
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  const steps = [...prose.matchAll(/\bsteps? (`[\w-]+`(?: and `[\w-]+`)?)/g)].flatMap(([, named = '']) =>
    [...named.matchAll(/`([\w-]+)`/g)].map(([, step = '']) => step),
  );
  return [
    ...spans.filter(span => isUnknown(span, known)).map(span => `${page.file}: \`${span}\` does not exist`),
    ...steps.filter(step => !known.steps.has(step)).map(step => `${page.file}: there is no step \`${step}\``),
  ];
}

function isUnknown(span: string, { words, errorCodes, metrics, help }: KnownNames): boolean {
  if (EXTERNAL_NAMES.has(span)) return false;
  if (/^[A-Z][A-Z\d]*(_[A-Z\d]+)+$/.test(span)) return !errorCodes.has(span);
  if (/^(minifleet|tart_kubelet|tuist_runners)_\w+$/.test(span)) return !metrics.has(span);
  if (/^[A-Z][A-Za-z]+$/.test(span)) return !words.has(span);
  if (/^--[a-z][a-z-]+$/.test(span)) return !help.includes(span);
  const command = /^minifleet [a-z][a-z -]*[a-z]/.exec(span)?.[0].replace(/ -.*/, '');
  return command !== undefined && !help.includes(`\`${command}`);
}
