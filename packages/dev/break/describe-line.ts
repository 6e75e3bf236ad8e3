import type { Paint } from '@minifleet/cli/terminal';
import type { StrikeLine } from './strike.ts';

/** What is told of a strike, for people. */
export function describeLine(line: StrikeLine, paint: Paint): string {
  if ('struck' in line) {
    const { id, host, did, promise } = line.struck;
    return `${paint.bad('!')} ${id} on ${host}: ${did}\n  now it must be seen that ${promise}\n`;
  }
  if ('notSeen' in line) {
    return `${paint.bad('✗')} not seen within ${line.seconds.toFixed(0)} s: ${line.notSeen}; ${line.instead}\n`;
  }
  if ('mended' in line) return `${paint.good('✓')} ${line.mended.host}: what ${line.mended.id} left is put right\n`;
  if ('failed' in line) return `${paint.bad('✗')} ${line.failed}\n`;
  const [how, words] = Object.entries(line.seen)[0] ?? [];
  return `${paint.good('✓')} ${how} after ${line.seconds.toFixed(1)} s: ${words}\n`;
}
