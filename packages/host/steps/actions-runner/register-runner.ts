import { minutes } from '@minifleet/clock';
import type { Host } from '../../host.ts';
import { loadScript } from '../../load-script.ts';
import type { ActionsRunner } from './actions-runner.ts';
import { HOST_RUNNER_REGISTRATION_FAILED } from './errors.ts';
import { DIRECTORY } from './runner-place.ts';
import { failure, lastWords } from './script-failure.ts';

const REFUSED = 85;

/** Registers with the token on standard input. What is registered already goes only when the new one is there. */
export async function registerRunner(host: Host, want: ActionsRunner): Promise<void> {
  const { url, name, labels, token, user } = want;
  if (token === undefined) throw new Error('a runner registers only with a token');
  const script = ['/bin/sh', '-c', loadScript('register-runner'), 'register-runner'];
  const ran = await host.run(['sudo', '-n', '-H', '-u', user, ...script, DIRECTORY, url, name, labels.join(',')], {
    stdin: token,
    timeout: minutes(3),
  });
  if (ran.exitCode === 0) return;
  if (ran.exitCode !== REFUSED) throw failure(host, { script: 'register-runner', ran, want });
  throw HOST_RUNNER_REGISTRATION_FAILED({ url, name, words: lastWords(ran, want), address: host.address });
}
