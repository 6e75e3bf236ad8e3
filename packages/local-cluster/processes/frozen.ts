/** Whether a stopped process has come to rest: the signal returns at once, its threads halt one by one after it. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export async function frozen(pid: number): Promise<boolean> {
  const tasks = `/proc/${pid}/task`;
  // Where there is no /proc (a developer's Mac) nothing tells; the signal alone must do there.
  const threads = await readdir(tasks).catch(() => []);
  const states = await Promise.all(threads.map(thread => stateOf(path.join(tasks, thread, 'stat'))));
  return states.every(state => state === 'T' || state === 'gone');
}

// The command name stands in parentheses before the state and may itself hold spaces and parentheses.
async function stateOf(stat: string): Promise<string> {
  const text = await readFile(stat, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[0] || 'gone';
}
