import { type HostState, hostStates } from '@minifleet/api';

/** Row of the state table in docs/fleets.md. The meaning of the state is in the API. */
export interface HostStateRow {
  /** Fact that puts a host into this state, unless a state above it in the table applies. */
  readonly when: string;
  readonly does: string;
  readonly next: readonly HostState[];
  /** File in packages/provider/hosts/states. */
  readonly file: string;
}

/** In the order in which `stateOf` decides. */
export const hostStateRows: Readonly<Record<HostState, HostStateRow>> = {
  Missing: {
    when: 'the last list of the zone does not have the server; never an owned Mac',
    does: 'cancels the job and reports; changes nothing',
    next: ['Available', 'Quarantined', 'Claimed', 'Bootstrapping', 'Serving', 'Releasing'],
    file: 'missing.ts',
  },
  Quarantined: {
    when: 'no consumer; `spec.quarantine`, or a quarantine in the status that has not ended',
    does: 'waits for the end of the quarantine or for `minifleet release <host>`',
    next: ['Available'],
    file: 'quarantined.ts',
  },
  Available: {
    when: 'no consumer, no quarantine',
    does: 'removes the data of the last machine from the status',
    next: ['Claimed', 'Quarantined'],
    file: 'available.ts',
  },
  Releasing: {
    when: '`spec.release`, written by the machine, or the host was given up',
    does: 'stops the job, removes runner and agent where needed, reinstalls, renames, deletes the Node, ends the claim',
    next: ['Available', 'Quarantined'],
    file: 'releasing.ts',
  },
  Serving: {
    when: '`status.servedSince`',
    does: 'inspects, repairs drift, rolls out new plans; never restarts or gives up the host, and does nothing while its server has the name of another user',
    next: ['Releasing'],
    file: 'serve-host.ts',
  },
  Reinstalling: {
    when: 'a reinstallation is requested, and the vendor has not answered',
    does: 'asks the vendor; deletes the password and the host key',
    next: ['Bootstrapping', 'Releasing'],
    file: 'restarting.ts',
  },
  Restarting: {
    when: 'a restart is requested, and the vendor has not answered',
    does: 'asks the vendor',
    next: ['Bootstrapping', 'Releasing'],
    file: 'restarting.ts',
  },
  Bootstrapping: {
    when: '`NameMirrored` and `CredentialsReady` are True',
    does: 'applies the first plan over SSH; requests restart, reinstallation or giving up after repeated failures',
    next: ['Serving', 'Restarting', 'Reinstalling', 'Releasing'],
    file: 'bootstrap-host.ts',
  },
  Claimed: {
    when: 'every other host with a consumer',
    does: 'renames the server at the vendor, stores user and password in the Secret `<host>-credentials`',
    next: ['Bootstrapping', 'Releasing', 'Available'],
    file: 'claimed.ts',
  },
};

const FOLDER = '../packages/provider/hosts/states';

/** Renders the table. The first row that applies is the state of a host. */
export const hostStatesTable = (): string =>
  [
    '| State | Meaning | The host is in it if | The provider | Next states | Code |\n|---|---|---|---|---|---|',
    ...Object.entries(hostStateRows).map(([state, { when, does, next, file }]) =>
      [
        '',
        `\`${state}\``,
        hostStates[state as HostState],
        when,
        does,
        next.map(one => `\`${one}\``).join(', '),
        `[${file}](${FOLDER}/${file})`,
        '',
      ]
        .join(' | ')
        .trim(),
    ),
  ].join('\n');
