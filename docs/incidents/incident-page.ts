import { globSync, readFileSync } from 'node:fs';

/** One incident page. */
export interface IncidentPage {
  readonly file: string;
  /** `I01`, or `F01` for incidents from notes on the older system. */
  readonly id: string;
  readonly title: string;
  /** Sections by heading, in page order. */
  readonly parts: ReadonlyMap<string, string>;
}

/** Required headings in order; `Open` may follow. */
export const HEADINGS = ['Symptom', 'Cause', 'What minifleet does', 'How to see it', 'Shown by'] as const;

export const folder = new URL('./', import.meta.url);

export function parsePage(file: string, text: string): IncidentPage {
  const [head = '', ...parts] = text.split(/^## /m);
  const [, id = '', title = ''] = /^# ([IF]\d\d): (.+)$/m.exec(head) ?? [];
  return { file, id, title, parts: new Map(parts.map(splitHeading)) };
}

function splitHeading(part: string): [string, string] {
  const end = part.indexOf('\n');
  return [part.slice(0, end), part.slice(end + 1)];
}

export const incidentPages = (): readonly IncidentPage[] =>
  globSync('[IF]*.md', { cwd: folder })
    .sort()
    .map(file => parsePage(file, readFileSync(new URL(file, folder), 'utf8')));

/** Returns the prose of a page, without screens and test names. */
export const proseOf = ({ parts }: IncidentPage): string =>
  [...parts]
    .filter(([heading]) => heading !== 'Shown by')
    .map(([, text]) => text.replaceAll(/^```\n[^`]*```$/gm, ''))
    .join('\n');
