import { minutes } from '@minifleet/clock';
import type { Host } from '../../host.ts';
import type { ActionsRunner } from './actions-runner.ts';
import { HOST_RUNNER_ARCHIVE_UNUSABLE } from './errors.ts';
import { ARCHIVE, DIRECTORY } from './runner-place.ts';
import { failure } from './script-failure.ts';

const NO_RUNNER = 84;

/** Sends the archive unless it waits there already, and unpacks it; a registration that is there stays. */
export async function unpackRunner(host: Host, want: ActionsRunner): Promise<void> {
  const { archive, user, version } = want;
  await host.upload({ path: ARCHIVE, mode: 0o600, owner: 'root:wheel' }, archive);
  const ran = await host.script('unpack-runner', [DIRECTORY, user, ARCHIVE, version, archive.sha256], {
    timeout: minutes(5),
  });
  if (ran.exitCode === 0) return;
  if (ran.exitCode !== NO_RUNNER) throw failure(host, { script: 'unpack-runner', ran, want });
  throw HOST_RUNNER_ARCHIVE_UNUSABLE({
    archive: archive.name,
    version,
    words: ran.stderr.trim(),
    address: host.address,
  });
}
