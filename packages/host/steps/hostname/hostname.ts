import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { defineStep, drift } from '../../engine/step.ts';
import { loadScript } from '../../load-script.ts';

/** A host cannot be called so. */
export const HOST_NAME_INVALID = defineError('HOST_NAME_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'HostNameInvalid',
  text: '{address}: {name} is not a valid host name; use up to 63 lower-case letters, digits and dashes, with no dash at either end; nothing was changed',
});

interface HostnameSettings {
  /** One label of RFC 1123, as Kubernetes spells it: it is the Node's name and a Bonjour name at once. */
  readonly name: string;
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** All three, because a Mac without a HostName is called whatever its DHCP lease says. */
const KINDS = ['HostName', 'LocalHostName', 'ComputerName'] as const;

/** What the host is called: by the network, by Bonjour, and by people. */
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
    await host.must(['/bin/sh', '-c', loadScript('hostname'), 'hostname', name], { root: true });
    return [];
  },
});
