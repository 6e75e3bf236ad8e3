import type { Arguments } from '../command-line/parse.ts';
import { type CommandShape, flag, option } from '../command-line/shape.ts';
import { UsageFailure } from '../failure.ts';
import { VM_NAME } from './command.ts';

export const runShape: CommandShape = {
  name: 'run',
  about: 'Run a VM',
  positional: [VM_NAME],
  options: [
    flag('no-graphics'),
    flag('graphics'),
    flag('serial'),
    option('serial-path'),
    flag('no-audio'),
    flag('no-clipboard'),
    flag('recovery'),
    flag('vnc'),
    flag('vnc-experimental'),
    option('disk', { value: 'path[:options]', repeated: true }),
    option('rosetta', { value: 'tag' }),
    option('dir', { value: '[name:]path[:options]', repeated: true }),
    flag('nested'),
    option('net-bridged', { value: 'interface name', repeated: true }),
    flag('net-softnet'),
    option('net-softnet-allow', { value: 'comma-separated CIDRs' }),
    option('net-softnet-block', { value: 'comma-separated CIDRs' }),
    option('net-softnet-expose', { value: 'comma-separated port specifications' }),
    flag('net-host'),
    option('root-disk-opts', { value: 'options' }),
    flag('suspendable'),
    flag('capture-system-keys'),
    flag('no-trackpad'),
    flag('no-pointer'),
    flag('no-keyboard'),
  ],
};

/** Taken and without effect here: what a guest would see of them is missing. */
const WITHOUT_EFFECT = ['disk', 'rosetta', 'nested', 'serial', 'serial-path', 'recovery', 'net-bridged', 'net-host'];
const SOFTNET = ['net-softnet', 'net-softnet-allow', 'net-softnet-block', 'net-softnet-expose'];

export const unmodelledIn = (given: Arguments): string[] =>
  [...WITHOUT_EFFECT, ...SOFTNET].filter(name => given.has(name));

/** Pairs that exclude each other end with 64 (facts 10.6). */
export function checkRunArguments(given: Arguments): void {
  const networks = [given.has('net-bridged'), SOFTNET.some(name => given.has(name)), given.has('net-host')];
  const headless = given.has('no-graphics') || given.has('vnc') || given.has('vnc-experimental');
  const rules: readonly (readonly [boolean, string])[] = [
    [given.has('vnc') && given.has('vnc-experimental'), '--vnc and --vnc-experimental are mutually exclusive'],
    [networks.filter(Boolean).length > 1, '--net-bridged, --net-softnet and --net-host are mutually exclusive'],
    [given.has('graphics') && given.has('no-graphics'), '--graphics and --no-graphics are mutually exclusive'],
    [given.has('capture-system-keys') && headless, '--captures-system-keys can only be used with the default VM view'],
  ];
  const broken = rules.find(([applies]) => applies);
  if (broken) throw new UsageFailure(broken[1]);
}
