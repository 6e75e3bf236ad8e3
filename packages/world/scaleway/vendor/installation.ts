import type { Chance } from '../../chance.ts';
import type { Server } from '../model/server.ts';
import type { Installation } from './machines.ts';
import type { Vendor } from './vendor.ts';

export const installationOf = (vendor: Vendor, server: Server, inject: boolean): Installation => ({
  os: server.os,
  password: server.password,
  sshKeys: inject ? projectKeys(vendor, server.projectId) : [],
});

/** Every key of the project goes on each of its Macs, whoever it was meant for (S1). Disabled ones do not. */
export const projectKeys = ({ ledger }: Vendor, projectId: string): string[] =>
  [...ledger.sshKeys.values()].filter(key => key.projectId === projectId && !key.disabled).map(key => key.publicKey);

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Twelve letters and digits, as recorded; another one for each installation. */
export function passwordFor(chance: Chance, id: string, installation: number): string {
  const stream = chance.stream(`password ${id} ${installation}`);
  return Array.from({ length: 12 }, () => LETTERS[stream.integer(LETTERS.length)] ?? 'x').join('');
}
