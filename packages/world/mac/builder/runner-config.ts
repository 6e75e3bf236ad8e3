import { parseArgs } from 'node:util';
import { pause, seconds } from '@minifleet/clock';
import { processesOf } from '../processes/process-table.ts';
import type { Program, Run } from '../program.ts';
import { builderOf, type Registration } from './builder.ts';
import { scriptText } from './runner-archive.ts';
import { readRunner, refusesRoot, writeFile, writeRunner } from './runner-state.ts';

const RULE = '-'.repeat(80);
const BANNER = `\n${RULE}\n|${'Self-hosted runner registration'.padStart(54).padEnd(78)}|\n${RULE}\n\n# Authentication\n\n`;

/** config.sh of the Actions runner. */
export const configure: Program = async run => {
  if (refusesRoot(run)) return 1;
  const { values, positionals } = understood(run);
  const unknown = Object.keys(values).filter(name => !(name in OPTIONS));
  if (unknown.length > 0) {
    run.mac.around.journal.unmodelled(`mac/${run.mac.options.name}`, `config.sh --${unknown[0]}`);
    run.err(
      `Unrecognized command-line input arguments: '${unknown.join(', ')}'. For usage refer to: .\\config.cmd --help or ./config.sh --help\n`,
    );
    return 1;
  }
  // Everyone on the Mac sees its arguments while it runs: a token among them is no secret (I27).
  const processes = processesOf(run.mac);
  const argv = [`${run.directory}/bin/Runner.Listener`, 'configure', ...run.argv.slice(1)];
  const { pid } = processes.start({ argv, user: run.user, session: run.session });
  try {
    return positionals[0] === 'remove' ? await remove(run) : await register(run, values);
  } finally {
    processes.end(pid, { code: 0 });
  }
};

const OPTIONS = {
  url: { type: 'string' },
  token: { type: 'string' },
  name: { type: 'string' },
  labels: { type: 'string' },
  work: { type: 'string' },
  runnergroup: { type: 'string' },
  unattended: { type: 'boolean' },
  replace: { type: 'boolean' },
  ephemeral: { type: 'boolean' },
  disableupdate: { type: 'boolean' },
  'no-default-labels': { type: 'boolean' },
} as const;

type Values = Readonly<Partial<Record<string, unknown>>>;

const understood = (run: Run): { values: Values; positionals: string[] } =>
  parseArgs({ args: run.argv.slice(1), options: OPTIONS, strict: false, allowPositionals: true });

async function register(run: Run, values: Values): Promise<number> {
  run.out(BANNER);
  if (readRunner(run)) {
    run.err(
      "Cannot configure the runner because it is already configured. To reconfigure the runner, run 'config.cmd remove' or './config.sh remove' first.\n",
    );
    return 1;
  }
  const url = await asked(run, values, 'url');
  const token = await asked(run, values, 'token');
  if (url === undefined || token === undefined) {
    run.err(
      `Invalid configuration provided for ${url === undefined ? 'url' : 'token'}. Terminating unattended configuration.\n`,
    );
    return 1;
  }
  const registration: Registration = {
    url,
    token,
    name: text(values['name']) ?? run.mac.options.name,
    labels: (text(values['labels']) ?? '').split(',').filter(label => label !== ''),
    replace: values['replace'] === true,
    ephemeral: values['ephemeral'] === true,
  };
  await pause(run.mac.around.clock, seconds(1), run.signal);
  const answer = await builderOf(run.mac).forge?.register(registration);
  if (!answer) return failed(run, 'Name or service not known (api.github.com:443)');
  if (!('id' in answer)) return refused(run, answer);
  save(run, registration, { id: answer.id, work: text(values['work']) ?? '_work' });
  run.out(
    '\n√ Connected to GitHub\n\n# Runner Registration\n\n\n\n\n√ Runner successfully added\n√ Runner connection is good\n\n# Runner settings\n\n\n√ Settings Saved.\n\n',
  );
  return 0;
}

/** On the command line, in the environment (`ACTIONS_RUNNER_INPUT_TOKEN`), or from standard input unless unattended. */
async function asked(run: Run, values: Values, name: string): Promise<string | undefined> {
  const given = text(values[name]) ?? run.environment[`ACTIONS_RUNNER_INPUT_${name.toUpperCase()}`];
  if (given !== undefined || values['unattended'] === true) return given;
  run.out(name === 'token' ? '\nWhat is your runner register token? ' : '\nWhat is the URL of your repository? ');
  return (await run.stdin.readLine())?.trim();
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function refused(run: Run, answer: { readonly status: number; readonly message: string }): number {
  const names: Readonly<Record<number, string>> = {
    401: 'Unauthorized',
    403: 'Forbidden',
    404: 'Not Found',
    429: 'Too Many Requests',
  };
  const name = names[answer.status] ?? 'Internal Server Error';
  run.out(
    `Http response code: ${name.replaceAll(' ', '')} from 'POST https://api.github.com/actions/runner-registration'\n`,
  );
  run.out(
    `{"message":"${answer.message}","documentation_url":"https://docs.github.com/rest","status":"${answer.status}"}\n`,
  );
  return failed(run, `Response status code does not indicate success: ${answer.status} (${name}).`);
}

function failed(run: Run, message: string): number {
  run.err(`${message}\n`);
  return 1;
}

function save(run: Run, { name, url }: Registration, made: { id: number; work: string }): void {
  const { chance } = run.mac.around;
  writeRunner(run, { agentId: made.id, agentName: name, gitHubUrl: url, workFolder: made.work });
  writeFile(
    run,
    '.credentials',
    JSON.stringify({ scheme: 'OAuth', data: { clientId: chance.uuid(), requireFipsCryptography: 'True' } }),
    0o600,
  );
  writeFile(run, '.credentials_rsaparams', JSON.stringify({ d: chance.hex(64), modulus: chance.hex(64) }), 0o600);
  // The PATH of whoever configures it: without Homebrew's, jobs say `packer: command not found` (facts §4).
  writeFile(run, '.path', `${run.environment['PATH'] ?? ''}\n`);
  writeFile(run, '.env', 'LANG=en_US.UTF-8\n');
  writeFile(run, 'svc.sh', scriptText('svc.sh'), 0o755);
}

async function remove(run: Run): Promise<number> {
  const state = readRunner(run);
  run.out(BANNER);
  if (state) await builderOf(run.mac).forge?.unregister(state.gitHubUrl, state.agentId);
  for (const file of ['.runner', '.credentials', '.credentials_rsaparams']) {
    const path = `${run.directory}/${file}`;
    if (run.mac.files.exists(run.user, path)) run.mac.files.remove(run.user, path);
  }
  run.out('√ Runner removed successfully\n√ Removed .credentials\n√ Removed .runner\n\n');
  return 0;
}
