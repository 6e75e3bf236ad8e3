import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/** Test reporter that prints only failed tests, because a reader of a long log reads its end first. */
// biome-ignore lint/style/noDefaultExport: the test runner requires a default export.
export default async function* failuresOnly(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.todo !== undefined) continue;
    const { failureType, cause } = data.details.error as Error & { readonly failureType?: string };
    // The failed subtests are reported separately.
    if (failureType === 'subtestsFailed') continue;
    yield `\n✖ ${data.name} (${placeOf(data)})\n${indented(cause instanceof Error ? inspect(cause) : String(cause))}\n`;
  }
}

const placeOf = ({ file, line }: { readonly file?: string; readonly line?: number }): string =>
  file === undefined ? 'no file' : `${relative(process.cwd(), file)}:${line ?? 0}`;

const indented = (text: string): string => text.replace(/^/gm, '  ');
