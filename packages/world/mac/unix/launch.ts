import type { Program, Run } from '../mac.ts';
import { inputOf } from '../processes/pipe.ts';
import { findExecutable, runProgram } from '../processes/run-program.ts';
import { nameOf, parseOptions } from './getopt.ts';

/** Runs another program as a child. */
async function launch(
  run: Run,
  argv: readonly string[],
  changes: Partial<Pick<Run, 'environment' | 'stdin'>> = {},
): Promise<number> {
  const request = { ...run, ...changes, argv, out: { write: run.out }, err: { write: run.err } };
  const found = findExecutable(run.mac, request);
  if ('program' in found) return runProgram(run.mac, found, request);
  if ('killed' in found) return 137;
  run.err(
    `${nameOf(run)}: ${argv[0]}: ${found.failure === 'permission denied' ? 'Permission denied' : 'No such file or directory'}\n`,
  );
  return found.failure === 'permission denied' ? 126 : 127;
}

/** Prints one variable, or exits with 1 if it is not set. */
export const printenv: Program = run => {
  const text = run.environment[run.argv[1] ?? ''];
  if (text === undefined) return 1;
  run.out(`${text}\n`);
  return 0;
};

export const env: Program = run => {
  const words = run.argv.slice(1);
  let environment: Record<string, string> = { ...run.environment };
  while (words[0] === '-i' || words[0] === '-' || words[0] === '-u' || words[0] === '-S') {
    const flag = words.shift();
    if (flag === '-u') delete environment[words.shift() ?? ''];
    else if (flag === '-S') words.splice(0, 1, ...(words[0] ?? '').split(/\s+/));
    else environment = {};
  }
  for (let word = words[0]; word !== undefined && /^[A-Za-z_]\w*=/.test(word); word = words[0]) {
    environment[word.slice(0, word.indexOf('='))] = word.slice(word.indexOf('=') + 1);
    words.shift();
  }
  if (words.length > 0) return launch(run, words, { environment });
  for (const [name, value] of Object.entries(environment)) run.out(`${name}=${value}\n`);
  return 0;
};

export const nohup: Program = run => launch(run, run.argv.slice(1));

export const xargs: Program = async run => {
  const options = parseOptions(run, {
    letters: '0rI:n:tP:',
    usage: 'xargs [-0oprt] [-E eofstr] [-I replstr [-R replacements]] [utility [argument ...]]',
  });
  if (typeof options === 'number') return options;
  const text = (await run.readStdin()).toString();
  const replaced = options.value('I');
  const items = text.split(options.has('0') ? '\0' : replaced === undefined ? /\s+/ : '\n').filter(item => item !== '');
  const command = options.operands.length > 0 ? options.operands : ['/bin/echo'];
  const size = Number(options.value('n') ?? (replaced === undefined ? 5_000 : 1));
  let code = 0;
  for (let at = 0; at < items.length; at += size) {
    const batch = items.slice(at, at + size);
    const argv =
      replaced === undefined ? [...command, ...batch] : command.map(word => word.replaceAll(replaced, batch[0] ?? ''));
    if ((await launch(run, argv, { stdin: inputOf('') })) !== 0) code = 1;
  }
  return code;
};

export const which: Program = run => {
  const options = parseOptions(run, { letters: 'as', usage: 'which [-as] program ...' });
  if (typeof options === 'number') return options;
  let missing = 0;
  for (const name of options.operands) {
    const directory = (run.environment['PATH'] ?? '')
      .split(':')
      .find(path => run.mac.files.exists(run.user, `${path}/${name}`));
    if (directory === undefined) missing = 1;
    else if (!options.has('s')) run.out(`${directory}/${name}\n`);
  }
  return missing;
};
