import type { FileInfo } from '../../host.ts';
import { sudoersPath, sudoersRule } from './sudo-rule.ts';

/** What an inspection could see of the rule's file without being root. */
export interface SudoState {
  readonly asksForPassword: boolean;
  readonly info: FileInfo | undefined;
  /** Undefined when we may not read it. */
  readonly text: string | undefined;
}

const MODE = 0o440;

/** In words; none when everything is as wanted. */
export function sudoDifferences(user: string, { asksForPassword, info, text }: SudoState): string[] {
  const path = sudoersPath(user);
  const asks = asksForPassword ? [`sudo asks ${user} for a password, wanted none`] : [];
  if (info === undefined) return [...asks, `${path} is missing`];
  const kind = info.kind === 'file' ? [] : [`${path} is a ${info.kind}, wanted a file`];
  const mode = info.mode === MODE ? [] : [`${path} has mode ${octal(info.mode)}, wanted ${octal(MODE)}`];
  const ours = info.uid === 0 && info.gid === 0;
  const owner = ours ? [] : [`${path} belongs to ${info.uid}:${info.gid}, wanted root:wheel`];
  const same = text === undefined || text === `${sudoersRule(user)}\n`;
  return [...asks, ...kind, ...mode, ...owner, ...(same ? [] : [`${path} holds another rule`])];
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');
