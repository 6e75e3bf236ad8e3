import { parseArgs } from 'node:util';
import { pause, seconds } from '@minifleet/clock';
import type { Program, Run } from '../mac.ts';
import { processesOf } from '../processes/process-table.ts';
import { builderOf, type RegistrationRequest } from './image-builder.ts';
import {
  type RunnerState,
  readRunner,
  refusesRoot,
  runnerVersion,
  scriptText,
  writeFile,
  writeRunner,
} from './runner-state.ts';

const RULE = '-'.repeat(80);
const BANNER = `\n${RULE}\n|${'Self-hosted runner registration'.padStart(54).padEnd(78)}|\n${RULE}\n\n# Authentication\n\n`;

/** Simulates config.sh of the Actions runner. */
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
  // All users of the Mac can read its arguments while it runs, so a token among them is no secret (I27).
  const processes = processesOf(run.mac);
  const argv = [`${run.directory}/bin/Runner.Listener`, 'configure', ...run.argv.slice(1)];
  const { pid } = processes.start({ argv, user: run.user, session: run.session });
  try {
    return positionals[0] === 'remove' ? await remove(run, values) : await register(run, values);
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

type ConfigValues = Readonly<Partial<Record<string, unknown>>>;

const understood = (run: Run): { values: ConfigValues; positionals: string[] } =>
  parseArgs({ args: run.argv.slice(1), options: OPTIONS, strict: false, allowPositionals: true });

async function register(run: Run, values: ConfigValues): Promise<number> {
  run.out(BANNER);
  if (readRunner(run)) {
    run.err(
      "Cannot configure the runner because it is already configured. To reconfigure the runner, run 'config.cmd remove' or './config.sh remove' first.\n",
    );
    return 1;
  }
  const url = await asked(run, values, 'url');
  const token = secret(run, values, 'What is your runner register token?');
  if (url === undefined || token === undefined) return 1;
  const registration: RegistrationRequest = {
    url,
    token,
    name: text(values['name']) ?? run.mac.options.name,
    labels: (text(values['labels']) ?? '').split(',').filter(label => label !== ''),
    replace: values['replace'] === true,
    ephemeral: values['ephemeral'] === true,
    version: runnerVersion(run),
  };
  await pause(run.mac.around.clock, seconds(1), run.signal);
  const answer = await builderOf(run.mac).forge?.register(registration);
  if (!answer) return failed(run, 'Name or service not known (api.github.com:443)');
  if (!('id' in answer)) return refused(run, answer);
  save(run, registration, {
    agentId: answer.id,
    workFolder: text(values['work']) ?? '_work',
    ...(values['disableupdate'] === true ? { disableUpdate: true } : {}),
  });
  run.out(
    '\n√ Connected to GitHub\n\n# Runner Registration\n\n\n\n\n√ Runner successfully added\n√ Runner connection is good\n\n# Runner settings\n\n\n√ Settings Saved.\n\n',
  );
  return 0;
}

/**
 * Reads an option from the command line, the environment (`ACTIONS_RUNNER_INPUT_URL`), or standard input unless
 * unattended.
 */
async function asked(run: Run, values: ConfigValues, name: string): Promise<string | undefined> {
  const known = given(run, values, name);
  if (known !== undefined || values['unattended'] === true) return known ?? invalid(run, name);
  run.out('\nWhat is the URL of your repository? ');
  return (await run.stdin.readLine())?.trim();
}

/**
 * Like `asked`, but the prompt for a secret reads keys from a terminal and fails if standard input is not one (runner's
 * source).
 */
function secret(run: Run, values: ConfigValues, question: string): string | undefined {
  const known = given(run, values, 'token');
  if (known !== undefined || values['unattended'] === true) return known ?? invalid(run, 'token');
  run.out(`\n${question} `);
  run.err(
    'Cannot read keys when either application does not have a console or when console input has been redirected. Try Console.Read.\n',
  );
  return undefined;
}

const given = (run: Run, values: ConfigValues, name: string): string | undefined =>
  text(values[name]) ?? text(run.environment[`ACTIONS_RUNNER_INPUT_${name.toUpperCase()}`]?.trim());

function invalid(run: Run, name: string): undefined {
  run.err(`Invalid configuration provided for ${name}. Terminating unattended configuration.\n`);
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

/** `.runner` is written last, so that a process that finds it also finds the other files (runner's source). */
function save(run: Run, { name, url }: RegistrationRequest, made: Omit<RunnerState, 'agentName' | 'gitHubUrl'>): void {
  const { chance } = run.mac.around;
  // PATH of the user who runs config.sh. Without Homebrew's directory, jobs fail with `packer: command not found`
  // (facts §4).
  writeFile(run, '.path', `${run.environment['PATH'] ?? ''}\n`);
  writeFile(run, '.env', 'LANG=en_US.UTF-8\n');
  writeFile(run, '.credentials_rsaparams', JSON.stringify({ d: chance.hex(64), modulus: chance.hex(64) }), 0o600);
  writeFile(
    run,
    '.credentials',
    JSON.stringify({ scheme: 'OAuth', data: { clientId: chance.uuid(), requireFipsCryptography: 'True' } }),
    0o600,
  );
  writeRunner(run, { agentName: name, gitHubUrl: url, ...made });
  writeFile(run, 'svc.sh', scriptText('svc.sh'), 0o755);
}

/** Requires a removal token, and fails while the marker file of `svc.sh` exists. */
async function remove(run: Run, values: ConfigValues): Promise<number> {
  const state = readRunner(run);
  run.out('\n# Runner removal\n\n');
  if (run.mac.files.exists(run.user, `${run.directory}/.service`))
    return failed(run, 'Failed: Removing service\nUnconfigure service first');
  if (state && secret(run, values, 'Enter runner remove token:') === undefined) return 1;
  if (state) await builderOf(run.mac).forge?.unregister(state.gitHubUrl, state.agentId);
  for (const file of ['.runner', '.credentials', '.credentials_rsaparams']) {
    const path = `${run.directory}/${file}`;
    if (run.mac.files.exists(run.user, path)) run.mac.files.remove(run.user, path);
  }
  run.out('√ Runner removed successfully\n√ Removed .credentials\n√ Removed .runner\n\n');
  return 0;
}
