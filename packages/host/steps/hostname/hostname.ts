import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { STATE_FOLDER } from '../../engine/lease.ts';
import { defineStep, drift } from '../../engine/step.ts';
import { loadScript } from '../../load-script.ts';

export const HOST_NAME_INVALID = defineError('HOST_NAME_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'HostNameInvalid',
  text: '{address}: {name} is not a valid host name; use up to 63 lower-case letters, digits and dashes, with no dash at either end; nothing was changed',
});

interface HostnameSettings {
  /** RFC 1123 label, because it is the name of the Node and the Bonjour name. */
  readonly name: string;
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** All three, because a Mac without a HostName takes its name from the DHCP lease. */
const KINDS = ['HostName', 'LocalHostName', 'ComputerName'] as const;

/** Names of the Mac before, restored when it leaves. */
const RECORD = `${STATE_FOLDER}/before-names`;

/** Name of the host for the network, for Bonjour and for users. */
export const hostname = defineStep<HostnameSettings>({
  id: 'hostname',
  title: 'host name',
  disturbs: 'nothing',
  timeout: minutes(1),

  async inspect(host, { name }) {
    const names = await Promise.all(KINDS.map(kind => host.query(['/usr/sbin/scutil', '--get', kind])));
    return drift(
      names.flatMap(({ exitCode, stdout }, index) => {
        const present = exitCode === 0 ? stdout.trim() : undefined;
        return present === name ? [] : [`${KINDS[index]} is ${present ?? 'not set'}, expected ${name}`];
      }),
    );
  },

  async change(host, { name }) {
    if (!LABEL.test(name)) throw HOST_NAME_INVALID({ name: JSON.stringify(name), address: host.address });
    await host.must(['/bin/sh', '-c', loadScript('hostname'), 'hostname', name, RECORD], { root: true });
    return [];
  },
});
