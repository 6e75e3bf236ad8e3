import { minutes } from '@minifleet/clock';
import { defineError } from '@minifleet/errors';
import { defineStep, drift, type PlannedStep, planStep } from '../../engine/step.ts';
import { loadScript } from '../../load-script.ts';

export const HOST_PUBLIC_KEY_INVALID = defineError('HOST_PUBLIC_KEY_INVALID', {
  retry: 'untilSpecChanges',
  reason: 'HostPublicKeyInvalid',
  text: '{address}: the key to authorize is not a line such as "ssh-ed25519 AAAA… comment"; nothing was changed',
});

interface AuthorizedKeySettings {
  /** The SSH user. */
  readonly user: string;
  /** `ssh-ed25519 AAAA… comment`. */
  readonly publicKey: string;
}

/** The files of a stock macOS, and of Macs that Scaleway delivers. */
const FILES = ['authorized_keys', 'scw_authorized_keys'];
/** End of the comment of an added key, so that remove-access.sh finds it when the Mac leaves. */
const MARK = '(minifleet)';
const LINE = /^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp\d+) ([A-Za-z0-9+/]+=*)( [^\n]*)?$/;

/** The account accepts the SSH key of the fleet, so that the provider can log in to an owned Mac. */
const authorizedKey = defineStep<AuthorizedKeySettings>({
  id: 'authorized-key',
  title: 'SSH key of the fleet',
  disturbs: 'nothing',
  timeout: minutes(1),

  async inspect(host, { user, publicKey }) {
    const [, type, material] = LINE.exec(publicKey.trim()) ?? [];
    if (!type || !material) throw HOST_PUBLIC_KEY_INVALID({ address: host.address });
    const texts = await Promise.all(FILES.map(name => host.query(['/bin/cat', `/Users/${user}/.ssh/${name}`])));
    // The comment says nothing, and a line may begin with options.
    const accepted = texts.some(({ stdout }) => stdout.split('\n').some(line => isKey(line, `${type} ${material}`)));
    return drift(accepted ? [] : [`${user} does not accept the key ${keyName(publicKey)}`]);
  },

  async change(host, { publicKey }) {
    const line = `${publicKey.trim()} ${MARK}`;
    await host.must(['/bin/sh', '-c', loadScript('authorize-key'), 'authorize-key', line]);
    return ['added it to ~/.ssh/authorized_keys'];
  },
});

const isKey = (line: string, key: string): boolean =>
  !line.trimStart().startsWith('#') && ` ${line} `.includes(` ${key} `);

const keyName = (publicKey: string): string => publicKey.trim().split(' ').slice(2).join(' ') || 'without a comment';

/** Before all other steps, because it needs no root. */
export const authorizedKeyStep = (settings: AuthorizedKeySettings): PlannedStep => planStep(authorizedKey, settings);
