import process from 'node:process';
import { parseArgs } from 'node:util';
import { scaledClock } from '../scaled-clock.ts';
import { runListener } from './listener.ts';

/** bin/Runner.Listener in a guest: the only file that accesses the process, its environment and the time. */
const { WORLD_RUNNER_ROOT: root = '', WORLD_RUNNER_VERSION: version = '', ...environment } = process.env;
const argv = process.argv.slice(2);
process.title = [`${root}/bin/Runner.Listener`, ...argv].join(' ');

const stop = new AbortController();
let receivedSignal: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (signal === 'SIGINT') process.stdout.write('Exiting...\n');
    receivedSignal ??= signal;
    stop.abort();
  });
}

const { values } = parseArgs({ args: argv, options: { jitconfig: { type: 'string' } }, strict: false });
const { jitconfig } = values;
const inherited = Object.entries(environment).filter(([name]) => !name.startsWith('ACTIONS_RUNNER_INPUT_'));

const code = await runListener({
  root,
  version,
  clock: scaledClock(() => Number(environment['GUEST_SPEED'] ?? 1)),
  jitConfig: typeof jitconfig === 'string' ? jitconfig : environment['ACTIONS_RUNNER_INPUT_JITCONFIG'],
  environment: Object.fromEntries(inherited.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  stop: stop.signal,
  out: line => void process.stdout.write(`${line}\n`),
  err: line => void process.stderr.write(`${line}\n`),
});
// .NET exits with the signal's code after the handlers have run, whatever the program returns (derived).
process.exit(receivedSignal === 'SIGTERM' ? 143 : code);
